"""Questions about paths that need no disk."""


def is_within(path: str, directory: str) -> bool:
    """Tell whether ``path`` is the directory or lies below it, by its name alone."""
    return path == directory or path.startswith(directory.rstrip("/") + "/")
