"""Proctor: run any project's tests in a sandbox and get a verdict that is never wrong.

>>> from proctor import TestRequest, TestRunner
>>> result = TestRunner("path/to/project").run(TestRequest(timeout=60))
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proctor.model.errors import ProctorError as ProctorError
    from proctor.model.request import TestRequest as TestRequest
    from proctor.model.run import TestResult as TestResult
    from proctor.service.proctor import Proctor as Proctor
    from proctor.service.runner import TestRunner as TestRunner

__version__ = "0.1.0"

__all__ = ["Proctor", "ProctorError", "TestRequest", "TestResult", "TestRunner", "__version__"]

_PLACES = {
    "Proctor": "proctor.service.proctor",
    "ProctorError": "proctor.model.errors",
    "TestRequest": "proctor.model.request",
    "TestResult": "proctor.model.run",
    "TestRunner": "proctor.service.runner",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: `proctor --version` must not pay for the rest."""
    if name not in _PLACES:
        raise AttributeError(f"module 'proctor' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PLACES[name]), name)
