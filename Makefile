# The two commands: `make demo` shows Proctor at work, `make test` proves that it works. Both set up all they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest

.PHONY: demo test check format soak bench lock reference clean

$(VENV)/.ready: requirements.lock pyproject.toml scripts/system-packages
	@scripts/system-packages
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

demo: $(VENV)/.ready
	@PATH="$(CURDIR)/$(BIN):$$PATH" VIRTUAL_ENV="$(CURDIR)/$(VENV)" sh scripts/demo

test: $(VENV)/.ready
	@scripts/toolchains
	@$(PYTEST) -q -n 2 --dist worksteal

check: $(VENV)/.ready
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/check_docs.py

format: $(VENV)/.ready
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

soak: $(VENV)/.ready
	@$(PYTEST) -q -m soak --timeout=7200

bench: $(VENV)/.ready
	@$(BIN)/python benchmarks/overhead.py
	@$(BIN)/python benchmarks/stopping.py
	@$(BIN)/python benchmarks/parse.py
	@$(BIN)/python benchmarks/real_projects.py

lock:
	@$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --custom-compile-command 'make lock' --quiet -o requirements.lock

reference: $(VENV)/.ready
	@$(BIN)/python scripts/write_reference.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .cache
