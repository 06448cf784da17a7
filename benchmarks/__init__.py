"""Benchmarks, each a command: `python -m benchmarks.NAME`. Benchmarks are not installed with the packages."""
