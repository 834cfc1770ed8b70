"""What every benchmark promises, asked of the whole registry."""

from importlib import import_module

import pytest

from tests.benchmarks.run import BENCHMARKS

EVERY = pytest.mark.parametrize("name", BENCHMARKS)


@EVERY
def test_a_benchmark_says_what_it_measures_and_can_be_run(name: str) -> None:
    module = import_module(f"tests.benchmarks.bench_{name}")
    assert BENCHMARKS.count(name) == 1
    assert module.__doc__
    assert callable(module.main)
