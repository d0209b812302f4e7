#!/usr/bin/env python3
"""Checks that what the documents name exists: paths and symbols in backticks, and targets of links.

    .ci/check_documents.py [DOCUMENT ...]

Paths are looked for from the repository's root and from the document's folder; {a,b} and * are expanded. A symbol is a
type (`Timeline`, `Timeline.append`) or a C name (`ck_format_of`): each of its words must stand in the sources.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "Tests/README.md", "Benchmarks/README.md",
             "Benchmarks/SPEED.md", "Tools/DemoModels/README.md"]
SOURCES = ["Sources", "CKernels", "Tests", "Benchmarks/Sources", "Package.swift"]
SYMBOL = re.compile(r"[A-Z][a-z0-9]+[A-Za-z0-9]*(\.[a-z]\w*)?|ck_\w+|CK_\w+")


def expand(text):
    """a/{b,c} -> a/b, a/c."""
    match = re.search(r"\{([^{}]*)\}", text)
    if not match:
        return [text]
    return [path for part in match[1].split(",") for path in expand(text[:match.start()] + part + text[match.end():])]


def files():
    """What git tracks, and the folders of it."""
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout.split("\n")
    paths = [Path(path) for path in tracked if path and (ROOT / path).exists()]
    return {str(path) for path in paths} | {str(folder) for path in paths for folder in path.parents}


def words():
    text = "".join(path.read_text(encoding="utf-8", errors="ignore") for source in SOURCES
                   for path in ([ROOT / source] if (ROOT / source).is_file() else (ROOT / source).rglob("*"))
                   if path.suffix in (".swift", ".c", ".h", ".inc", ".md") and ".build" not in path.parts)
    return set(re.findall(r"\w+", text))


def exists(path, folder, tracked):
    for start in (ROOT, folder):
        matches = list(start.glob(path)) if "*" in path else [start / path]
        if any(str(match.resolve().relative_to(ROOT)) in tracked for match in matches
               if match.resolve().is_relative_to(ROOT)):
            return True
    return False


def check(document, tracked, known):
    path = ROOT / document
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    tops = {name.split("/")[0] for name in tracked} | {folder.name for folder in path.parent.iterdir()}
    for target in re.findall(r"\]\(([^)#:\s]+)\)", text):
        if not exists(target, path.parent, tracked):
            yield f"link to {target}"
    for code in re.findall(r"`([^`\n]+)`", text):
        if re.fullmatch(r"[\w-]+/", code):
            if not any(Path(name).name == code[:-1] for name in tracked):
                yield f"folder {code}"
            continue
        code = code.rstrip("/")
        if re.fullmatch(r"[\w.{},*+/-]+", code) and "/" in code and code.split("/")[0] in tops and ".build" not in code:
            yield from (f"path {name}" for name in expand(code) if not exists(name, path.parent, tracked))
        elif re.fullmatch(r"[\w+-]+\.(swift|c|h|py|md|csv|svg|inc)", code):
            if not any(Path(name).name == code for name in tracked):
                yield f"file {code}"
        elif SYMBOL.fullmatch(code.split("(")[0]) and not exists(code, path.parent, tracked):
            yield from (f"symbol {code}" for word in code.split("(")[0].split(".") if word not in known)


def main():
    tracked, known, lost = files(), words(), 0
    for document in sys.argv[1:] or DOCUMENTS:
        for what in dict.fromkeys(check(document, tracked, known)):
            print(f"{document}: {what}")
            lost += 1
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
