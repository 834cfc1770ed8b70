# make run    open the demonstration        make test   every check but the slow suites
# make setup  only prepare .venv            make bench  the benchmarks' tables
.DEFAULT_GOAL := help
.PHONY: help setup run test test-slow bench lint lock clean

export RUFF_CACHE_DIR := .cache/ruff
export MYPY_CACHE_DIR := .cache/mypy
# how many tests at once; the machine that all figures are from has 2 cores
JOBS ?= 2
PYTEST := .venv/bin/python -m pytest -q -o cache_dir=.cache/pytest

help:
	@echo "make run | test | setup | test-slow | bench | lint | lock | clean  (see README.md)"

setup:
	@bash packaging/setup.sh dev

run:
	@bash packaging/setup.sh app
	.venv/bin/benchseal demo

lint: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports --cache-dir .cache/import-linter
	.venv/bin/mypy

test: setup
	.venv/bin/lint-imports --cache-dir .cache/import-linter
	.venv/bin/ruff check .
	.venv/bin/mypy
	$(PYTEST) -m "not slow" -n $(JOBS) --dist loadfile

test-slow: setup
	$(PYTEST) -m slow

bench: setup
	.venv/bin/python -m tests.benchmarks.run $(BENCH)

lock: setup
	bash packaging/lock.sh

clean:
	rm -rf .venv .tools .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf build dist
	find core db gui resources tests packaging -name __pycache__ -type d -prune -exec rm -rf {} +
