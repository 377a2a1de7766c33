from collections.abc import Callable

import msgspec
import yaml

from proctor.frontends.cli.encode import encode, event_line, result_line
from proctor.model.case import Case
from proctor.model.event import Collected
from proctor.model.run import TestResult

MakeCase = Callable[..., Case]
MakeResult = Callable[..., TestResult]


def test_json_is_one_line_that_reads_back_as_the_result(make_case: MakeCase, make_result: MakeResult) -> None:
    result = make_result([make_case(error="two\nlines", status="fail")])
    line = encode(result, "json")
    assert line.count(b"\n") == 1
    assert msgspec.json.decode(line, type=TestResult) == result


def test_yaml_reads_back_and_shows_long_texts_as_blocks(make_case: MakeCase, make_result: MakeResult) -> None:
    result = make_result([make_case(error="two\nlines", output="nul \x00 \x1b[31m 日本 👩‍🔬\nend  \n")])
    text = encode(result, "yaml")
    assert msgspec.convert(yaml.safe_load(text), type=TestResult) == result
    assert b"error: |-\n    two\n    lines\n" in text


def test_a_stream_is_lines_tagged_by_their_event(make_result: MakeResult) -> None:
    assert event_line(Collected(total=3)) == b'{"event":"collected","total":3}\n'
    assert result_line(make_result()).startswith(b'{"event":"result","schema_version":1,')
    assert msgspec.json.decode(result_line(make_result()))["verdict"] == "passed"
