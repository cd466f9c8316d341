"""What a wheel carries besides the sources: with SERPENOID_LIBRARIES=FOLDER the libraries of a platform, and its tag (`compiled.wheels`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Libraries(BuildHookInterface):  # type: ignore[type-arg]
    """Libraries of one platform for the wheel of that platform; none for the wheel of every platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the libraries and the tag."""
        folder = os.environ.get("SERPENOID_LIBRARIES")
        if folder is None or self.target_name != "wheel" or version == "editable":
            return
        for path in sorted(Path(folder).glob("*-*")):
            build_data["force_include"][str(path)] = f"serpenoid/compiled/libraries/{path.name}"
        build_data["pure_python"], build_data["tag"] = False, f"py3-none-{Path(folder).name}"
