"""Results in the formats of other tools."""

from proctor.formats.junit_writer import write_junit
from proctor.model.run import TestResult


def junit(result: TestResult) -> bytes:
    """Return the result as JUnit XML."""
    return write_junit(result)
