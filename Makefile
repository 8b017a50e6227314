# make demo | test | bench | repro | docs | fuzz

CARGO ?= cargo
PYTHON ?= python3
VENV := .venv

.PHONY: demo test rust-test python-test bench bench-tools repro docs fuzz

demo:
	$(CARGO) run --release -p hedgerow-cli --bin hedgerow -- demo

test: rust-test python-test

rust-test:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace

python-test:
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet -r python/requirements-test.txt
	cd python && VIRTUAL_ENV=$(CURDIR)/$(VENV) $(CURDIR)/$(VENV)/bin/maturin develop --quiet
	HEDGEROW_PROGRAM=$(CURDIR)/target/debug/hedgerow $(VENV)/bin/python -m pytest -q python/tests

# What the scripts in benches/ need. BENCH_PYTHON=python3 takes an interpreter that has it already.
BENCH_PYTHON ?= $(VENV)/bin/python

bench-tools:
	$(CARGO) build --release -p hedgerow-cli --bins --examples
	test -x $(BENCH_PYTHON) || command -v $(BENCH_PYTHON) >/dev/null || $(PYTHON) -m venv $(VENV)
	$(BENCH_PYTHON) -c "import numpy, sklearn" 2>/dev/null || $(BENCH_PYTHON) -m pip install --quiet -r benches/requirements.txt

bench: bench-tools
	$(BENCH_PYTHON) benches/exact_svm.py

repro: bench-tools
	@echo "Reproducible results, each by one command:"
	@echo "  $(BENCH_PYTHON) benches/oracle.py      the same answers as LIBSVM"
	@echo "  $(BENCH_PYTHON) benches/exact_svm.py   training and prediction times beside other programs"
	@echo "  $(BENCH_PYTHON) benches/read_speed.py  reading speed"
	@echo "  $(BENCH_PYTHON) benches/memory.py      the cache option bounds the memory"
	@echo "  $(BENCH_PYTHON) benches/repro_local.py      published tables of local machines on small sets (hours)"
	@echo "  $(BENCH_PYTHON) benches/repro_selection.py  published tables of feature selection (hours)"
	@echo "  $(BENCH_PYTHON) benches/repro_noise.py      published tables of noise reduction (20 minutes)"
	@echo "  $(BENCH_PYTHON) benches/repro_rare.py       published tables of ranking rare classes (20 minutes)"
	@echo "  $(BENCH_PYTHON) benches/repro_kdd.py        published figure of intrusion detection (15 minutes)"
	@echo "  $(BENCH_PYTHON) benches/repro_simulated.py  published table of simulated rare classes (20 minutes)"
	@echo "  $(BENCH_PYTHON) benches/repro_proximal.py   published tables of proximal classifiers (2 minutes)"
	@echo "  $(BENCH_PYTHON) benches/hlsvm.py DATA       published tables of trees of linear SVMs"
	@echo "  all benchmarks and what they answer: benches/README.md"
	$(BENCH_PYTHON) benches/repro_local.py --sets sonar,heart --kernels rbf
	@if [ -n "$$LIBSVM_BIN" ] || command -v svm-train >/dev/null; then $(BENCH_PYTHON) benches/oracle.py --quick; \
	else echo "Without LIBSVM's programs (Debian: libsvm-tools; or set LIBSVM_BIN) nothing was compared with them."; fi

docs:
	$(CARGO) doc --workspace --no-deps
	@if command -v mdbook >/dev/null; then mdbook build docs; else echo "mdbook is not installed (cargo install mdbook): guide not built"; fi

# Needs a nightly toolchain and cargo-fuzz; SECONDS a target.
SECONDS ?= 60
fuzz:
	cd fuzz && for target in $$($(CARGO) +nightly fuzz list); do $(CARGO) +nightly fuzz run $$target -- -max_total_time=$(SECONDS) || exit 1; done
