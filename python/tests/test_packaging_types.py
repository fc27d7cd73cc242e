# SPDX-License-Identifier: Apache-2.0
"""Each public name has a docstring, whose parameters are those of the function, and a stub with types; mypy and pyright
take the stubs and a user's program, and refuse a wrong one."""
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
FUNCTIONS = {name: value for name, value in vars(kn).items()
             if not name.startswith("_") and callable(value) and not inspect.isclass(value) and type(value).__name__ != "dtype"}


def documented(text):
    """The names under Parameters."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", text, re.M | re.S)
    return re.findall(r"^(\w+) : ", section.group(1), re.M) if section else []


def test_every_function_and_class_has_a_docstring():
    public = {name: value for name, value in vars(kn).items() if not name.startswith("_") and callable(value)}
    assert [name for name, value in public.items() if not inspect.getdoc(value)] == []
    assert len(FUNCTIONS) > 100


def test_docstrings_name_the_parameters():
    wrong = {}
    for name, function in FUNCTIONS.items():
        names = documented(inspect.getdoc(function) or "")
        own = list(inspect.signature(function).parameters)
        if names and (missing := [word for word in own if word not in names]):
            wrong[name] = missing
    assert wrong == {}


def test_docstrings_speak_python():
    cpp = re.compile(r"std::|koine::|\bbool_\b|nullopt|\{\.|`\.\w")
    assert {name for name, value in FUNCTIONS.items() if cpp.search(inspect.getdoc(value) or "")} == set()


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
"""


@pytest.mark.parametrize("checker", [("mypy", "--strict", "--no-error-summary"), ("pyright", "--outputjson")])
def test_a_type_checker_takes_a_users_program(checker, tmp_path):
    if shutil.which(checker[0], path=pathlib.Path(sys.executable).parent) is None:
        pytest.skip(f"{checker[0]} is not installed")
    command = [pathlib.Path(sys.executable).parent / checker[0], *checker[1:]]
    # Checkers follow no PYTHONPATH of links, so they get the package as an installed one lies.
    shutil.copytree(STUB.parent, tmp_path / "koine", ignore=shutil.ignore_patterns("*.so*", "__pycache__"))
    (tmp_path / "right.py").write_text((HERE / "typing_check.py").read_text())
    (tmp_path / "wrong.py").write_text(WRONG)
    right = subprocess.run([*command, "right.py"], capture_output=True, text=True, cwd=tmp_path)
    assert right.returncode == 0, right.stdout
    wrong = subprocess.run([*command, "wrong.py"], capture_output=True, text=True, cwd=tmp_path)
    lines = {int(line) for line in re.findall(r"wrong\.py:(\d+)" if checker[0] == "mypy" else r'"start": \{\s*"line": (\d+)', wrong.stdout)}
    assert lines == ({2, 3, 4, 5} if checker[0] == "mypy" else {1, 2, 3, 4}), wrong.stdout
