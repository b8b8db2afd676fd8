# One short verb a chore. `make run` and `make test` are all a new machine needs.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
NPM := npm --no-fund --no-audit --loglevel=error
# Also where Python is told to write no bytecode: a start without it takes half as long again.
COMPILE := $(BIN)/python -m compileall -q gateway functions/runner

# What root makes in another's folder its owner cannot use, change or remove.
ifneq ($(SUDO_UID),)
ifneq ($(shell ls -nd . | awk '{print $$3}'),0)
$(error run make without sudo: this folder is not root's)
endif
endif

.PHONY: run test parity check bench format build clean

run: .venv/.run web/dist/.built
	@exec $(BIN)/gateway dev

# Some processes share the machine; a module's tests stay together. What fails beside others is asked once more alone,
# for a machine may have been too busy: what fails twice, fails, and so do more than two that passed only then.
export SECOND_TRIES = $(CURDIR)/.second-tries
define pytest
	$(BIN)/python -m tests.second_try -n $(2) --dist loadscope $(1)
endef

# What the tests prove of the official clients' methods, for the parity page.
PARITY := $(CURDIR)/.parity
test: export PARITY_RESULTS = $(PARITY)
test: .venv/.dev web/dist/.built supabase-compat/node_modules/.installed
	$(MAKE) check
	@rm -rf $(PARITY) $(SECOND_TRIES)
	$(NPM) --prefix supabase-compat test
	$(NPM) --prefix web test
	$(BIN)/python tests/browser.py
	$(call pytest,--ignore tests/e2e --ignore tests/ha --ignore tests/compose,3) # many of these wait
	$(call pytest,tests/e2e,2) # apart: the browser's driver keeps an event loop in each process
	$(BIN)/python -m tests.parity --check

# Every browser test with the site built on the official client; `make test` runs those that touch the API most.
.PHONY: test-official
test-official: export SITE_CLIENT = official
test-official: .venv/.dev web/dist/.built supabase-compat/node_modules/.installed
	@rm -rf $(SECOND_TRIES)
	$(BIN)/python tests/browser.py
	$(call pytest,tests/e2e,2)

# Two gateways, a balancer, a pooler and a replica, each killed under load, and the contract through the pooler; installs
# HAProxy and PgBouncer if need be.
.PHONY: test-ha
THROUGH_POOLER := tests/contract/test_cases.py tests/contract/test_outage.py tests/gateway/database/test_pool.py
test-ha: .venv/.dev
	$(BIN)/python -m tests.ha.packages
	@rm -rf $(SECOND_TRIES)
	$(BIN)/pytest tests/ha -s
	export TEST_POOLER=1; $(call pytest,$(THROUGH_POOLER),2)

# The containers of compose.yaml: built, used, killed, stopped; needs Docker.
.PHONY: test-compose
test-compose: .venv/.dev
	$(BIN)/pytest tests/compose -s

# Writes the parity page from what the last `make test` saw.
parity:
	$(BIN)/python -m tests.parity

check: .venv/.dev web/node_modules/.installed supabase-compat/node_modules/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m tests.scan # secrets, licences, dependencies, known vulnerabilities
	@for main in functions/*/main.py; do $(BIN)/mypy $$main || exit 1; done # folders with a hyphen are no packages
	$(NPM) --prefix supabase-compat run check
	$(NPM) --prefix web run check

bench: .venv/.dev web/dist/.built supabase-compat/node_modules/.installed
	$(BIN)/python -m tests.bench

chaos: .venv/.dev
	$(BIN)/python -m tests.chaos
	CHAOS_CHANGES=2000 $(BIN)/pytest -q tests/realtime/changes -k killed

# Breaks modules in small ways and prints how many the tests named for them notice; MUTANTS=0 for every one there is.
.PHONY: mutants
MUTANTS ?= 15
mutants: .venv/.dev .venv/.mutation web/dist/.built
	PYTHONPATH=.venv/mutation $(BIN)/python -m tests.mutation --each $(MUTANTS)

.venv/.mutation: .venv/.dev tests/mutation/requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade --target .venv/mutation --require-hashes -r tests/mutation/requirements.lock
	@touch $@

# Every address, by what its document says of it, and something else each time; so many seconds for each of eleven rows.
.PHONY: fuzz
fuzz: export FUZZ_SECONDS ?= 60
fuzz: .venv/.dev web/dist/.built
	$(BIN)/pytest tests/fuzz -s

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

build: web/dist/.built

clean:
	rm -rf .venv .parity .second-tries gateway/console/page web/dist web/node_modules supabase-compat/node_modules supabase-compat/dist

.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: Python 3.11 or newer is needed (PYTHON=… names one)" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/.run: .venv/.python gateway/requirements.lock pyproject.toml schema/pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r gateway/requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e schema
	$(COMPILE)
	@touch $@

.venv/.dev: .venv/.python tests/requirements.lock pyproject.toml schema/pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r tests/requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e schema
	$(COMPILE)
	@touch $@ .venv/.run

.PHONY: node
node:
	@command -v node >/dev/null || { echo "make: Node.js 20 or newer is needed to build the site" >&2; exit 1; }
	@node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' || { echo "make: Node.js 20 or newer is needed, this is $$(node --version)" >&2; exit 1; }

supabase-compat/node_modules/.installed: supabase-compat/package-lock.json | node
	$(NPM) --prefix supabase-compat ci
	@touch $@

web/node_modules/.installed: web/package-lock.json | node
	$(NPM) --prefix web ci
	@touch $@

web/dist/.built: web/node_modules/.installed $(shell find web/src web/public web/scripts supabase-compat/src -type f \( -name '*.ts' -o -name '*.tsx' -o -name '*.css' -o -name '*.mjs' -o -name '*.svg' -o -name '*.json' \) 2>/dev/null) $(wildcard functions/*/*.form.json functions/*/*.next.json) web/index.html web/console.html web/package.json $(wildcard web/*.ts web/tsconfig*.json)
	$(NPM) --prefix web run build
	@touch $@

# Pins every package anew; needs uv (`pip install uv`).
.PHONY: lock
lock:
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra build pyproject.toml -o gateway/requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra build --extra dev pyproject.toml -o tests/requirements.lock
	echo 'cosmic-ray>=8.7,<9' | uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate - -o tests/mutation/requirements.lock
