# From nothing: `make demo` ends with the quickstart's report, `make test` with green tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml setup.py requirements.lock $(wildcard pubench/*.pyx plugins/*/*.pyx plugins/*/*.pxd plugins/*/*.h)

CORE := core core-estimated core-lite core-sar core-sar-lite core-small core-tuned selection-study
SPECIES := presence-only
STUDIES := baselines estimated-prior tuning-best tuning-one-se
PAPERS := $(filter-out quickstart label-frequency prior-sensitivity $(STUDIES) $(CORE) $(SPECIES),$(basename $(notdir $(wildcard suites/*.toml))))

.PHONY: benchmark leaderboard selection demo test test-all test-lowest wheel-check docker test-torch lock lint bench docs reports site papers studies species clean

# The demo needs neither the tests' packages nor the linters: pubench and what it imports come first.
demo: $(VENV)/.runtime
	$(BIN)/pubench suite run quickstart --out runs/quickstart

# Tests of one file share what is dear to make, so each file goes to one worker as a whole.
# More workers than cores: many tests wait for a process or a server. Each worker spends some seconds on collecting.
WORKERS := $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) * 3 // 2)')
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# What a contributor runs: some minutes from nothing. Tests marked as slow run with `make test-all`.
test: $(VENV)/.installed
	$(PYTEST)

test-all: $(VENV)/.installed lint
	$(PYTEST) -m '' --hypothesis-profile thorough

# What needs PyTorch. It is installed if that is possible; otherwise one line says so, and nothing fails.
TORCH := torch==2.13.0
test-torch: $(VENV)/.installed
	@$(BIN)/python -c 'import torch' 2> /dev/null || $(BIN)/python -m pip install --quiet $(TORCH) > /dev/null 2>&1 || true
	@if $(BIN)/python -c 'import torch' 2> /dev/null; then $(PYTEST) -m torch; \
	else echo 'PyTorch cannot be installed here; its tests are skipped'; fi

# The lower bounds of pyproject.toml, in an environment of their own.
test-lowest: $(SOURCES) tools/lowest.py
	$(PYTHON) -m venv --clear $(VENV)-lowest
	$(VENV)-lowest/bin/python tools/lowest.py > $(VENV)-lowest/constraints.txt
	$(VENV)-lowest/bin/python -m pip install --quiet --constraint $(VENV)-lowest/constraints.txt --editable '.[test]'
	$(VENV)-lowest/bin/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# The wheel for this Python in an empty environment and an empty folder, with the quickstart as its smoke test.
wheel-check: $(VENV)/.installed
	$(BIN)/pytest -m slow tests/promises/test_wheel.py

# New versions for requirements.lock, within the bounds of pyproject.toml.
lock:
	$(BIN)/python tools/lock.py

# An image with the quickstart as its smoke test, where docker is installed.
docker:
	@command -v docker > /dev/null || { echo "docker is not installed; the image is neither built nor tested"; exit 1; }
	docker build --tag pubench .
	docker run --rm pubench suite run quickstart --quiet

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# One table: speed against its limits, in benchmarks/RESULTS.md. BENCH="--compare" compares with the committed one.
bench: $(VENV)/.installed
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/bench.py $(BENCH)

docs: $(VENV)/.installed
	$(BIN)/python -m sphinx --fail-on-warning --quiet -b html docs build/docs

# The committed report: the page names the first command, and only times and the machine differ when it is made again.
reports: $(VENV)/.installed
	rm -rf runs/quickstart
	$(BIN)/pubench suite run quickstart
	$(BIN)/pubench report runs/quickstart --out reports/quickstart
	$(BIN)/pubench export runs/quickstart --no-times --out reports/quickstart/cells.csv

# All committed reports as one site, to look at or to serve.
site: $(VENV)/.installed
	$(BIN)/pubench site reports/*/ --out build/site

# The papers' tables under reports/: hours the first time, nothing for what is there. Needs PUBENCH_DATA.
papers: $(addprefix paper-,$(PAPERS))
	$(BIN)/python reports/accounts.py
	$(BIN)/python reports/claims.py
	$(BIN)/python reports/papers.py
	$(BIN)/python reports/screens.py

# The rows behind docs/conclusions.md: about an hour and a half the first time. The tables come from OpenML.
studies: $(addprefix paper-,$(STUDIES))
	$(BIN)/python reports/conclusions.py

# The rows behind docs/species.md. Needs PUBENCH_DATA with disdat/, and elapid (pubench[species]).
species: $(addprefix paper-,$(SPECIES))
	$(BIN)/python reports/species.py

# The reference benchmark as far as it was run, the check with another seed, and docs/benchmark.md. Tables come from OpenML.
benchmark: paper-core-lite paper-core-small paper-core-sar-lite fresh-core-small fresh-core-sar-lite leaderboard
	$(BIN)/python reports/benchmark.py

# The same cells with another seed, which the conclusions have to survive.
fresh-%: $(VENV)/.installed
	mkdir -p runs
	sed -E 's/^seed = [0-9]+/seed = 2029/; s/^replicates = [0-9]+/replicates = $(FRESH)/' suites/$*.toml > runs/$*-fresh.toml
	$(BIN)/pubench suite run runs/$*-fresh.toml --jobs 2 --quiet --out runs/$*-fresh
	$(BIN)/pubench export runs/$*-fresh --no-times --out reports/$*/fresh.csv
FRESH := 1

# One table of all methods, with those that others have submitted.
leaderboard: $(VENV)/.installed
	$(BIN)/pubench leaderboard $(LEADERBOARD) $(wildcard submissions/*/) --out reports/leaderboard.csv
LEADERBOARD := reports/core-lite reports/core-small reports/core-sar-lite reports/presence-only

# What choosing without true classes costs: all trials of the study, and the prices of rules.
selection: paper-selection-study
	$(BIN)/pubench export --trials runs/selection-study --no-times --out reports/selection-study/trials.csv
	$(BIN)/python reports/selection.py ensembles runs/selection-study
	$(BIN)/python reports/selection.py

paper-%: $(VENV)/.installed
	$(BIN)/pubench suite run $* --jobs 2 --quiet
	$(BIN)/pubench report runs/$* --format html,markdown,csv --out reports/$*
	$(BIN)/pubench export runs/$* --no-times --out reports/$*/cells.csv
	$(BIN)/pubench suite run $*-smoke --jobs 2 --quiet
	$(BIN)/pubench export runs/$*-smoke --no-times --out reports/$*/smoke.csv

# What both installations do. pip compiles on one core; and where Python is told not to write bytecode, every process
# would compile ours again. Some packages hold files that are no Python of this version; nothing imports them.
define install
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --constraint requirements.lock --editable '$(1)'
	-$(BIN)/python -m compileall -qq -j 0 -x /tests/ $(VENV)/lib pubench plugins
	touch $@
endef

$(VENV)/.runtime: $(SOURCES)
	$(call install,.)

$(VENV)/.installed: $(SOURCES)
	$(call install,.[dev])
	touch $(VENV)/.runtime

clean:
	rm -rf $(VENV) build dist runs *.egg-info
