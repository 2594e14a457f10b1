"""Metadata that all packages share, from package.json."""

import json
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SharedMetadata(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        described = json.loads((Path(self.root).parent / "package.json").read_text(encoding="utf-8"))
        metadata["authors"] = [{"name": described["author"]}]
        metadata["license"] = described["license"]
        metadata["urls"] = {
            "Homepage": described["homepage"],
            "Source": described["repository"]["url"].removeprefix("git+"),
            "Issues": described["bugs"],
        }
