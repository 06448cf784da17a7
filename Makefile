# make demo: from games to similar puzzles, a worksheet and a training set, on the shipped samples.
# make test: everything that CI runs.
# make lowest: the tests of the page with the lowest versions that pyproject.toml allows; all with TESTS=tests.
# make page: the web page with the shipped samples. make docs: the documentation as a website in site/.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
DEMO := demo
export CHESS_MOTIF_DB := $(DEMO)/puzzles.db

# The tests of the page need a browser.
.PHONY: demo page chromium test lowest lint docs check stockfish clean

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name it with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@# Debian and Ubuntu keep venv in a package of its own.
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || sh ./install-debian.sh python3-venv
	$(PYTHON) -m venv $(VENV)

# The stamp is older than pyproject.toml when the dependencies may have changed.
$(VENV)/installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@# A test compares our rating of puzzles with LightGBM's, which needs the OpenMP runtime.
	@$(BIN)/python -c 'import lightgbm' 2>/dev/null || sh ./install-debian.sh libgomp1
	@touch $@

stockfish: $(VENV)/installed
	@$(BIN)/python -c 'from engines import find_engine; find_engine()' 2>/dev/null || sh ./install-debian.sh stockfish
	@$(BIN)/python -m engines

# Each command goes on where it was interrupted.
$(DEMO)/ready: motifsearch/web/samples.jsonl.zst | stockfish
	@mkdir -p $(DEMO)
	$(BIN)/puzzlegen mine samples/games.pgn.zst --pattern blunder --limit 205
	$(BIN)/puzzlegen import motifsearch/web/samples.jsonl.zst
	$(BIN)/motifsearch index
	@touch $@

demo: $(DEMO)/ready
	@id=$$($(BIN)/puzzlegen list --player Stockfish --tag discoveredAttack --json 2>/dev/null | $(BIN)/python -c 'import json, sys; print(json.load(sys.stdin)[0]["id"])') && \
		echo && $(BIN)/puzzlegen show $$id && \
		echo && echo "motifsearch similar $$id" && echo && \
		$(BIN)/motifsearch similar $$id -k 3 --why --html $(DEMO)/similar.html && \
		$(BIN)/motifsearch similar $$id -k 12 --out $(DEMO)/worksheet.pdf > /dev/null
	@echo
	$(BIN)/motifsearch train samples/games.pgn.zst --player "level 3" --limit 12
	@echo
	@echo "These commands are in $(BIN), and the puzzles in $(CHESS_MOTIF_DB). To go on:"
	@echo "  . $(BIN)/activate && export CHESS_MOTIF_DB=$(CHESS_MOTIF_DB)"
	@echo "  make page"

page: $(DEMO)/ready
	$(BIN)/motifsearch serve

chromium:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || sh ./install-debian.sh chromium

test: stockfish chromium lint
	unset CHESS_MOTIF_DB; $(BIN)/python -m pytest -n 2

lowest: TESTS := tests/motifsearch/web
lowest: stockfish chromium
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST) --resolution lowest-direct --editable '.[test]'
	unset CHESS_MOTIF_DB; $(LOWEST)/bin/python -m pytest -n 2 $(TESTS)

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/installed
	$(BIN)/zensical build --strict --clean
	@echo "Open site/index.html"

clean:
	rm -rf $(VENV) $(LOWEST) $(DEMO) site .cache
