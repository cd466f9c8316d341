# make run: simulate the creeping robot.   make test: all checks.   Each sets everything up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PAGE := src/serpenoid/studio/page/.digest

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCKED := --require-hashes --only-binary :all:

.PHONY: setup libraries web run test prove lint docs dist study bench lock clean

setup: $(VENV)/.ready

# what `make run` needs: about half of what the checks need
$(VENV)/.runs: requirements-run.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "serpenoid needs Python 3.11 or newer")'
	@echo "installing serpenoid and what it needs into $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) $(LOCKED) -r requirements-run.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.ready: requirements.lock $(VENV)/.runs
	@echo "installing what the checks need into $(VENV) ..."
	@$(PIP) $(LOCKED) -r requirements.lock
	@touch $@

# the kernels, compiled ahead of time for this machine
libraries: $(VENV)/.runs
	@$(BIN)/python -m serpenoid.compiled.build

# the studio's page: kernels as WebAssembly, scripts; needs node (else the wheel's) and, the first time, the npm registry
web: libraries
	@$(BIN)/python web/make.py

# the first time, the page is built beside the run, which tells its numbers as soon as it has them
run: $(VENV)/.runs
	@if [ -f $(PAGE) ]; then $(BIN)/python web/make.py; exec $(BIN)/serpenoid run creep; fi; \
	$(BIN)/python web/make.py & \
	$(BIN)/serpenoid run creep; ran=$$?; wait $$!; made=$$?; [ $$ran -eq 0 ] || exit $$ran; \
	[ $$made -ne 0 ] || $(BIN)/serpenoid export creep --to html --out out/creep/creep.html

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint web
	$(BIN)/pytest -n 2 --dist loadfile

# the full counts of the checks that `make test` samples
prove: setup web
	SERPENOID_PROVE=1 $(BIN)/pytest -n 2 --dist loadfile

# the site, in build/site/html: examples and studies are run; warnings are errors
docs: setup web
	$(BIN)/python docs/site/build.py

# source archive, the wheel for every platform, and those with libraries: all with the built page
PLATFORMS := manylinux_2_17_x86_64 manylinux_2_17_aarch64 macosx_11_0_arm64 macosx_11_0_x86_64
dist: web
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python -m serpenoid.compiled.wheels build/libraries $(PLATFORMS)
	for name in $(PLATFORMS); do SERPENOID_LIBRARIES=build/libraries/$$name $(BIN)/python -m hatchling build -t wheel -d dist || exit 1; done

study: $(VENV)/.runs
	$(BIN)/serpenoid study ma2001

bench: setup
	$(BIN)/serpenoid bench planar

# writes both lock files anew, the smaller with the versions of the larger; needs uv
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header
lock:
	$(LOCK) --extra engines --extra cluster --extra rl --extra mcap --extra hardware --group dev --group docs -o requirements.lock
	$(LOCK) --group checkout -c requirements.lock -o requirements-run.lock

clean:
	rm -rf $(VENV) out build dist web/node_modules web/build src/serpenoid/studio/page src/serpenoid/compiled/libraries .mypy_cache .ruff_cache .pytest_cache .hypothesis
