"""Metadata that all packages share, from package.json, which need not have the addresses."""

import json
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SharedMetadata(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        described = json.loads((Path(self.root).parent / "package.json").read_text(encoding="utf-8"))
        name, _, address = described["author"].rstrip(">").partition(" <")
        metadata["authors"] = [{"name": name, "email": address} if address else {"name": name}]
        metadata["license"] = described["license"]
        addresses = {
            "Homepage": described.get("homepage"),
            "Source": described.get("repository", {}).get("url", "").removeprefix("git+"),
            "Issues": described.get("bugs"),
        }
        metadata["urls"] = {title: address for title, address in addresses.items() if address}
