"""Measurements, each a command: `python -m benchmarks.NAME`. They are not installed with the packages."""
