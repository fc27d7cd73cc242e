#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/api.md: every public function with its types, in the chapters of the standard, from include/koine/*.hpp
(whose element-wise part is made from the op table) and tools/array_api.txt.

The docstring of a function that gives arrays says its types in a sentence of its own: "Takes <types>; gives <types>.", or
"Gives <types>." where it takes no array. It is an error if that sentence is missing, or the whole docstring."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def braced(text, start):
    """The place behind the brace that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0 and text[i] == "}":
            return i + 1
    sys.exit("make_api: a brace is not closed")


class Function:
    """A name with its declarations and the docstring that they share."""

    def __init__(self, name, header):
        self.name, self.header = name, header
        self.signatures, self.options, self.doc, self.gives_arrays = [], [], "", False
        self.gives, self.parameters = "", {}  # the C++ types, and of a parameter what it is by default or None

    def types(self):
        """What it takes and gives, and the docstring without that sentence."""
        sentence = r"(?:Takes (.*?); gives|\bGives) (.*?)\.(?= |$)"
        found = re.findall(sentence, self.doc)
        if not found:
            return None
        # The forms of a function may differ.
        takes, gives = ("; ".join(dict.fromkeys(filter(None, words))) for words in zip(*found))
        return takes, gives, " ".join(re.sub(sentence, "", self.doc).split())


def split_parameters(text):
    parts, depth, part = [], 0, ""
    for c in text:
        depth += {"<": 1, "(": 1, "{": 1, ">": -1, ")": -1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return [p.strip() for p in parts + [part] if p.strip()]


class Headers:
    def __init__(self, paths):
        self.functions, self.structs, self.fields, self.members = {}, {}, {}, {}
        texts = {path: self.clean(path.read_text()) for path in paths}
        for text in texts.values():
            for match in re.finditer(r"\bstruct (\w*Options) \{(.*?)\n\};", text, re.S):
                body = re.sub(r"//.*", "", match.group(2))
                body = re.sub(r"detail::Named .*", "", body)
                self.fields[match.group(1)] = {name: (kind.strip(), default) for kind, name, default in
                                               re.findall(r"([\w:<>, ]+?)\s+(\w+)\s*(?:=\s*([^;]*))?;", body)}
                self.structs[match.group(1)] = re.findall(r"(\w+)\s*(?:=[^;]*)?;", body)
        for path, text in texts.items():
            self.read_members(path.stem, text)
            self.read(path.stem, text)
        # What arrays share with parts of arrays stands in a base of both.
        base = next(text for text in (path.read_text() for path in paths) if "class KOINE_API Methods {" in text)
        start = base.index("class KOINE_API Methods {")
        shared = base[start:braced(base, base.index("{", start))]
        self.read_members("", re.sub(r"KOINE_METHOD\((.*)\);", r"\1;", self.clean(shared)).replace("Methods", "Array", 1))

    @staticmethod
    def clean(text):
        """Without preprocessor lines, names that only say what to write instead, and what is not for users."""
        text = re.sub(r"^#define(.*\\\n)*.*\n", "", text, flags=re.M)
        text = re.sub(r"^ *template <class = void>\n *KOINE_INSTEAD\(.*?\)( const| &)?;\n|^KOINE_WRITE\(.*\n", "", text,
                      flags=re.M | re.S)
        text = re.sub(r"^(#.*|(inline )?namespace koine.* \{)\n", "", text, flags=re.M)
        while match := re.search(r"namespace (detail|graph|runtime|exec) \{", text):
            text = text[:match.start()] + text[braced(text, match.end() - 1):]
        return text

    def read_members(self, header, text):
        """The names of the public functions and variables of each class, but for those of options structs and operators."""
        scope = header + "::" if header in ("opencl", "profile", "random") else ""
        kinds = r"^(class|struct) (?:\[\[\w+\]\] |KOINE_API |alignas\(.*\) )*(\w+)(?: final)?(?: : [^;{]*)? \{"
        for match in re.finditer(kinds, text, re.M):
            kind, name = match.groups()
            if name.endswith("Options"):
                continue
            body = text[match.end():braced(text, match.end() - 1) - 1]
            while inner := re.search(r"\{", body):  # what functions do, what variables begin as, and classes in it
                body = body[:inner.start()] + ";" + body[braced(body, inner.start()):]
            body = re.sub(r"^ *///?< .*", "", body, flags=re.M)
            body = re.sub(r"/// For the library's own use.*\n(?: *///.*\n)*(?:(?! *///| *\n| [a-z]+:).*\n)*", "", body)
            members = self.members.setdefault(scope + name, [])
            parts = ["public" if kind == "struct" else "private", *re.split(r"^ (public|protected|private):", body, flags=re.M)]
            for label, part in zip(parts[::2], parts[1::2]):
                if label == "public":
                    members += [word for word in dict.fromkeys(self.declared(part, name)) if word not in members]

    @staticmethod
    def declared(part, name):
        part = re.sub(r"//.*", "", part)
        for statement in re.split(r";", part):
            statement = " ".join(statement.split()).partition(" =")[0]
            if re.match(r"(explicit |using |friend |static_assert)", statement) or re.search(r"\boperator\b|~", statement):
                continue
            function = re.search(r"(?:^|[\s&*>])(\w+)\(", re.sub(r"requires ?\(.*?\.\.\.\)|requires\(.*?\) ", "", statement))
            if function and function.group(1) not in (name, "decltype", "requires"):
                yield function.group(1)
            elif not function and (variables := re.fullmatch(r"(?:const )?[\w:]+(?:<.*>)?[ &*]+(\w+(?:, \w+)*)(?:\[.*\])?", statement)):
                yield from variables.group(1).split(", ")

    def read(self, header, text):
        # Bodies go, but for the one class whose methods are functions of the standard's kind, and the object `all`.
        if match := re.search(r"class KOINE_API Generator \{", text):
            end = braced(text, match.end() - 1)
            methods = text[match.end():end].partition("private:")[0].partition("public:")[2]
            self.declarations(header, re.sub(r"^  ", "", methods, flags=re.M), "random::Generator::")
            text = text[:match.start()] + text[end:]
        if match := re.search(r"struct All \{", text):
            end = braced(text, match.end() - 1)
            call = text[match.end():end].replace("Array operator()(", "Array all(").replace(") const;", ");")
            text = text[:match.start()] + text[end:] + re.sub(r"^  ", "", call.partition("}\n")[2], flags=re.M)
        while match := re.search(r"\n(?:template <[^\n]*>\n(?:  requires[^\n]*\n)?)?(?:class|struct|enum class) [^;{]*\{", text):
            text = text[:match.start()] + "\n" + text[braced(text, match.end() - 1):]
        scoped = header in ("fft", "opencl") or header.startswith(("fft_", "linalg_"))
        self.declarations(header, text, header.partition("_")[0] + "::" if scoped else "")

    def declarations(self, header, text, scope):
        while match := re.search(r"\)( const)?( noexcept)? \{", text):  # a body that stands in the header
            text = text[:match.start()] + ");" + text[braced(text, match.end() - 1):]
        doc, statement = [], ""
        for line in text.splitlines():
            bare = line.strip()
            if bare.startswith("///"):
                if doc and statement == "" and self.after:
                    doc = []
                doc.append(bare[3:].strip())
                self.after = False
            elif bare == "" or bare.startswith("//"):
                if statement == "":
                    doc = []
            else:
                statement += " " + re.sub(r"\s*//.*", "", bare)
                if statement.rstrip().endswith((";", "}")):
                    self.declare(header, statement.strip(), scope, " ".join(doc))
                    statement, self.after = "", True

    after = False

    def declare(self, header, statement, scope, doc):
        match = re.search(r"(?:^|[\s&*>])(~?\w+|operator\S+)\((.*)\)\s*(?:const)?\s*(?:noexcept)?\s*(?:=\s*\w+)?;$", statement)
        if not match or not re.search(r"KOINE_API|Array|^inline|Generator", statement) and not scope:
            return
        name, parameters = match.groups()
        if name.startswith("operator") or name == "requires" or re.match(r"explicit|using|friend", statement):
            return
        if scope.startswith("random::") and (name == "Generator" or not statement.startswith("Array") and not statement.startswith("void")):
            return
        function = self.functions.setdefault(scope + name, Function(scope + name, header))
        function.gives_arrays |= bool(re.match(r"(template .*> |KOINE_API |\[\[.*\]\] )*(Array|std::vector<Array>|\w+Result) ", statement))
        function.gives = function.gives or re.sub(r"KOINE_API |inline |template <[^>]*> |\[\[\w+\]\] ", "", statement[:match.start(1)]).strip()
        words = []
        for parameter in split_parameters(parameters):
            parameter, _, default = re.fullmatch(r"(.*?)(\s*=\s*([^=]*))?", parameter).groups()
            kind, _, word = parameter.rpartition(" ")
            word = re.sub(r"^\(\*(\w+)\)\(.*\)$", r"\1", word)  # a pointer to a function
            struct = re.sub(r"const |&|koine::", "", kind).strip()
            for known, kind_of_it in (self.fields[struct] if struct in self.fields else {word.lstrip("&"): (kind, default)}).items():
                function.parameters.setdefault(known, kind_of_it)
            if struct in self.structs:
                function.options += [o for o in self.structs[struct] if o not in function.options]
                word = "{" + ", ".join("." + o for o in self.structs[struct]) + "}"
            elif word not in function.options:
                function.options.append(word)
            words.append(word.lstrip("&"))
        signature = f"{scope.removeprefix('random::')}{name}({', '.join(words)})"
        if signature not in function.signatures:
            function.signatures.append(signature)
        if doc and doc not in function.doc:
            function.doc = (function.doc + " " + doc).strip()


def chapters():
    """The standard: chapter to its functions, each a name, its named options, and what is said of missing ones."""
    result, last = {}, None
    for line in (root / "tools" / "array_api.txt").read_text().splitlines():
        if line.startswith("["):
            functions = result.setdefault(line.strip("[]"), [])
        elif line.startswith("- "):
            option, _, words = line[2:].partition(": ")
            last[3][option] = words
        elif line and not line.startswith("#"):
            name, _, parameters = line.partition("(")
            named = parameters.rstrip(")").partition("*, ")[2]
            last = (name, line, [o for o in named.split(", ") if o], {})
            functions.append(last)
    return result


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def first_sentence(text):
    match = re.match(r"(.*?[^.]\.)(?= [^a-z]|$)", text)
    return match.group(1) if match else text


def row(function, remark, problems):
    types = function.types()
    if types is None and not function.doc:
        problems.append(f"include/koine/{function.header}.hpp: {function.name} has no docstring")
    elif types is None and function.gives_arrays:
        problems.append(f"include/koine/{function.header}.hpp: {function.name} has no sentence \"Takes ...; gives ....\"")
    if types is None:
        types = "", "", function.doc
    takes, gives, doc = types
    signatures = "<br>".join(f"`{s}`" for s in function.signatures)
    return f"| {cell(signatures)} | {cell(takes)} | {cell(gives)} | {cell(remark)} | {cell(first_sentence(doc))} |"


def main():
    headers = Headers(sorted((root / "include" / "koine").glob("*.hpp")))
    problems, used, missing = [], set(), []
    lines = ["# Functions", "",
             "Made by `tools/make_api.py` from `include/koine/`; edit the docstrings there, which also say shapes, errors and special",
             "cases. First the [Python array API standard](https://data-apis.org/array-api/), edition 2025.12, chapter by chapter:",
             "what is there under its name with all its options, what lacks some, and what is **not there yet**; then what Koine has",
             "beside it. `{.axis, .keepdims}` is an options struct: `sum(x, {.axis = 1})`. Types are after promotion; a C++ scalar takes",
             "an array's type where its kind fits. \"Real types\" are integers, float16, bfloat16, float32 and float64.", ""]
    table = ["| function | takes | gives | standard | what it is |", "|---|---|---|---|---|"]
    total = there = 0
    for chapter, functions in chapters().items():
        lines += [f"## {chapter}", "", *table]
        for name, signature, named, words in functions:
            total += 1
            function = headers.functions.get(name.replace(".", "::")) or headers.functions.get(name.rpartition(".")[2])
            if function is None:
                missing.append(name)
                lines.append(f"| `{cell(signature)}` | | | **not there yet** | |")
                continue
            there += 1
            used.add(function.name)
            lacks = [option for option in named if option not in function.options]
            remark = "; ".join(f"without `{o}`" + (f" ({words[o]})" if o in words else "") for o in lacks) or "as it is there"
            lines.append(row(function, remark, problems))
        lines.append("")
    lines += ["## Beside the standard", "", *table]
    for function in sorted(headers.functions.values(), key=lambda f: (f.header, f.name)):
        if function.name not in used:
            lines.append(row(function, f"`<koine/{function.header}.hpp>`", problems))
    lines += ["", f"{there} of the standard's {total} functions; not there yet: {', '.join(missing) or 'none'}."]
    if problems:
        sys.exit("\n".join([*problems, f"make_api: {len(problems)} docstrings are missing or say no types"]))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
