"""Where a command runs: bubblewrap, Landlock, or in the open. Parses no output."""
