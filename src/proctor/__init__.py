"""Proctor: run any project's tests in a sandbox and get a verdict that is never wrong."""

__version__ = "0.1.0"
