#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Python has of Koine, from include/koine/*.hpp and tools/python_bound.txt, and what it says of that, from their
docstrings and tools/python_names.txt.

    make_python.py docs           prints python_docs.hpp: NumPy-style docstrings by name, for python/src
    make_python.py elementwise    prints python_elementwise.inc: KN_ELEMENTWISE(name) for each function of operands alone
    make_python.py table          prints docs/python-names.md: what of C++ is what in Python"""
import pathlib
import re
import sys
import textwrap

import make_api

root = make_api.root

# C++ types as annotations; for others the table's, by name.
ANNOTATIONS = {
    "Array": "Array", "Operand": "ArrayLike", "Scalar": "complex", "Shape": "ShapeLike", "Axis": "Axes", "DType": "DTypeLike",
    "Device": "DeviceLike", "bool": "bool", "double": "float", "int": "int", "std::int64_t": "int", "std::size_t": "int",
    "std::uint64_t": "int", "std::string": "str", "std::string_view": "str", "char*": "str", "std::vector<Array>": "tuple[Array, ...]",
    "void": "None", "UniqueAllResult": "UniqueAllResult", "UniqueCountsResult": "UniqueCountsResult",
    "UniqueInverseResult": "UniqueInverseResult", "TopkResult": "TopkResult", "HistogramResult": "HistogramResult",
    "std::vector<Device>": "list[Device]", "std::vector<DType>": "list[DType]", "FloatInfo": "FloatInfo", "MemoryStats": "MemoryStats", "Event": "Event", "IntegerInfo": "IntegerInfo",
}
# What annotations are in words.
WORDS = {"ArrayLike": "Array or number", "ShapeLike": "int or tuple of ints", "Axes": "int, tuple of ints or None",
         "DTypeLike": "dtype", "DeviceLike": "Device or str", "complex": "number", "DType": "dtype", "Sequence[Array]": "sequence of Arrays",
         "tuple[Array, ...]": "tuple of Arrays", "str | PathLike[str]": "path", "ShapeLike | tuple[tuple[int, int], ...]":
         "int, tuple of ints or of pairs"}
ERROR = r"(?:\w+Error|OutOfMemory|DeviceLost)"


def read_table():
    """The parameters' annotations and texts, names that differ in Python, docstrings that only Python has, what
    functions give where the headers do not say it in Python's terms, and lines of examples."""
    known, renamed, texts, results, examples = {}, {}, {}, {}, {}
    for line in (root / "tools" / "python_names.txt").read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        if example := re.match(r"([\w.]+)\(\) ((?:>>>|\.\.\.) .*)", line):
            examples.setdefault(example.group(1), []).append(example.group(2))
        elif "() | " in line:
            name, _, text = line.partition("() | ")
            texts[name] = text
        elif "() -> " in line:
            name, _, kind = line.partition("() -> ")
            results[name] = kind
        elif " -> " in line:
            cpp, _, name = line.partition(" -> ")
            renamed[cpp] = name
        else:
            name, kind, text = re.split(r" (?<!\\)\| ", line)
            known[name] = kind.replace("\\|", "|"), text
    return known, renamed, texts, results, examples


def read_bound():
    """What Python has in the place of names of C++'s, each with a remark, and options that its functions do not need."""
    instead, without = {}, set()
    for line in (root / "tools" / "python_bound.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" =")
            python, _, remark = (part.strip() for part in rest.partition("|"))
            if python:
                instead[name] = python, remark
            else:
                without.add(name)
    return instead, without


class Bound:
    """What of C++ is what in Python, by its name there."""

    def __init__(self):
        self.headers = make_api.Headers(sorted((root / "include" / "koine").glob("*.hpp")))
        self.instead, self.without = read_bound()
        self.functions = {name: self.python(name) for name in sorted(self.headers.functions)}
        self.classes = {name: self.python(name) for name in sorted(self.headers.members)}
        self.members = {f"{name}::{member}": self.python(f"{name}::{member}") for name, python in self.classes.items()
                        if self.is_class(python) for member in self.headers.members[name]}
        self.table = self.functions | self.classes | self.members

    def python(self, name):
        if name in self.instead:
            return self.instead[name][0]
        owner, _, word = name.rpartition("::")
        return ".".join(part for part in (self.python(owner) if owner in self.headers.members else owner.replace("::", "."), word) if part)

    @staticmethod
    def is_class(python):
        """Whether this is a class of Python's module, which has the members, too."""
        return not python.startswith("builtins.") and python.rpartition(".")[2][0].isupper()


def pythonic(text):
    """A header's sentence with Python's words for C++'s."""
    text = re.sub(r"`\{\.(\w+) = ([^}`]*)\}`", r"`\1=\2`", text)
    text = re.sub(r"`\.(\w+) = ([^`]*)`", r"`\1=\2`", text)
    text = re.sub(r"`\.(\w+)`", r"`\1`", text)
    text = re.sub(r"(?<![\w`.])\.(\w+)\b", r"`\1`", text)
    text = re.sub(r"`[^`]*`", lambda code: re.sub(r"\{([^}=]*)\}", r"(\1)", code.group()), text)
    text = re.sub(r"\bauto \[(.*?)\](.*?);?(?=`)", r"\1\2", text)
    text = text.replace("koine::", "koine.").replace("std::nullopt", "None").replace("`none`", "None").replace("::", ".").replace("(false)", "(False)")
    return re.sub(r"\bbool_\b", "bool", text)


def sentences(text):
    return [part.strip() for part in re.split(r"(?<=[.!?])(?<!i\.e\.)(?<!e\.g\.) +(?=[A-Z`(0-9-])", text) if part.strip()]


def raises(sentence):
    """The errors that a sentence is about, each with its condition, or nothing where it is about something else."""
    if not re.match(rf"(Throws )?{ERROR} ", sentence):
        return []
    parts = re.split(rf"(?:,|;)? (?:and |or )?(?={ERROR} (?:for|if|unless|where|with|as|once|when)\b)", " " + sentence.removeprefix("Throws "))
    return [part.strip().rstrip(".,;").partition(" ")[::2] for part in parts if part.strip()]


def wrapped(text, indent=""):
    return textwrap.fill(" ".join(text.split()), 79, initial_indent=indent, subsequent_indent=indent)


def capital(text):
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


class Namespace:
    """The public functions and classes by their names in Python."""

    def __init__(self):
        headers = sorted((root / "include" / "koine").glob("*.hpp"))
        self.headers = make_api.Headers(headers)
        self.known, self.renamed, self.texts, self.results, self.examples = read_table()
        self.functions = {function.name.replace("::", "."): function for function in self.headers.functions.values()
                          if function.name not in self.texts}
        # A class is found by its own name, too.
        self.functions |= {name.removeprefix("random.").removeprefix("fft."): function for name, function in self.functions.items()}
        for path in headers:
            self.read_classes(path.read_text())

    def read_classes(self, text):
        """Docstrings of classes, and of their methods where these are no functions of the standard's kind."""
        scopes = re.findall(r"^namespace koine::(\w+) \{", text, re.M)  # those before the last declare what others define
        prefix = scopes[-1] + "." if scopes else ""
        comment = r"((?:^ *///.*\n)+)"
        for match in re.finditer(comment + r"(?:template .*\n)?(?:class|struct|enum class) (?:KOINE_API )?(\w+)[^;{]*\{", text, re.M):
            name = prefix + ("Array" if match.group(2) == "Methods" else match.group(2))
            self.texts.setdefault(name, self.comment(match.group(1)))
            shared = self.functions if name in ("Array", "random.Generator") else {}
            body = text[match.end():make_api.braced(text, match.end() - 1)]
            for member in re.finditer(comment + r"(?:^ *(?:template|requires).*\n)*^ *(?:KOINE_METHOD\()?([^\n/]*?)\b(\w+)\(", body, re.M):
                # Those that are functions, too, have the functions' docstrings.
                if re.search(r"[=(]|return", member.group(2)) or member.group(3) in (match.group(2), *shared):
                    continue
                self.texts.setdefault(f"{name}.{member.group(3)}", self.comment(member.group(1)))
            if not name.endswith("Options"):
                for field, about in re.findall(r"^ +[\w:<>]+ (\w+)(?: = [^;]*)?; *///< (.*)$", body, re.M):
                    self.texts.setdefault(f"{name}.{field}", capital(about))

    @staticmethod
    def comment(lines):
        """The text of a docstring, but for lines of code, which are C++."""
        lines = [line.strip().removeprefix("///") for line in lines.splitlines()]
        text = " ".join(line.strip() for line in lines if not line.startswith(" " * 5)).strip()
        return re.sub(r": {2,}", ". ", text)

    def parameters(self, name):
        """Python's parameters of a function: name, annotation, text, default."""
        function, short = self.functions.get(name), name.rpartition(".")[2]
        shown = set()
        for cpp, (kind, default) in (function.parameters if function else {}).items():
            word = self.renamed.get(f"{short}.{cpp}", cpp)
            kind, text = self.parameter(short, word, kind)
            if word not in shown:
                yield word, kind, text, default
            shown.add(word)
        owner = short if "Generator." in name else name
        for key, (kind, text) in self.known.items():
            if found := re.fullmatch(re.escape(owner) + r"\.([+!])(.*)", key):  # those that Python alone has
                yield found.group(2), kind, text, "None" if found.group(1) == "+" else None

    def parameter(self, function, word, kind=""):
        """The annotation of a parameter and what it is."""
        bare, short = re.sub(r"^const |&$", "", kind).strip(), function.rpartition(".")[2]
        keys = [f"{scope}.{mark}{word}" for scope in (function, short) for mark in ("", "+", "!")]
        if found := next((self.known[key] for key in (*keys, word) if key in self.known), None):
            return ("int" if bare == "std::int64_t" else found[0]), found[1]
        optional = re.fullmatch(r"std::optional<(.*)>", bare)
        annotation = ANNOTATIONS.get(optional.group(1) if optional else bare, "Any")
        return annotation + (" | None" if optional else ""), ""

    def gives(self, name):
        """The annotation of what a function returns."""
        function = self.functions.get(name)
        return ANNOTATIONS.get(re.sub(r"^const |&$", "", function.gives).strip(), "Any") if function else "Any"

    def docstring(self, name):
        function = self.functions.get(name)
        takes = gives = ""
        text = self.texts.get(name, "")
        if not function and name in self.results:
            function = make_api.Function(name, "")
            function.doc, function.gives = text, self.results[name]
        if function:
            takes, gives, text = function.types() or ("", "", function.doc)
        summary, errors, about = "", [], []
        for sentence in sentences(text):
            found = raises(sentence)
            errors += found
            if not found and not summary:
                summary = sentence
            elif not found:
                about.append(sentence)
        parts = [wrapped(pythonic(summary))]
        if about:
            parts.append(wrapped(pythonic(" ".join(about))))
        if function and (shown := list(self.parameters(name))):
            lines = ["Parameters", "----------"]
            for word, kind, words, default in shown:
                kinds = WORDS.get(kind) or kind.removesuffix(" | None").split(" | ")
                kind = kinds if isinstance(kinds, str) else " or ".join(dict.fromkeys(WORDS.get(each, each) for each in kinds))
                lines.append(f"{word} : {kind}{', optional' if default is not None else ''}")
                if word in ("x", "x1", "values") and takes:
                    words, takes = f"{words} Of {pythonic(takes)}." if words else capital(pythonic(takes)), ""
                if words:
                    lines.append(wrapped(words, "    "))
            parts.append("\n".join(lines))
        kind = self.results.get(name) or self.gives(name)
        if function and kind not in ("None", "Any"):
            lines = ["Returns", "-------", WORDS.get(kind, kind)]
            if gives:
                lines.append(wrapped(capital("of " + pythonic(gives) if kind == "Array" else pythonic(gives)), "    "))
            parts.append("\n".join(lines))
        if errors:
            lines = ["Raises", "------"]
            for error, condition in errors:
                lines += [error.replace("IoError", "OSError")] + ([wrapped(capital(pythonic(condition)), "    ")] if condition else [])
            parts.append("\n".join(lines))
        if name in self.examples:
            parts.append("\n".join(["Examples", "--------", *self.examples[name]]))
        return "\n\n".join(part for part in parts if part)

    def names(self):
        return sorted({*self.functions, *self.texts})


def print_docs():
    namespace = Namespace()
    print("// SPDX-License-Identifier: Apache-2.0\n// Made by tools/make_python.py: the docstrings of Python's functions, by name.\n#pragma once\n")
    print("#include <algorithm>\n#include <iterator>\n#include <string_view>\n\nnamespace koine::python::python_docs {\n")
    print("struct Entry {\n  std::string_view name;\n  const char* text;\n};\n\ninline constexpr Entry entries[] = {")
    for name in namespace.names():
        if text := namespace.docstring(name):
            print(f'    {{"{name}", R"KOINE({text})KOINE"}},')
    print("};\n\n/// The docstring of a function or class, without its signature; empty where the headers say nothing.\n"
          "inline const char* doc(std::string_view name) noexcept {\n"
          "  const auto found = std::find_if(std::begin(entries), std::end(entries), [&](const Entry& e) { return e.name == name; });\n"
          "  return found != std::end(entries) ? found->text : \"\";\n}\n\n}  // namespace koine::python::python_docs")


def print_elementwise():
    print("// SPDX-License-Identifier: Apache-2.0\n// Made by tools/make_python.py from include/koine/elementwise.hpp.")
    for function in Namespace().headers.functions.values():
        if function.header == "elementwise" and {kind for kind, _ in function.parameters.values()} == {"Operand"}:
            print(f"KN_ELEMENTWISE({function.name})")


def print_table():
    bound = Bound()
    print("# What of C++ is what in Python\n\n"
          "Made by `tools/make_python.py` from `include/koine/` and `tools/python_bound.txt` (`ci/checks/check_generated` sees to it); edit those.\n"
          "`python/tests/test_complete.py` fails for what is named here and Python has not, or has without a docstring or a stub.")
    for title, names in (("Functions", bound.functions), ("Classes", bound.classes), ("Members of classes", bound.members)):
        print(f"\n## {title}\n\n| C++ | Python | |\n|---|---|---|")
        for name, python in names.items():
            shown = python.removeprefix("builtins.").removeprefix("_results.")
            print(f"| `{name}` | `{shown}` | {bound.instead.get(name, ('', ''))[1]} |")


if __name__ == "__main__":
    makers = {"docs": print_docs, "elementwise": print_elementwise, "table": print_table}
    if len(sys.argv) != 2 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    makers[sys.argv[1]]()
