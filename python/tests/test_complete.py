# SPDX-License-Identifier: Apache-2.0
"""Every public function, class and member of a class of the headers is there in Python, or stands here with what Python
writes instead."""
import builtins
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
    "eval_at_once": "Array.eval",
    "is_borrowed": "asarray",  # readers of borrowed memory have finished when they return
    "in": "in_",  # a word of Python's
    "name": "dtype.name",
    "slice": "builtins.slice",
    "to_dlpack": "Array.__dlpack__",
    "to_string": "to_string",
    # Classes.
    "All": "builtins.slice",
    "AsyncReader": "Array.eval",  # starts the computation; what reads a value waits
    "Axis": "builtins.tuple",
    "CallerScope": "Array.eval",  # the module names the line itself
    "Capabilities": "__array_namespace_info__",
    "ClipBound": "clip",
    "DTypeKind": "isdtype",
    "DTypeKinds": "isdtype",
    "DefaultDTypes": "__array_namespace_info__",
    "Define": "Program.__init__",  # defines=
    "DeviceScope": "Device.__enter__",
    "Ellipsis": "builtins.Ellipsis",
    "Error": "builtins.Exception",  # each kind of error is what Python has for it
    "HostView": "Array.__array__",
    "Index": "Array.__getitem__",
    "IndexError": "builtins.IndexError",
    "IoError": "builtins.OSError",
    "Literal": "asarray",
    "MatrixOrd": "linalg.matrix_norm",
    "Named": "builtins.dict",  # keyword arguments
    "NamedArrays": "builtins.dict",
    "NewAxis": "newaxis",
    "None": "newaxis",
    "Operand": "asarray",
    "PadWidths": "pad",
    "Path": "load_npy",
    "QueueScope": "Queue.__enter__",
    "ReductionTexts": "ReductionKernel.__init__",
    "Scalar": "builtins.complex",
    "ScanTexts": "ScanKernel.__init__",
    "Shape": "builtins.tuple",
    "Slice": "builtins.slice",
    "SliceBound": "builtins.slice",
    "Subscript": "Array.__setitem__",
    "TensordotAxes": "linalg.tensordot",
    "TypeOperand": "result_type",
    "Update": "Array.at",
    "ValueError": "builtins.ValueError",
    "bfloat16_t": "bfloat16",
    "float16_t": "float16",
    "vec": "builtins.tuple",
    "LinAlgError": "linalg.LinAlgError",
    "EigResult": "linalg.EigResult",
    "EighResult": "linalg.EighResult",
    "LdlResult": "linalg.LDLResult",
    "LstsqResult": "linalg.LstsqResult",
    "LuResult": "linalg.LUResult",
    "QrResult": "linalg.QRResult",
    "SchurResult": "linalg.SchurResult",
    "SlogdetResult": "linalg.SlogdetResult",
    "SvdResult": "linalg.SVDResult",
    "HistogramResult": "_results.HistogramResult",
    "TopkResult": "_results.TopkResult",
    "UniqueAllResult": "_results.UniqueAllResult",
    "UniqueCountsResult": "_results.UniqueCountsResult",
    "UniqueInverseResult": "_results.UniqueInverseResult",
    # Members of classes.
    "Array::copy_to": "Array.__array__",
    "Array::node": "explain",  # the graph
    "Array::get": "Array.__getitem__",
    "Array::read_async": "Array.eval",
    "Array::set": "Array.__setitem__",
    "Array::to_vector": "Array.tolist",
    "ElementwiseKernel::outputs": "ElementwiseKernel.__call__",
    "Kernel::launch": "Kernel.__call__",
    "KernelArgument::from_bytes": "Kernel.__call__",  # takes bytes
    "NewArray::dtype": "out",
    "NewArray::shape": "out",
    "opencl::Buffer::get": "opencl.Buffer.handle",
}


HEADERS = make_api.Headers(sorted((ROOT / "include" / "koine").glob("*.hpp")))


def found(path):
    value, names = kn, path.split(".")
    if names[0] == "builtins":
        value = builtins
        names = names[1:]
    for name in names:
        value = getattr(value, name)
    return value


def in_python(name):
    """What Python has of a function, a class or a member of the headers."""
    owner, _, word = name.rpartition("::")
    return found(INSTEAD.get(name) or ".".join(part for part in (INSTEAD.get(owner, owner.replace("::", ".")), word) if part))


def own_classes():
    """Those that are classes of Python's module, too."""
    for name in HEADERS.members:
        try:
            value = in_python(name)
        except AttributeError:
            continue  # which test_a_class_of_cpp_is_there tells
        if inspect.isclass(value) and value.__module__.startswith("koine"):
            yield name


MEMBERS = [f"{name}::{member}" for name in own_classes() for member in HEADERS.members[name]]


@pytest.mark.parametrize("name", sorted(HEADERS.functions))
def test_a_function_of_cpp_is_there(name):
    assert in_python(name) is not None


@pytest.mark.parametrize("name", sorted(HEADERS.members))
def test_a_class_of_cpp_is_there(name):
    assert in_python(name) is not None or INSTEAD[name] == "newaxis"


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_a_member_of_cpp_is_there(name):
    assert in_python(name) is not None


def test_the_headers_are_read():
    assert {"Array", "Kernel", "Program", "Queue", "Event", "Device", "profile::Session", "random::Generator"} < set(own_classes())
    assert {"Array::eval", "Array::sum", "Device::has_fp16", "Program::from_binary", "Queue::record", "Event::done",
            "profile::Session::save_trace", "profile::Row::share", "random::Generator::seed"} < set(MEMBERS)
    assert not [name for name in MEMBERS if name.endswith("_")]  # none that is private


def test_the_list_of_exceptions_is_not_longer_than_needed():
    assert not set(INSTEAD) - {*HEADERS.functions, *HEADERS.members, *MEMBERS}


def test_functions_know_their_parameters():
    for name, value in vars(kn).items():
        if inspect.isbuiltin(value) or inspect.isfunction(value):
            assert inspect.signature(value) is not None, name
            assert value.__module__.startswith("koine"), name


def test_options_of_cpp_are_parameters_of_python():
    for name, function in HEADERS.functions.items():
        if name in INSTEAD or name in ("bincount", "random::Generator::shuffle"):  # an array that is shuffled has its device
            continue
        signature = inspect.signature(in_python(name))
        for option in function.options:
            struct = [s for s, fields in HEADERS.structs.items() if option in fields]
            if not struct or not any("." + option in text for text in function.signatures):
                continue  # no member of an options struct
            assert option in signature.parameters, f"{name} lacks {option}"
