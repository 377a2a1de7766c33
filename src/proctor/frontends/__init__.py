"""Translate, call the service, render. Decide nothing."""
