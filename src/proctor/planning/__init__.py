"""Decides what to run: configuration, detection, command. Pure."""
