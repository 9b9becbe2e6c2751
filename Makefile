# `make demo` and `make test` work on a fresh clone: Python 3.10+ and a C++ compiler are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/hungjury/native/*.cpp src/hungjury/native/*.h)

.PHONY: demo test test-all test-engines test-lowest quick lint types unit slow bench studies docs examples wheels clean sanitize mutants lock

# uv installs in a fraction of pip's time. The pip that Python has puts it there, or else one of its own.
PIP := install --quiet --disable-pip-version-check
$(BIN)/uv:
	$(PYTHON) -m venv --without-pip $(VENV)
	$(PYTHON) -m pip --python $(BIN)/python $(PIP) uv 2> /dev/null || { \
		$(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip $(PIP) uv; }

# The native code, built again only when it or the way of building it changes.
INSTALL := $(BIN)/uv pip install --quiet --python
$(VENV)/built: $(BIN)/uv $(SOURCES)
	$(INSTALL) $(BIN)/python --no-deps --editable .
	touch $@

# What the demo needs: no development tools.
$(VENV)/usable: $(VENV)/built
	$(INSTALL) $(BIN)/python --requirements pyproject.toml --extra report
	touch $@

# The versions of requirements-dev.lock, each checked by its hash: the same everywhere.
$(VENV)/ready: $(VENV)/built requirements-dev.lock
	$(INSTALL) $(BIN)/python --require-hashes --requirement requirements-dev.lock
	touch $(VENV)/usable $@

# Writes the newest versions that fit together into the lock, for every Python and system.
lock: $(BIN)/uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
		--python-version 3.10 --extra dev pyproject.toml -o requirements-dev.lock

demo: $(VENV)/usable
	$(BIN)/hungjury simulate -o demo --fooled 0.1 --reach 0.5 --odd copycat --odd reversed --odd coder
	@echo; echo "What is in it: 8 systems that find different documents, 20 topics; five judges from good to bad"
	@echo "who are all fooled by the same documents, a copycat, one who uses the scale the wrong way round, and"
	@echo "one who writes 999 for answers it could not read. These codes have to be dealt with by name:"
	-$(BIN)/hungjury audit --judges 'demo/judges/*' --runs 'demo/runs/*'
	@echo; echo "Which system is better, and can these judges tell?"
	$(BIN)/hungjury leaderboard --judges 'demo/judges/*' --runs 'demo/runs/*' -m nDCG@10 \
		--grades 0-1 --outside missing --report demo/report.html
	@echo; echo "The truth, which is known here:"
	$(BIN)/hungjury evaluate demo/gold.qrels 'demo/runs/*' -m nDCG@10 --quiet
	@echo; echo "Open demo/report.html in a browser. Next, on your own files:"
	@echo "  $(BIN)/hungjury leaderboard --judges 'JUDGES/*' --runs 'RUNS/*' -m nDCG@10 --report report.html"
	@echo "  $(BIN)/hungjury evaluate QRELS RUN... -m nDCG@10"

# Types are checked beside the tests, which leave a core idle at their end.
test: lint
	$(MAKE) --no-print-directory --jobs 2 types unit

# And what takes longer: browsers, notebooks, TeX, clusters, builds, studies and long simulations;
# tests of properties try four times as many examples.
test-all: export EXAMPLES := 2
test-all: test slow test-engines sanitize

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/ready
	$(BIN)/mypy

# Many tests start processes of their own: kept bytecode spares each the compiling of all modules.
demo unit slow quick bench: export PYTHONDONTWRITEBYTECODE :=
unit slow quick: export OPENBLAS_NUM_THREADS := 1
# Each core has a worker; what threads may not change is tested with several of them.
unit quick: export HUNGJURY_THREADS := 1

SLOW := browser or notebook or cluster or long
unit: $(VENV)/ready
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not ($(SLOW))'

# These wait for browsers and other processes: two workers for each core.
WORKERS ?= $(shell $(PYTHON) -c "import os; print(2 * (os.cpu_count() or 1))")
slow: $(VENV)/ready
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m '$(SLOW)'

# Spark in an environment of its own, as it needs Java and an older pandas.
ENGINES := .venv-engines
test-engines: $(BIN)/uv
	$(PYTHON) -m venv --without-pip $(ENGINES)
	$(INSTALL) $(ENGINES)/bin/python '.[tables,clicks,spark]' 'pytest>=8' 'hypothesis>=6.130'
	SPARK_LOCAL_IP=127.0.0.1 $(ENGINES)/bin/python -m pytest -m cluster -k spark \
		tests/users/test_clicks_spark.py tests/judges/test_many_labels.py

# The tests of the rooms that you changed since the last commit, or of all; one room: make quick ROOM=leaderboard.
ROOM ?= $(shell git diff --name-only HEAD | sed -nE 's#^(src/hungjury|tests)/([a-z]+)/.*#\2#p' | sort -u)
quick: $(VENV)/ready
	$(BIN)/python -m pytest -n auto -m 'not ($(SLOW))' $(wildcard $(addprefix tests/,$(ROOM)))

# The site, in docs/_build/html; a warning is an error.
docs: $(VENV)/ready
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Runs the examples of the pages and writes what they print today into the pages.
examples: $(VENV)/ready
	$(BIN)/python docs/site_tools/examples.py --update

# In an environment of its own, with the peers beside an ordinary install of hungjury.
bench: $(BIN)/uv
	test -d .venv-bench || $(PYTHON) -m venv --without-pip .venv-bench
	$(INSTALL) .venv-bench/bin/python --compile-bytecode -r benchmarks/requirements.txt '.[clicks,studies,label]'
	.venv-bench/bin/python -m benchmarks.run
	.venv-bench/bin/python -m benchmarks.timings

# The papers' experiments on TREC 2021 Deep Learning, as told in docs/studies; what is done is kept.
STUDY := --data ../shared/data/dl21 --duplicates first --grades 0-3 --outside clip \
	--score-precision single -o studies-results
studies: $(VENV)/ready
	$(BIN)/hungjury study random-relevance $(STUDY) --labels gold --labels mv
	$(BIN)/hungjury study graded-ap $(STUDY) --labels gold --labels mv
	$(BIN)/hungjury study markov $(STUDY) --labels gold --labels mv
	$(BIN)/hungjury study markov --data ../shared/data/trec8 -o studies-results/trec8
	$(BIN)/hungjury study crowd $(STUDY) --rel 2
	$(BIN)/hungjury study aware $(STUDY) --rel 2
	$(BIN)/python -m benchmarks.truth.coverage -o studies-results/coverage.csv
	$(BIN)/python -m benchmarks.truth --docs docs -o studies-results/truth.csv
	$(BIN)/python -m benchmarks.truth.gold --docs docs -o studies-results/gold.csv
	$(BIN)/python -m benchmarks.truth.path
	$(BIN)/python -m benchmarks.truth.best

# Wheels in dist/ for Python 3.10 to 3.14, each tested where no compiler is, with the bill of materials.
wheels: $(VENV)/ready
	rm -rf dist .venv-wheel
	$(BIN)/python tools/wheels.py --output dist
	$(PYTHON) -m venv --without-pip .venv-wheel
	$(INSTALL) .venv-wheel/bin/python --no-index --find-links dist --no-deps hungjury
	$(INSTALL) .venv-wheel/bin/python hungjury --find-links dist
	$(BIN)/python -m cyclonedx_py environment --output-reproducible -o dist/hungjury.cdx.json .venv-wheel/bin/python
	@ls dist

# The oldest versions that pyproject.toml allows, with the oldest Python; without what they cannot run.
LOWEST ?= $(shell for one in python3.10 "$$HOME"/.pyenv/versions/3.10.*/bin/python $(PYTHON); do \
	$$one -c "" 2> /dev/null && echo $$one && break; done)
test-lowest: $(BIN)/uv
	$(LOWEST) -m venv --clear --without-pip .venv-lowest
	$(INSTALL) .venv-lowest/bin/python --resolution lowest-direct \
		--editable '.[tables,report,ltr]' 'pytest>=8' 'pytest-xdist>=3' 'hypothesis>=6.130' 'pandas>=2' 'polars>=1' \
		'fsspec>=2023.6'
	.venv-lowest/bin/python -m pytest -n auto -m 'not (browser or notebook or cluster or long)' \
		tests/base tests/data tests/measures tests/judges tests/leaderboard tests/stats tests/comparison

# Changes the code in 300 small ways and lists the changes that no test notices; what is done is kept.
mutants: $(VENV)/ready
	$(BIN)/python tools/mutate.py --count 300 --seed 1

# The native parsers under hostile text, with the address and undefined-behaviour sanitizers.
ROUNDS ?= 20000
sanitize: build/fuzz
	build/fuzz $(ROUNDS)

build/fuzz: tests/native/fuzz.cpp $(wildcard src/hungjury/native/*.h)
	mkdir -p build
	$(CXX) -std=c++17 -O1 -g -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=all \
		-Isrc/hungjury/native $< -o $@

clean:
	rm -rf $(VENV) .venv-bench .venv-engines .venv-wheel .venv-lowest build dist demo docs/_build docs/_extra studies-results .mypy_cache .pytest_cache .ruff_cache .hypothesis
