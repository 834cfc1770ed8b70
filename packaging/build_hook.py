"""What a build of the wheel does first: compile the gettext catalogues, which git does not keep."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledCatalogues(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 hatch's
        messages = runpy.run_path(str(Path(self.root) / "packaging" / "messages.py"))
        messages["compile_catalogues"]()
