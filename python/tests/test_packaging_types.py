# SPDX-License-Identifier: Apache-2.0
"""Each public name, and each member of a class, has a docstring, whose parameters are those of the function, and a stub
with types; mypy and pyright (as basedpyright) take the stubs and a user's program, and refuse a wrong one."""
import inspect
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import koine as kn

HERE = pathlib.Path(__file__).parent
STUB = pathlib.Path(kn.__file__).parent / "__init__.pyi"
MODULES = {"": kn, "fft.": kn.fft, "linalg.": kn.linalg, "opencl.": kn.opencl, "profile.": kn.profile, "random.": kn.random}
PUBLIC = {prefix + name: value for prefix, module in MODULES.items() for name, value in vars(module).items()
          if not name.startswith("_") and callable(value) and type(value).__name__ != "dtype"}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if not inspect.isclass(value)}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value) and value.__module__.startswith("koine")}
MEMBERS = {f"{name}.{word}": value for name, kind in CLASSES.items() if not issubclass(kind, tuple) for word, value in vars(kind).items()
           if not word.startswith("_") or word == "__call__"}
NO_TEXT = "Call self as a function."  # what Python says of any __call__


def docstring(value):
    """What is said of it, without the signature that nanobind writes first."""
    native = getattr(value, "__nb_signature__", None)
    text = "\n".join(form[1] or "" for form in native) if native else inspect.getdoc(value) or ""
    return "" if re.fullmatch(r"\(self\) -> .*", text) or text == NO_TEXT else text.strip()


def documented(text):
    """The names under Parameters."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", text, re.M | re.S)
    return re.findall(r"^\*?(\w+) : ", section.group(1), re.M) if section else []


def test_every_function_class_and_member_has_a_docstring():
    everything = FUNCTIONS | CLASSES | MEMBERS
    assert [name for name, value in everything.items() if not docstring(value)] == []
    assert len(FUNCTIONS) > 100 and len(MEMBERS) > 100
    assert {"Array.cumsum", "Array.shape", "Kernel.__call__", "profile.Session.rows", "random.Generator.seed"} < set(MEMBERS)


def test_docstrings_name_the_parameters():
    wrong = {}
    calls = {name: value for name, value in MEMBERS.items() if name.endswith(".__call__")}
    for name, function in (FUNCTIONS | calls).items():
        own = [word for word in inspect.signature(function).parameters if word != "self"]
        if set(documented(docstring(function))) != set(own):
            wrong[name] = (documented(docstring(function)), own)
    assert wrong == {}


def test_docstrings_say_what_parameters_are():
    empty = {}
    for name, value in (FUNCTIONS | MEMBERS).items():
        section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", docstring(value), re.M | re.S)
        if section and (words := re.findall(r"^\*?(\w+) : [^\n]*(?=\n\S|\Z)", section.group(1), re.M)):
            empty[name] = words
    assert empty == {}


def test_docstrings_speak_python():
    cpp = re.compile(r"std::|koine::|\bbool_\b|nullopt|\{\.|`\.\w|\{`|\bconst koine|\w+Kernel \w+\(|\bArray \w+ =|\bIoError\b|\bauto \[")
    everything = FUNCTIONS | CLASSES | MEMBERS
    assert {name for name, value in everything.items() if cpp.search(docstring(value))} == set()


def test_every_name_is_in_the_stub():
    text = STUB.read_text()
    defined = set(re.findall(r"^(?:def|class) (\w+)|^(\w+):|^from \. import (\w+)", text, re.M))
    defined = {word for group in defined for word in group if word}
    public = {name for name in vars(kn) if not name.startswith("_") and name not in ("annotations",)}
    assert public - defined == set()


def test_nothing_in_the_stub_lacks_a_type():
    root = HERE.parent.parent
    if not (root / "tools" / "make_python_stubs.py").exists():
        pytest.skip("the generator is not beside the tests")
    run = subprocess.run([sys.executable, root / "tools" / "make_python_stubs.py", "--missing", STUB.parent.parent],
                         capture_output=True, text=True)
    assert (run.returncode, run.stdout.split("\n")[:-1]) == (0, []), run.stderr


WRONG = """import koine as kn
kn.sum(kn.zeros(3), axes=0)
kn.reshape(kn.zeros(3), "3")
kn.sum_of(kn.zeros(3))
y: str = kn.exp(kn.zeros(3))
kn.Kernel("")(1, after=3)
kn.Program.from_file("a.cl", "-w")
"""


@pytest.mark.parametrize("checker", [("mypy", "--strict", "--no-error-summary"), ("basedpyright", "--outputjson")])
def test_a_type_checker_takes_a_users_program(checker, tmp_path):
    if shutil.which(checker[0], path=pathlib.Path(sys.executable).parent) is None:
        pytest.skip(f"{checker[0]} is not installed")
    command = [pathlib.Path(sys.executable).parent / checker[0], *checker[1:]]
    # basedpyright is pyright with a Node of its own, and, unless it is told, with rules of its own.
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    # Checkers follow no PYTHONPATH of links, so they get the package as an installed one lies.
    shutil.copytree(STUB.parent, tmp_path / "koine", ignore=shutil.ignore_patterns("*.so*", "__pycache__"))
    (tmp_path / "right.py").write_text((HERE / "typing_check.py").read_text())
    (tmp_path / "wrong.py").write_text(WRONG)
    right = subprocess.run([*command, "right.py"], capture_output=True, text=True, cwd=tmp_path)
    assert right.returncode == 0, right.stdout
    wrong = subprocess.run([*command, "wrong.py"], capture_output=True, text=True, cwd=tmp_path)
    lines = {int(line) for line in re.findall(r"wrong\.py:(\d+)" if checker[0] == "mypy" else r'"start": \{\s*"line": (\d+)', wrong.stdout)}
    assert lines == (set(range(2, 8)) if checker[0] == "mypy" else set(range(1, 7))), wrong.stdout
