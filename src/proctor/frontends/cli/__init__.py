"""The command line: translates words into requests and results into words. Decides nothing."""
