"""Checks the compose file and the Kubernetes manifests in deploy/ against their schemas; prints their documents as JSON."""

import json
import sys
from pathlib import Path

import yaml
from compose_spec import PyCompose
from kubernetes_validate import latest_version, validate

folder = Path(__file__).parent.parent / "deploy"

compose = yaml.safe_load((folder / "compose" / "compose.yaml").read_text())
specification = PyCompose.from_json(json.dumps(compose))
specification.validate()
specification.to_spec()


def manifests(base: str) -> list:
    found = []
    for path in sorted((folder / base).glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            # Kinds that only kubectl reads have no schema.
            if document["kind"] != "Kustomization":
                validate(document, latest_version(), strict=True)
            found.append(document)
    return found


kubernetes = {"kubernetes": manifests("kubernetes"), "single": manifests("kubernetes-single")}
json.dump({"compose": compose, **kubernetes}, sys.stdout)
