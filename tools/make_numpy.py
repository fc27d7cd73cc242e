#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: make_numpy.py page | examples. Prints docs/numpy.md, or tests/golden/numpy_names.inc, the page's examples as C++,
from tools/numpy_names.txt and the values that NumPy gives (tests/golden/numpy_values.txt, written by
tests/golden/numpy_names.py).

It is an error if an example has no value there, or if include/koine/numpy_names.hpp, which refuses NumPy's names with
what to write, and the table do not name the same ones."""
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
# Words that programs use for things of their own, which `using namespace koine` must not hide; a keyword; and what is called
# without arguments. The header refuses none of them.
UNREFUSED = set("angle block choose compress delete extract get_printoptions identity indices insert load ndim place put "
                "resize save select shape size split".split())
values_path = root / "tests" / "golden" / "numpy_values.txt"


class Row:
    """A name with its spelling and, unless `numpy` is empty, an example in both languages."""

    def __init__(self, line):
        fields = [field.replace("\\|", "|") for field in line.split(" | ")]
        if len(fields) not in (2, 4, 5):
            sys.exit(f"make_numpy: {len(fields)} fields, not 2, 4 or 5: {line}")
        self.name, self.spelling, self.numpy, self.koine, self.remark = fields + [""] * (5 - len(fields))
        self.same = self.spelling == "="
        if self.same:
            self.spelling = re.sub(r"^(np|rng)\.", "", self.name)
        if self.koine == "=":
            self.koine = self.numpy.removeprefix("np.")


def read_table():
    """The arrays of the examples, each with its two definitions, and the rows under their chapters."""
    given, chapters = {}, {}
    for line in (root / "tools" / "numpy_names.txt").read_text().splitlines():
        if line.startswith("["):
            rows = chapters.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            if chapters:
                rows.append(Row(line))
            else:
                name, _, both = line.partition(" = ")
                given[name] = both.split(" | ")
    return given, chapters


def read_values(rows):
    """What each example gives, by its NumPy expression: kind, shape, values."""
    values = {}
    if values_path.exists():
        for line in values_path.read_text().splitlines():
            if not line.startswith("#"):
                expression, *value = json.loads(line)
                values[expression] = value
    lost = [row.numpy for row in rows if row.numpy and row.numpy not in values]
    if lost:
        sys.exit(f"make_numpy: run tests/golden/numpy_names.py, which needs NumPy: no values of {', '.join(lost)}")
    return values


def check_refused(rows):
    """The header's names stand in the table, and those that could stand in the header do."""
    folder = root / "include" / "koine"
    header = (folder / "numpy_names.hpp").read_text()
    refused = set(re.findall(r"^KOINE_WRITE\((\w+),", header, re.M))
    declared = "\n".join(path.read_text() for path in folder.glob("*.hpp"))
    other = {row.name for row in rows if not row.same and row.name.startswith("np.")}
    problems = [f"{name} of include/koine/numpy_names.hpp is not in tools/numpy_names.txt"
                for name in sorted(refused) if "np." + name not in other]
    for row in rows:
        name = row.name.removeprefix("np.")
        if row.name not in other or not re.fullmatch(r"\w+", name) or not re.search(rf"np\.{name}\(", row.numpy):
            continue
        if name not in UNREFUSED | refused and not re.search(rf"(Array|DType|bool|string) {name}\(", declared):
            problems.append(f"include/koine/numpy_names.hpp could refuse {name}: KOINE_WRITE({name}, \"{row.spelling}\")")
    if problems:
        sys.exit("\n".join(["make_numpy:", *problems]))


def shown(value):
    """A value as a reader writes it."""
    kind, shape, flat = value
    if kind == "s":
        return json.dumps(flat)
    if kind == "c":
        parts = [f"{re:.6g}{im:+.6g}i" for re, im in zip(flat[::2], flat[1::2])]
    elif kind == "b":
        parts = ["true" if x else "false" for x in flat]
    else:
        parts = [f"{x:.6g}" if kind == "f" else str(x) for x in flat]

    def nested(sizes, first, count):
        if not sizes:
            return parts[first]
        step = count // sizes[0]
        return "[" + ", ".join(nested(sizes[1:], first + k * step, step) for k in range(sizes[0])) + "]"
    return nested(shape, 0, len(parts))


def code(text):
    """Code within a cell of a table."""
    return "`" + text.replace("|", "\\|") + "`"


def page(given, chapters, values):
    rows = [row for part in chapters.values() for row in part]
    same = sum(row.same for row in rows)
    missing = sum(row.spelling.startswith("not there yet") for row in rows)
    none = sum(not row.numpy for row in rows) - missing
    examples = sum(bool(row.numpy) for row in rows)
    lines = [
        "# NumPy's names", "",
        "Made by `tools/make_numpy.py` from `tools/numpy_names.txt` (`ci/checks/check_generated` sees to it); edit that. Each example is",
        "compiled and run by `tests/device/test_numpy_names.cpp`, and its shape, kind and values are those that NumPy gave",
        "(`tests/golden/numpy_names.py`).", "",
        f"{len(rows)} names: {same} are the same in Koine, {len(rows) - same - missing - none} are spelled in another way,"
        f" {missing} are not there yet, and for {none} it", f"says what to do instead. {examples} examples.", "",
        "In general:", "",
        "- A C++ compiler that meets a function of NumPy's that Koine spells in another way says what to write, as its first error.",
        "- Axes are what NumPy's are: `sum(a, 0)`, `sum(a, {0, 1})`. All other options have names: `sum(a, {.axis = 0, .keepdims =",
        "  true})`, `arange(5, {.dtype = int32})`. A type may stand last in functions that create: `zeros({2, 3}, float64)`.",
        "- Numbers become float32 unless `set_default_dtype(float64)` says otherwise, where NumPy takes float64.",
        "- An Array is a value: what is read from another is a copy of its own, as if NumPy's `.copy()` stood behind each subscript.",
        "  Only `a(...) = x` and `a += x` change an array.",
        "- Nothing is computed before a value is looked at.", "",
        "The examples stand behind `using namespace koine;`. They are about these arrays:", "",
        "| | NumPy | Koine |", "|---|---|---|"]
    lines += [f"| `{name}` | {code(numpy)} | {code(koine)} |" for name, (numpy, koine) in given.items()]
    for chapter, part in chapters.items():
        lines += ["", f"## {chapter}", "", "| NumPy | Koine | the example in NumPy, in Koine | gives | |", "|---|---|---|---|---|"]
        for row in part:
            if row.numpy:
                both = code(row.numpy) if row.numpy == row.koine else f"{code(row.numpy)}<br>{code(row.koine)}"
                remark = row.remark.replace("|", "\\|")
                lines.append(f"| {code(row.name)} | {code(row.spelling)} | {both} | {code(shown(values[row.numpy]))} | {remark} |")
            else:
                words = row.spelling.replace("not there yet", "**not there yet**").replace("|", "\\|")
                lines.append(f"| {code(row.name)} | {words} | | | |")
    return lines


def number(value):
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return str(value)


def examples(given, chapters, values):
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// Made by tools/make_numpy.py: KN_GIVEN(name, value); KN_EXAMPLE(text, kind of the elements, shape, values,",
             "// the result if it is a text, the example)"]
    lines += [f"KN_GIVEN({name}, {koine})" for name, (_, koine) in given.items()]
    for row in (row for part in chapters.values() for row in part if row.numpy):
        kind, shape, flat = values[row.numpy]
        text, flat = (flat, []) if kind == "s" else ("", [int(x) if kind == "b" else x for x in flat])
        *before, result = row.koine.split("; ")
        body = "".join(statement + "; " for statement in before) + f"return {result};"
        lines.append(f"KN_EXAMPLE({json.dumps(row.koine)}, '{kind}', (Shape{{{', '.join(map(str, shape))}}}), "
                     f"(V{{{', '.join(map(number, flat))}}}), {json.dumps(text)}, {body})")
    return lines


def main():
    if sys.argv[1:] not in (["page"], ["examples"]):
        sys.exit(__doc__)
    given, chapters = read_table()
    rows = [row for part in chapters.values() for row in part]
    check_refused(rows)
    print("\n".join({"page": page, "examples": examples}[sys.argv[1]](given, chapters, read_values(rows))))


if __name__ == "__main__":
    main()
