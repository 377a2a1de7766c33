from hypothesis import given
from hypothesis import strategies as st

from proctor.formats.lines import LineSplitter
from proctor.formats.text import BoundedText, cut


def test_a_long_text_keeps_head_and_tail_and_says_how_much_is_gone() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("a" * 10 + "b" * 10, 10) == "aaaaa\n… 10 characters left out …\nbbbbb"


@given(st.lists(st.text("ab", max_size=20), max_size=50))
def test_a_bounded_text_loses_nothing_while_it_is_short_and_stays_bounded(pieces: list[str]) -> None:
    text = BoundedText(40)
    for piece in pieces:
        text.add(piece)
    whole = "".join(pieces)
    assert len(str(text)) <= 60 + 40
    assert str(text) == whole if len(whole) <= 40 else str(text).startswith(whole[:20])
    assert str(text).endswith(whole[-20:])


@given(st.lists(st.binary(max_size=12), max_size=12))
def test_lines_are_the_same_however_the_bytes_are_cut(pieces: list[bytes]) -> None:
    splitter = LineSplitter()
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    rest = splitter.close()
    *expected, last = b"".join(pieces).split(b"\n")
    assert lines == [line.decode("utf-8", "backslashreplace").removesuffix("\r") for line in expected]
    assert rest == last.decode("utf-8", "backslashreplace").removesuffix("\r")


def test_a_line_beyond_the_bound_loses_its_tail_only() -> None:
    splitter = LineSplitter(longest=4)
    assert list(splitter.feed(b"abcdefgh\nij\n")) == ["abcd", "ij"]
