from hypothesis import given
from hypothesis import strategies as st

from proctor.frontends.cli.clean import clean, clean_block, clean_line, clean_tail


def test_plain_text_stays_as_it_is() -> None:
    assert clean("assert 99 == 100 — naïve 日本 👩‍🔬") == "assert 99 == 100 — naïve 日本 👩‍🔬"


def test_colours_are_dropped() -> None:
    assert clean("\x1b[1;31mred\x1b[0m and \x9b32mgreen") == "red and green"


def test_a_window_title_is_dropped_whole() -> None:
    assert clean("a\x1b]0;owned\x07b\x1b]8;;http://x\x1b\\c") == "abc"


def test_an_escape_without_an_end_becomes_visible_and_hides_nothing() -> None:
    assert clean("a\x1b]0;rest of the text") == "a0;rest of the text"


def test_control_characters_become_visible() -> None:
    assert clean("bell\x07 back\x08 nul\x00 return\rover") == "bell\\x07 back\\x08 nul\\x00 return\\x0dover"


def test_words_cannot_be_hidden_or_turned_around() -> None:
    assert clean("a\u202eb\u200bc\U000e0041") == "a\\u202eb\\u200bc\\U000e0041"


def test_a_lone_surrogate_becomes_visible() -> None:
    assert clean("\udcff") == "\\udcff"


def test_a_line_is_one_line_and_bounded() -> None:
    assert clean_line("two\nlines") == "two\\nlines"
    assert clean_line("x" * 100_000, 10) == "x" * 10 + "…"
    assert clean_line("x" * 10, 10) == "x" * 10


def test_a_block_says_how_much_it_left_out() -> None:
    assert clean_block("1\n2\n3\n4", 2) == ["1", "2", "… 2 more lines"]
    assert clean_tail("1\n2\n3\n4", 2) == ["… 2 lines before", "3", "4"]
    assert clean_block(" \n ", 2) == []


@given(st.text(alphabet=st.characters(), max_size=200))
def test_no_text_can_move_the_cursor(text: str) -> None:
    assert not {ord(letter) for letter in clean(text)} & ({*range(32), *range(127, 160)} - {10})


@given(st.text(alphabet="\x1b\x9b\x9d\x07\\[]0;mP^_ab\n", max_size=40))
def test_no_mixture_of_escapes_gets_through(text: str) -> None:
    assert not set(clean(text)) & {"\x1b", "\x9b", "\x9d", "\x07"}
