"""The `proctor` command: answers `--version` at once, and loads the command line for everything else."""

import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"]:
        from proctor import __version__

        print(f"proctor {__version__}")
        return
    from proctor.frontends.cli.main import run

    run()


if __name__ == "__main__":
    main()
