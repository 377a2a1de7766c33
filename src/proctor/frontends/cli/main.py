"""The command line."""


def run() -> None:
    """Run the command line."""
