#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the type stubs of the Python module that lies in <folder>/koine: __init__.pyi, and a file for each submodule.

    make_python_stubs.py <folder>

Names, parameters and defaults are those of the running module; annotations come from tools/python_names.txt and the
headers (make_python.py). What has no annotation there is `Any`; with --missing such parameters and results are listed."""
import enum
import importlib
import inspect
import pathlib
import re
import sys
import types

from make_python import Namespace

HEAD = '''\
# SPDX-License-Identifier: Apache-2.0
# Made by tools/make_python_stubs.py from the module and the headers.
import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Literal, NamedTuple, Self, SupportsIndex, TypeAlias

'''
ALIASES = '''\
DType: TypeAlias = dtype
Number: TypeAlias = builtins.bool | int | float | complex
ArrayLike: TypeAlias = Array | Number
ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
DTypeLike: TypeAlias = dtype | str | None
DeviceLike: TypeAlias = Device | str | None
Key: TypeAlias = SupportsIndex | slice | Array | Sequence[Any] | None | Any
'''
BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift divmod".split()
OPERATORS = {f"__{side}{word}__": ("ArrayLike", "Array") for word in BINARY for side in ("", "r", "i")}
OPERATORS |= {f"__{word}__": ("object", "Array") for word in ("eq", "ne")}
OPERATORS |= {f"__{word}__": ("ArrayLike", "Array") for word in ("lt", "le", "gt", "ge")}
UNARY = {"neg": "Array", "pos": "Array", "abs": "Array", "invert": "Array", "bool": "bool", "int": "int", "float": "float",
         "complex": "complex", "index": "int", "len": "int", "iter": "Iterator[Array]", "copy": "Array", "str": "str", "repr": "str"}
# What every object has, or what is Python's own business.
HIDDEN = {"__new__", "__init__", "__doc__", "__module__", "__dict__", "__weakref__", "__qualname__", "__getattribute__", "__setattr__",
          "__delattr__", "__init_subclass__", "__subclasshook__", "__sizeof__", "__dir__", "__reduce__", "__reduce_ex__", "__getstate__",
          "__setstate__", "__firstlineno__", "__static_attributes__", "__class__", "__buffer__", "__release_buffer__", "__annotations__",
          "__annotate__", "__annotate_func__", "__annotations_cache__", "__array_function__", "__array_ufunc__", "__delitem__", "__deepcopy__", "__slots__", "__match_args__", "__signature__", "__abstractmethods__"}


class Stubs:
    def __init__(self, package):
        self.package, self.words, self.missing = package, Namespace(), []

    @staticmethod
    def annotation(text):
        """As it may stand in the module and in its classes, where names such as bool and dtype are others."""
        text = re.sub(r"\b(koine\.|_)(\w+\.)*(?=[A-Z])", "", text)
        return re.sub(r"(?<![\w.])bool\b(?!=)", "builtins.bool", re.sub(r"(?<![\w.])dtype(?![\w:(])", "DType", text))

    def result(self, name, short):
        """The annotation of what a function or property gives."""
        found = self.words.results.get(name) or self.words.results.get(short)
        if not found and name in self.words.functions:
            found = self.words.gives(name)
        if not found and name.partition(".")[0] in ("Array", "fft", "linalg"):
            found = self.words.gives(short)
        if not found and not short.startswith("__"):
            self.missing.append(f"{name}: what it gives")
        return self.annotation(found or "Any")

    def parameters(self, name, signature, is_method):
        short = name.rpartition(".")[2]
        function = self.words.functions.get(name) or self.words.functions.get(short)
        kinds = {self.words.renamed.get(f"{short}.{cpp}", cpp): kind for cpp, (kind, _) in function.parameters.items()} if function else {}
        for place, parameter in enumerate(signature.parameters.values()):
            if is_method and place == 0:
                yield parameter, None
                continue
            word = parameter.name
            rest = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            annotation = self.words.parameter(name, ("*" if rest else "") + word, kinds.get(word, ""))[0]
            if annotation == "Any" and not short.startswith("__") and word not in self.words.known:
                self.missing.append(f"{name}: {word}")
            if parameter.default is None and not re.search(r"\bNone\b|^(Axes|DTypeLike|DeviceLike|Any)$", annotation):
                annotation += " | None"
            yield parameter, self.annotation(annotation)

    def function(self, name, value, indent="", is_method=False):
        """A definition, with its docstring if it is a function of a module."""
        short = name.rpartition(".")[2]
        if native := getattr(value, "__nb_signature__", None):
            return "".join(indent + self.annotation(re.sub(r"= .[0-9]+", "= ...", text)) + ":" +
                           (self.text(doc, indent + "    ") if doc else " ...\n") for text, doc, *_ in native)
        try:
            signature = inspect.signature(value)
        except (TypeError, ValueError):
            signature = inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)])
        parts, star = [], False
        shown = list(self.parameters(name, signature, is_method))
        for place, (parameter, annotation) in enumerate(shown):
            if parameter.kind == parameter.KEYWORD_ONLY and not star:
                parts.append("*")
                star = True
            star = star or parameter.kind == parameter.VAR_POSITIONAL
            prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
            text = prefix + parameter.name + (f": {annotation}" if annotation else "")
            if parameter.default is not parameter.empty:
                plain = isinstance(parameter.default, (bool, int, float, str, type(None)))
                text += f" = {parameter.default!r}" if plain else " = ..."
            parts.append(text)
            following = shown[place + 1][0].kind if place + 1 < len(shown) else None
            if parameter.kind == parameter.POSITIONAL_ONLY and following != parameter.POSITIONAL_ONLY:
                parts.append("/")
        line = f"{indent}def {short}({', '.join(parts)}) -> {self.result(name, short)}:"
        return line + self.doc(value, indent + "    ")

    def doc(self, value, indent):
        text = inspect.getdoc(value)
        return self.text(text, indent) if text else " ...\n"

    @staticmethod
    def text(text, indent):
        text = text.replace("\\", "\\\\").replace('"""', "'''")
        lines = text.splitlines()
        if len(lines) == 1:
            return f'\n{indent}"""{lines[0]}"""\n'
        return f'\n{indent}"""' + "\n".join([lines[0], *(indent + line if line else "" for line in lines[1:])]) + f'\n{indent}"""\n'

    def operator(self, name, word):
        """The special methods of arrays, whose operands have no names worth keeping."""
        if word in OPERATORS and name.startswith("Array."):
            operand, gives = OPERATORS[word]
            ignore = "  # type: ignore[override]" if operand == "object" else ""
            gives = "tuple[Array, Array]" if "divmod" in word else gives
            return f"    def {word}(self, other: {operand}, /) -> {gives}: ...{ignore}\n"
        gives = UNARY.get(word.strip("_"))
        if gives and word.startswith("__"):
            return f"    def {word}(self) -> {self.annotation(gives)}: ...\n"
        return {"__getitem__": "    def __getitem__(self, key: Key, /) -> Array: ...\n",
                "__setitem__": "    def __setitem__(self, key: Key, value: ArrayLike, /) -> None: ...\n",
                "__format__": "    def __format__(self, spec: str, /) -> str: ...\n",
                "__contains__": "    def __contains__(self, value: object, /) -> builtins.bool: ...\n",
                "__enter__": "    def __enter__(self) -> Self: ...\n", "__exit__": "    def __exit__(self, *exception: object) -> None: ...\n",
                "__hash__": "    __hash__: ClassVar[None]  # type: ignore[assignment]\n" if name == "Array.__hash__" else
                "    def __hash__(self) -> int: ...\n"}.get(word)

    def property(self, name, word, value):
        native = getattr(getattr(value, "fget", None), "__nb_signature__", None)
        found = re.search(r"-> (.*)$", native[0][0]) if native else None
        gives = self.annotation(found.group(1)) if found and name not in self.words.results else self.result(name, word)
        text = inspect.getdoc(value) or ""
        return f"    @property\n    def {word}(self) -> {gives}:" + (self.text(text, "        ") if text else " ...\n")

    def members(self, name, kind):
        lines = ""
        for word, value in sorted(vars(kind).items()):
            full = f"{name}.{word}"
            if word in HIDDEN or word.startswith("__nb_") or word.startswith("_") and not word.startswith("__"):
                continue
            if word in ("__eq__", "__ne__") and not name == "Array":
                lines += f"    def {word}(self, other: object, /) -> builtins.bool: ...\n"
            elif special := self.operator(full, word):
                lines += special
            elif isinstance(value, property) or inspect.isdatadescriptor(value):
                lines += self.property(full, word, value)
            elif isinstance(value, (staticmethod, classmethod)):
                lines += f"    @{type(value).__name__}\n" + self.function(full, value.__func__, "    ", isinstance(value, classmethod))
            elif callable(value):
                # nanobind's static methods are functions in the class.
                lines += "    @staticmethod\n" if type(value).__name__ == "nb_func" else ""
                lines += self.function(full, value, "    ", True)
            elif not word.startswith("__"):
                lines += f"    {word}: Any\n"
        return lines

    def class_(self, name, kind):
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return f"class {name}(NamedTuple):" + self.doc(kind, "    ").replace(" ...\n", "\n") + "".join(
                f"    {field}: {self.words.results.get(f'{name}.{field}', 'Array')}\n" for field in kind._fields)
        bases = [base.__name__ for base in kind.__bases__ if base is not object]
        if issubclass(kind, BaseException):  # LinAlgError is NumPy's where there is NumPy
            bases = [next(base.__name__ for base in kind.__mro__ if base.__module__ == "builtins")]
        text = f"class {name}{'(' + ', '.join(bases) + ')' if bases else ''}:" + self.doc(kind, "    ").replace(" ...\n", "\n")
        made = f"{name}.__init__"
        if issubclass(kind, enum.Enum):
            return f"class {name}:" + self.doc(kind, "    ").replace(" ...\n", "\n") + self.members(name, kind)
        if not issubclass(kind, BaseException):
            native = getattr(kind.__init__, "__nb_signature__", None)
            if native or inspect.isfunction(kind.__init__):
                text += self.function(made, kind.__init__, "    ", True)
        body = self.members(name, kind)
        return text + (body or "" if '"""' in text or "def " in text else "    ...\n")

    def module(self, module, prefix=""):
        body, modules = "", []
        # Names that are made when they are first asked for stand in __all__ alone.
        for name in sorted({*vars(module), *getattr(module, "__all__", [])}, key=lambda word: (not inspect.isclass(getattr(module, word)), word)):
            value = getattr(module, name)
            full = prefix + name
            if isinstance(value, types.ModuleType):
                if value.__name__.startswith("koine.") and not name.startswith("_"):
                    modules.append((name, value))
                continue
            if name.startswith("_") and name not in ("__version__", "__array_api_version__", "__array_namespace_info__"):
                continue
            if name.startswith("__") and isinstance(value, str):
                body += f"{name}: str\n"
            elif inspect.isclass(value) and prefix and vars(self.package).get(name) is value:
                body += f"from . import {name} as {name}\n"
            elif inspect.isclass(value):
                if value.__module__ == "builtins" and value.__name__ == name:
                    continue
                body += self.class_(name, value)
            elif callable(value) and not type(value).__name__ == "dtype":
                body += self.function(full, value)
            elif isinstance(value, float):
                body += f"{name}: float\n"
            elif value is None:
                body += f"{name}: None\n"
            else:
                body += f"{name}: {type(value).__name__}\n"
        return body, modules

    def files(self):
        body, modules = self.module(self.package)
        names = "".join(f"from . import {name} as {name}\n" for name, _ in modules)
        # Results with names, which only functions make.
        for name, kind in sorted(vars(getattr(self.package, "_results", None) or types.ModuleType("none")).items()):
            if inspect.isclass(kind) and issubclass(kind, tuple):
                body = self.class_(name, kind) + body
        yield "__init__.pyi", HEAD + names + ALIASES + "\n" + body
        for name, module in modules:
            named = ", ".join(re.findall(r"^(\w+): TypeAlias", ALIASES, re.M))
            kinds = sorted(word for word, value in vars(self.package).items() if inspect.isclass(value) and value.__name__ == word)
            body = self.module(module, name + ".")[0]
            used = [word for word in [*kinds, *named.split(", ")] if re.search(rf"\b{word}\b", body)
                    and not re.search(rf"^class {word}\b|import {word} as", body, re.M)]
            yield f"{name}.pyi", HEAD + (f"from . import {', '.join(used)}\n\n" if used else "") + body


def main():
    missing, folder = "--missing" in sys.argv, pathlib.Path(sys.argv[-1])
    sys.path.insert(0, str(folder))
    stubs = Stubs(importlib.import_module("koine"))
    for name, text in stubs.files():
        if not missing:
            (folder / "koine" / name).write_text(text)
    if missing:
        print(*stubs.missing, sep="\n", end="\n" if stubs.missing else "")


if __name__ == "__main__":
    main()
