# make run: simulate the creeping robot.   make test: all checks.   Each sets everything up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup web run test prove lint docs dist study bench lock clean

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "serpenoid needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# the studio's page: kernels as WebAssembly, scripts; needs node (else the wheel's) and, the first time, the npm registry
web: setup
	$(BIN)/python web/make.py

run: setup
	-@$(BIN)/python web/make.py
	$(BIN)/serpenoid run creep

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint web
	$(BIN)/pytest -n 2 --dist loadfile

# the full counts of the checks that `make test` samples
prove: web
	SERPENOID_PROVE=1 $(BIN)/pytest -n 2 --dist loadfile

# the site, in build/site/html: examples and studies are run; warnings are errors
docs: web
	$(BIN)/python docs/site/build.py

# wheel and source archive, both with the built page
dist: web
	$(BIN)/python -m hatchling build -d dist

study: setup
	$(BIN)/serpenoid study ma2001

bench: setup
	$(BIN)/serpenoid bench planar

# writes requirements.lock anew; needs uv
lock:
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-annotate --no-header --extra engines --extra cluster --extra rl --extra mcap --extra hardware --group dev --group docs -o requirements.lock

clean:
	rm -rf $(VENV) out build dist web/node_modules web/build src/serpenoid/studio/page .mypy_cache .ruff_cache .pytest_cache .hypothesis
