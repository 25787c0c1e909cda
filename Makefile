# Every target first sets up what it needs: a fresh machine with Python 3.11+ needs nothing but `make demo`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Real data, where it lies beside the project; tests that need it are skipped where it does not.
ifeq ($(origin WLT_DATA), undefined)
ifneq ($(wildcard ../shared/data),)
export WLT_DATA := $(abspath ../shared/data)
endif
endif

.PHONY: demo docs test test-slow test-faults fuzz lint package bench results clean

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: lint
	@$(BIN)/python -m pytest -q --numprocesses logical --maxprocesses 4 --dist loadgroup -m "not slow and not faults and not package"

# Ends with the first that fails, so that a failure is known however much time is left.
test-slow: $(READY)
	@$(BIN)/python -m pytest -q -m slow --exitfirst

# Signals at random moments of every long command, full disks, folders that cannot be written, no home, two at once; those
# of one command are in `make test`. Ends with the first that fails, so that a failure is known however much time is left.
test-faults: $(READY)
	@$(BIN)/python -m pytest -q --exitfirst tests/faults

# A million mutated inputs for everything that reads files; a share of them is in `make test`. FUZZ=1000 for fewer.
FUZZ ?= 1000000
fuzz: $(READY)
	@$(BIN)/python tests/fuzz/campaign.py --inputs $(FUZZ)

lint: $(READY)
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary

# A source archive and a wheel in dist/, each installed into a fresh environment and tried there.
package: $(READY)
	@$(BIN)/python -m pytest -q tests/test_packaging.py -m package

# The documentation site in build/site/index.html. Its pages are run, its links are checked.
docs: $(READY)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "build/site/index.html"

bench: $(READY)
	@$(BIN)/python benchmarks/closure.py

# The page and the figures from the stored curves, without training.
results: $(READY)
	@$(BIN)/wlt report results --html results/report.html --markdown results/README.md

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[nn,mol,ray,dev,docs]'
	@touch $@
