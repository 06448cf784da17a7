"""What all packages share: exceptions, notation, material, boards, parallel work and console helpers.

Imports none of the other packages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

__version__ = "0.1.0"


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package (PEP 562) whose names are imported on first use.

    Commands start faster for it. `modules` maps public names to the modules that define them.
    """

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return load
