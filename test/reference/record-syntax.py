#!/usr/bin/env python3
"""What stanc 2.40 reports about programs: python3 record-syntax.py CASES.jsonl [--changed] > RECORDED.jsonl

CASES.jsonl has one JSON object per line with an `id`, a `program` and, for some, `includes`. The compiler is part of the
package stanli (`pip install stanli==0.24.0`). It returns errors but no warnings, has no name for the model, and lists other
include paths than stanc's command line. With `--changed` the output has only the cases with another error than recorded, each
with its `id`, `source` and the new `error`.
"""
import ctypes
import json
import os
import re
import sys
import tempfile

import stanli

SOURCE = "stanc 2.40"
HEADLINE = re.compile(
    r"(?:Syntax|Semantic) error in '(?P<file>[^']*)', line (?P<line>\d+), column (?P<column>\d+)"
    r"(?:, included from\n.*?)*?"
    r"(?: to (?:line (?P<end_line>\d+), )?column (?P<end_column>\d+))?(?:, (?P<kind>\w+) error)?:\n",
    re.DOTALL,
)


def compile_program(text, includes):
    """The error that stanc reports, or None."""
    buffer = ctypes.create_string_buffer(1 << 20)
    paths = (ctypes.c_char_p * len(includes))(*[path.encode() for path in includes])
    result = stanli._lib.stanli_stan_to_mir_with_opts(text.encode(), paths, len(includes), 0, buffer, len(buffer))
    if not result:
        return buffer.value.decode()
    stanli._lib.stanli_string_free(result)
    return None


def output_of(case):
    includes = case.get("includes")
    if includes is None:
        return compile_program(case["program"], [])
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in includes.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", newline="") as file:
                file.write(text)
        os.chdir(folder)
        try:
            return compile_program(case["program"], ["."])
        finally:
            os.chdir(before)


def error_of(message):
    text = message.replace("'string'", "'program.stan'").replace("in string,", "in program.stan,")
    found = HEADLINE.match(text)
    if found is None:
        raise ValueError(f"unknown form of an error: {text!r}")
    line = int(found["line"])
    kind = {"parsing": "syntax", None: "semantic"}.get(found["kind"], found["kind"])
    error = {"kind": kind, "line": line, "column": int(found["column"])}
    if found["end_column"] is not None:
        error["end_line"] = int(found["end_line"] or line)
        error["end_column"] = int(found["end_column"])
    if found["file"] != "program.stan":
        error["file"] = found["file"].removeprefix("./")
    return {**error, "message": text.rstrip("\n")}


def record(case):
    message = output_of(case)
    given = {key: value for key, value in case.items() if key in ("id", "program", "includes")}
    if message is None:
        return {**given, "verdict": "accepted"}
    return {**given, "verdict": "rejected", "error": error_of(message)}


def main(path, changed):
    with open(path, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file if line.strip()]
    for case in cases:
        recorded = record(case)
        if not changed:
            print(json.dumps(recorded, ensure_ascii=False))
        elif recorded.get("error", {}).get("message", "").strip() != case.get("error", {}).get("message", "").strip():
            print(json.dumps({"id": case["id"], "source": SOURCE, "error": recorded.get("error")}, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1], "--changed" in sys.argv)
