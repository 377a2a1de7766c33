"""The one table that gives every error code and every verdict its status in each frontend."""

from typing import Final, NamedTuple


class Status(NamedTuple):
    """How one error code looks from outside: process exit, HTTP, gRPC and MCP (JSON-RPC)."""

    exit: int
    http: int
    grpc: str
    mcp: int


INTERNAL: Final = Status(70, 500, "INTERNAL", -32603)

ERRORS: Final[dict[str, Status]] = {
    "bad_request": Status(2, 400, "INVALID_ARGUMENT", -32602),
    "bad_config": Status(2, 422, "INVALID_ARGUMENT", -32602),
    "bad_page_token": Status(2, 400, "INVALID_ARGUMENT", -32602),
    "ambiguous_id": Status(2, 409, "INVALID_ARGUMENT", -32602),
    "not_found": Status(2, 404, "NOT_FOUND", -32602),
    "no_project": Status(2, 404, "NOT_FOUND", -32602),
    "already_ended": Status(2, 409, "FAILED_PRECONDITION", -32602),
    "cannot_run": Status(7, 422, "FAILED_PRECONDITION", -32603),
    "no_framework": Status(7, 422, "FAILED_PRECONDITION", -32602),
    "tool_missing": Status(7, 422, "FAILED_PRECONDITION", -32603),
    "sandbox_unavailable": Status(7, 503, "FAILED_PRECONDITION", -32603),
    "state_fault": Status(70, 500, "INTERNAL", -32603),
    "store_busy": Status(70, 503, "UNAVAILABLE", -32603),
    "store_damaged": Status(70, 500, "DATA_LOSS", -32603),
    "proctor_error": INTERNAL,
}

VERDICT_EXITS: Final[dict[str, int]] = {
    "passed": 0,
    "failed": 1,
    "no_tests": 3,
    "inconsistent": 4,
    "timeout": 5,
    "cancelled": 6,
    "interrupted": 6,
    "error": 7,
}
