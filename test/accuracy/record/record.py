#!/usr/bin/env python3
"""Writes test/accuracy/GROUP.jsonl.gz, one function a line, with values and derivatives of 50 digits (mpmath), rounded.

    python3 record.py GROUP [REGEX]

GROUP names the module of this folder that lists the functions as FUNCTIONS.

With REGEX only the functions whose names match are recorded again; the other lines stay as they are.
"""
import gzip
import importlib
import json
import re
import sys
import time
from pathlib import Path


def lines_of(path):
    if not path.exists():
        return {}
    with gzip.open(path, "rt") as file:
        return {json.loads(line)["function"]: line for line in file}


def main(group, pattern=""):
    path = Path(__file__).parent.parent / f"{group}.jsonl.gz"
    functions = importlib.import_module(group).FUNCTIONS
    lines = lines_of(path)
    kept = {}
    for function in functions:
        if re.search(pattern, function.name) or function.name not in lines:
            start = time.time()
            recorded = function.record()
            print(f"{function.name}: {len(recorded['points'])} points, {time.time() - start:.1f} s", flush=True)
            kept[function.name] = json.dumps(recorded, separators=(",", ":")) + "\n"
        else:
            kept[function.name] = lines[function.name]
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as file:
        for name in sorted(kept):
            file.write(kept[name].encode())
    print(f"{path}: {len(kept)} functions, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
