#!/usr/bin/env python3
"""Writes what Hugging Face's tokenizers makes of many texts with the real Gemma vocabularies.

usage: tokenizer_expectations.py --data FOLDER --corpus FOLDER [--output FOLDER]
  FOLDER of --data holds gemma3-tokenizer/tokenizer.json and gemma4-tokenizer/tokenizer.json.
"""
import argparse
import json
import os

import tokenizers

from fixturelib import expected, tokenizer_texts

DEFAULT = os.path.join(os.path.dirname(__file__), "..", "Fixtures", "tokenizer")

# Answers known from elsewhere: if these fail, the vocabulary or the library is not the right one.
KNOWN_GEMMA4 = {
    " Linus": [9684, 605], "Hannes": [236814, 29109], "\n": [107], "\n\n": [108], "a\n\n\nb": [236746, 109, 236763],
    "\n" * 32: [137, 107], "\u0e01\u0e31": [237057, 237083], "a  b": [236746, 138, 236763], " " * 31: [167],
    " " * 32: [167, 236743], " hi": [5631], "a\r\nb": [236746, 251, 107, 236763],
    "12345": [236770, 236778, 236800, 236812, 236810], "\U0001f3f3\ufe0f\u200d\U0001f308": [248177, 238178, 237243, 243712],
    "Der s\u00fc\u00dfe B\u00e4r isst sch\u00f6ne \u00c4pfel.":
        [17361, 23618, 16756, 603, 4793, 563, 540, 113775, 31083, 22744, 535, 236761],
    "Hi <turn|>\n<|turn>system\n": [10979, 655, 887, 111038, 107, 236820, 236909, 887, 236813, 9731, 107],
}


def without(content, unwanted):
    """A tokenizer whose added pieces are those that are not unwanted."""
    changed = dict(content, added_tokens=[piece for piece in content["added_tokens"] if not unwanted(piece)])
    return tokenizers.Tokenizer.from_str(json.dumps(changed))


def is_control(piece):
    """Marked special, or a marker of a conversation that the file does not mark (tool calls, channels, images)."""
    text = piece["content"]
    return (piece["special"] or text.startswith(("<|", "<start_of_", "<end_of_", "[multimodal"))
            or text.endswith(("|>", "_soft_token>")))


def compute(path, corpus):
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    special = {piece["id"] for piece in content["added_tokens"] if piece["special"]}
    controls = {piece["id"] for piece in content["added_tokens"] if is_control(piece)}
    full = tokenizers.Tokenizer.from_str(json.dumps(content))
    plain, bare = without(content, lambda piece: piece["special"]), without(content, is_control)
    cases = []
    for kind, text in tokenizer_texts.texts(corpus):
        ids = {name: one.encode(text, add_special_tokens=False).ids
               for name, one in (("special", full), ("plain", plain), ("bare", bare))}
        if set(ids["plain"]) & special or set(ids["bare"]) & controls:
            raise AssertionError(f"a control piece came out of the text {text!r}")
        case = dict(kind=kind, text=text, ids_special=ids["special"], ids_plain=ids["plain"])
        if ids["bare"] != ids["plain"]:
            case["ids_no_control"] = ids["bare"]
        decoded = plain.decode(ids["plain"], skip_special_tokens=False)
        if decoded != text:
            case["decoded_plain"] = decoded
        cases.append(case)
    return cases


def save(path, name, cases):
    seen = {case["text"]: case["ids_plain"] for case in cases}
    if name == "gemma4":
        for text, ids in KNOWN_GEMMA4.items():
            if seen[text] != ids:
                raise AssertionError(f"{text!r}: {seen[text]} in place of {ids}")
    lines = ",\n".join(" " + json.dumps(case, separators=(",", ":"), ensure_ascii=True) for case in cases)
    head = dict(format=1, name=name, provenance=dict(
        command="python3 Tests/Reference/tokenizer_expectations.py --data ... --corpus ...",
        versions=dict(expected.versions(), tokenizers=tokenizers.__version__)))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(json.dumps(head)[:-1] + ',\n"cases": [\n' + lines + "\n]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--output", default=DEFAULT)
    options = parser.parse_args()
    for name in ("gemma3", "gemma4"):
        cases = compute(os.path.join(options.data, f"{name}-tokenizer", "tokenizer.json"), options.corpus)
        save(os.path.join(options.output, f"expected-{name}.json"), name, cases)
        changed = [case["text"] for case in cases if "decoded_plain" in case]
        print(f"{name}: {len(cases)} texts; not restored by decoding: {changed}")
        print("  plain differs from special:", sum(c["ids_plain"] != c["ids_special"] for c in cases),
              " no-control differs from plain:", [c["text"] for c in cases if "ids_no_control" in c])


if __name__ == "__main__":
    main()
