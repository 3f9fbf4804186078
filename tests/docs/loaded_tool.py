"""A script of tools/, imported as a module."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from tests.conftest import ROOT


def loaded_tool(name: str) -> ModuleType:
    spec = spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)  # where dataclasses look their module up
    spec.loader.exec_module(module)
    return module
