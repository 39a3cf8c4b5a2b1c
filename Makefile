# Everything runs in a virtual environment that the first target makes; only Python 3.11 or newer is needed.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
WORKERS ?= 2
TESTS ?= tests
BIN := $(VENV)/bin
SMOKE := $(VENV)/smoke
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb))
STAMP := $(VENV)/.ctx-layers

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

.DEFAULT_GOAL := help
.PHONY: help venv test lint format demo frameworks frameworks-tenth replays accepted notebooks notebooks-save wheel smoke clean

help:  ## Show this list.
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 18

venv: $(STAMP)  ## Make .venv with every extra and the tools.

$(STAMP): pyproject.toml
	"$(PYTHON)" -m venv "$(VENV)"
	"$(BIN)/python" -m pip install --quiet --editable ".[all,dev]"
	touch "$@"

test: $(STAMP)  ## Run the tests (TESTS=path, WORKERS=n).
	"$(BIN)/python" -m pytest -n $(WORKERS) --dist worksteal $(TESTS)

lint: $(STAMP)  ## Check style, types and the architecture.
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/mypy"
	"$(BIN)/pyright" --pythonpath "$(BIN)/python"
	"$(BIN)/lint-imports" --no-logo

format: $(STAMP)  ## Format the code and mend what can be mended.
	"$(BIN)/ruff" format .
	"$(BIN)/ruff" check --fix .

demo: $(STAMP)  ## Run a long conversation through both frameworks at one budget.
	"$(BIN)/ctx-layers" demo

frameworks: $(STAMP)  ## Run the frameworks' own suites with ours in place (minutes); frameworks-tenth is a fixed tenth of them.
	"$(BIN)/python" tests/frameworks/suites.py

frameworks-tenth: $(STAMP)
	"$(BIN)/python" tests/frameworks/suites.py --tenth

replays: $(STAMP)  ## Play all recorded transcripts of ../shared through agents and engines (minutes); `make test` plays a tenth.
	CTX_REPLAYS=all "$(BIN)/python" -m pytest -n $(WORKERS) tests/contract/test_real_transcripts.py \
		tests/langchain_ctx/test_replayed_agents.py tests/llamaindex_ctx/test_replays.py \
		tests/llamaindex_ctx/test_replayed_engines.py

accepted: $(STAMP)  ## Send all agents' runs of ../shared through both faces and six clients, judged (an hour); `make test` a few.
	CTX_REPLAYS=all "$(BIN)/python" -m pytest -n $(WORKERS) tests/payloads/test_agents_accepted.py

notebooks: $(STAMP)  ## Execute every notebook; a cell that raises, or gives other outputs than are saved, fails.
	"$(BIN)/python" notebooks/check.py $(NOTEBOOKS)

notebooks-save: $(STAMP)  ## Execute every notebook and keep the outputs in the files.
	"$(BIN)/python" notebooks/check.py --save $(NOTEBOOKS)

wheel: $(STAMP)  ## Build the source distribution and, from it, the wheel, into dist/.
	rm -rf dist
	"$(BIN)/python" -m build

smoke: wheel  ## Try the wheel in an environment of its own, without extras.
	rm -rf "$(SMOKE)"
	"$(PYTHON)" -m venv "$(SMOKE)"
	"$(SMOKE)/bin/python" -m pip install --quiet dist/*.whl
	"$(SMOKE)/bin/python" -I -c "import ctx_core.demo; print(ctx_core.__version__, ctx_core.__file__)"
	"$(SMOKE)/bin/ctx-layers" --help
	rm -rf "$(SMOKE)"

clean:  ## Remove what the targets made.
	rm -rf "$(VENV)" dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
