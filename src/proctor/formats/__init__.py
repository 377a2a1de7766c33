"""Readers of report formats that several frameworks share. Pure."""
