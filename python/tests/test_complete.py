# SPDX-License-Identifier: Apache-2.0
"""Every public function of the headers is there in Python, or stands here with what Python writes instead."""
import importlib.util
import inspect
import pathlib
import sys

import koine as kn
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
spec = importlib.util.spec_from_file_location("make_api", ROOT / "tools" / "make_api.py")
make_api = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_api)

INSTEAD = {
    "bandwidth": "profile.bandwidth",
    "borrow": "asarray",  # copy=False
    "capabilities": "__array_namespace_info__",
    "default_dtypes": "__array_namespace_info__",
    "dtypes": "__array_namespace_info__",
    "host_view": "Array.__array__",  # and memoryview(x)
    "ready": "Array.eval",  # what reads a value waits so that Ctrl-C ends it
    "under_way": "synchronize",
    "at_hand": "Array.item",  # what reads such a value does not give up the GIL
    "is_borrowed": "asarray",  # readers of borrowed memory have finished when they return
    "in": "in_",  # a word of Python's
    "name": "dtype.name",
    "slice": "newaxis",  # Python's own slices
    "to_dlpack": "Array.__dlpack__",
    "to_string": "to_string",
}


def functions():
    headers = make_api.Headers(sorted((ROOT / "include" / "koine").glob("*.hpp")))
    return sorted(headers.functions)


def found(path):
    value = kn
    for name in path.split("."):
        value = getattr(value, name)
    return value


@pytest.mark.parametrize("name", functions())
def test_a_function_of_cpp_is_there(name):
    path = INSTEAD.get(name, name.replace("::", "."))
    assert found(path) is not None or path == "newaxis"


def test_the_list_of_exceptions_is_not_longer_than_needed():
    assert not set(INSTEAD) - set(functions())


def test_functions_know_their_parameters():
    for name, value in vars(kn).items():
        if inspect.isbuiltin(value) or inspect.isfunction(value):
            assert inspect.signature(value) is not None, name
            assert value.__module__.startswith("koine"), name


def test_options_of_cpp_are_parameters_of_python():
    headers = make_api.Headers(sorted((ROOT / "include" / "koine").glob("*.hpp")))
    for name, function in headers.functions.items():
        if "::" in name or name in INSTEAD or name in ("bincount",):
            continue
        signature = inspect.signature(found(name))
        for option in function.options:
            struct = [s for s, fields in headers.structs.items() if option in fields]
            if not struct or not any("." + option in text for text in function.signatures):
                continue  # no member of an options struct
            assert option in signature.parameters, f"{name} lacks {option}"
