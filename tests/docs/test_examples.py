"""Every marked example of the documentation is carried out, and prints what the page says."""

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
    ROOT / "examples" / "README.md",
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_happens(page: Path, follow: Callable[[Path], int]) -> None:
    assert follow(page) > 0
