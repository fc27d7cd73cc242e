# SPDX-License-Identifier: Apache-2.0
"""Every public function, class and member of a class of the headers is there in Python under the name that the table says
(tools/python_bound.txt, docs/python-names.md), with a docstring and a stub."""
import ast
import builtins
import inspect
import pathlib
import sys

import koine as kn
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import make_python  # noqa: E402

BOUND = make_python.Bound()
OWN = {name: python for name, python in BOUND.table.items() if not python.startswith("builtins.")}
# What every class has without a text of its own.
PLAIN = ("__init__", "__enter__")
STUBS = {path.stem: ast.parse(path.read_text()) for path in pathlib.Path(kn.__file__).parent.glob("*.pyi")}


def found(python):
    """What the module has under a name."""
    value, names = kn, python.split(".")
    if names[0] == "builtins":
        value, names = builtins, names[1:]
    for name in names:
        value = getattr(value, name)
    return value


def documented(python):
    value = found(python)
    if value is None:
        return True  # newaxis
    native = getattr(value, "__nb_signature__", None)
    return any(form[1] for form in native) if native else inspect.getdoc(value)


def declared(body):
    """The names that the statements of a stub declare, each with the statements in it."""
    for each in body:
        if isinstance(each, (ast.ClassDef, ast.FunctionDef)):
            yield each.name, each.body
        elif isinstance(each, ast.AnnAssign):
            yield each.target.id, []
        elif isinstance(each, ast.ImportFrom):
            yield from ((name.asname or name.name, []) for name in each.names)


def in_stub(python):
    names = python.removeprefix("_results.").split(".")
    body = STUBS[names.pop(0) if len(names) > 1 and names[0] in STUBS else "__init__"].body
    for name in names:
        bodies = [inner for declared_name, inner in declared(body) if declared_name == name]
        if not bodies:
            return False
        body = bodies[0]
    return True


@pytest.mark.parametrize("name", BOUND.table)
def test_what_the_table_says_is_there(name):
    found(BOUND.table[name])


def test_what_the_table_says_has_a_docstring():
    assert [name for name, python in OWN.items() if python.rpartition(".")[2] not in PLAIN and not documented(python)] == []


def test_what_the_table_says_has_a_stub():
    assert [name for name, python in OWN.items() if not in_stub(python)] == []


def test_the_table_has_the_members_of_every_class():
    for name, python in OWN.items():
        assert BOUND.is_class(python) or not inspect.isclass(found(python)), f"the members of {name} are not looked at"


def test_the_headers_are_read():
    assert {"Array", "Kernel", "Program", "Queue", "Event", "Device", "profile::Session", "random::Generator"} < set(BOUND.classes)
    assert {"Array::eval", "Array::sum", "Device::has_fp16", "Program::from_binary", "Queue::record", "Event::done",
            "profile::Session::save_trace", "profile::Row::share", "random::Generator::seed"} < set(BOUND.members)
    assert not [name for name in BOUND.members if name.endswith("_")]  # none that is private


def test_the_table_has_no_row_too_many():
    assert not set(BOUND.instead) - set(BOUND.table)
    same = [name for name, (python, _) in BOUND.instead.items() if python == name.replace("::", ".")]
    assert same == []


def test_functions_know_their_parameters():
    for name, value in vars(kn).items():
        if inspect.isbuiltin(value) or inspect.isfunction(value):
            assert inspect.signature(value) is not None, name
            assert value.__module__.startswith("koine"), name


def test_options_of_cpp_are_parameters_of_python():
    lacking = set()
    for name, function in BOUND.headers.functions.items():
        if name in BOUND.instead:
            continue
        signature = inspect.signature(found(BOUND.table[name]))
        for option in function.options:
            struct = [s for s, fields in BOUND.headers.structs.items() if option in fields]
            if not struct or not any("." + option in text for text in function.signatures):
                continue  # no member of an options struct
            if option not in signature.parameters:
                lacking.add(f"{name}.{option}")
    assert lacking == BOUND.without
