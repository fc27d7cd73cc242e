# SPDX-License-Identifier: Apache-2.0
"""What a wheel adds to the module: the search for the loader and drivers, the command, and docstrings from the headers."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import sysconfig
import tomllib

import pytest

import koine as kn
from koine import _opencl

LIBRARY = "libintelocl.so"


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """No variable of the loader's is set, and the user's cache is empty."""
    for name in _opencl._VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def prefix_with(folder, text, file="intel-cpu.icd", library=LIBRARY):
    vendors = folder / "etc" / "OpenCL" / "vendors"
    vendors.mkdir(parents=True)
    (folder / "lib").mkdir(exist_ok=True)
    if library:
        (folder / "lib" / library).touch()
    (vendors / file).write_text(text)
    return folder


def contents(folder):
    return {file.name: file.read_text().strip() for file in folder.iterdir()}


def test_a_driver_of_pip_joins_those_of_the_system(alone):
    prefix = prefix_with(alone / "prefix", f"{alone}/prefix/lib/{LIBRARY}\n")
    system = alone / "system"
    system.mkdir()
    (system / "pocl.icd").write_text("libpocl.so.2\n")
    folder = _opencl.vendors(prefix, system)
    assert contents(folder) == {"pocl.icd": "libpocl.so.2", "python-intel-cpu.icd": f"{alone}/prefix/lib/{LIBRARY}"}
    assert folder.is_relative_to(alone / "cache")
    assert _opencl.vendors(prefix, system) == folder


def test_a_driver_whose_file_names_another_prefix_is_found(alone):
    prefix = prefix_with(alone / "prefix", f"/opt/not/here/lib/{LIBRARY}")
    assert _opencl.drivers(prefix) == {"intel-cpu.icd": str(prefix / "lib" / LIBRARY)}


@pytest.mark.parametrize("text, library", [("/nowhere/libnone.so", None), ("", None), ("/x/libintelocl_emu.so", "libintelocl_emu.so")])
def test_what_is_no_driver_is_left_out(alone, text, library):
    prefix = prefix_with(alone / "prefix", text, library=library)
    assert _opencl.drivers(prefix) == {}
    assert _opencl.vendors(prefix, alone / "none") is None


def test_a_driver_that_the_system_has_is_not_added_again(alone):
    prefix = prefix_with(alone / "prefix", f"{alone}/prefix/lib/{LIBRARY}")
    system = alone / "system"
    system.mkdir()
    (system / "intel.icd").write_text(f"/usr/lib/{LIBRARY}.2026")
    assert _opencl.vendors(prefix, system) is None


@pytest.mark.parametrize("name", _opencl._VARIABLES)
def test_what_the_user_has_set_is_left_alone(alone, monkeypatch, name):
    prefix = prefix_with(alone / "prefix", f"{alone}/prefix/lib/{LIBRARY}")
    monkeypatch.setenv(name, "/somewhere")
    assert _opencl.vendors(prefix, alone / "none") is None


def test_without_a_cache_the_folder_is_a_temporary_one(alone, monkeypatch):
    (alone / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(alone / "file"))
    prefix = prefix_with(alone / "prefix", f"{alone}/prefix/lib/{LIBRARY}")
    assert list(contents(_opencl.vendors(prefix, alone / "none"))) == ["python-intel-cpu.icd"]


def test_the_command_takes_the_wheels_loader_though_the_module_has_loaded_it(monkeypatch, tmp_path):
    loaded, loader = [], tmp_path / "libOpenCL.so.1"
    loader.touch()

    def load(name):
        if name == "libOpenCL.so.1" and not loaded:
            raise OSError("there is none")
        loaded.append(name)

    monkeypatch.setattr(_opencl.ctypes, "CDLL", load)
    monkeypatch.setattr(_opencl, "_OWN_LOADER", loader)
    monkeypatch.setattr(_opencl, "vendors", lambda: None)
    _opencl.own_loader.cache_clear()
    try:
        _opencl.prepare()
        assert loaded == [str(loader)]
        assert _opencl.own_loader() == loader
    finally:
        _opencl.own_loader.cache_clear()


def test_the_command_lists_the_devices():
    run = subprocess.run([sys.executable, "-m", "koine", "devices"], capture_output=True, text=True, cwd="/")
    assert run.returncode == 0, run.stderr
    assert kn.__array_namespace_info__().default_device().selector in run.stdout


def test_the_command_finds_that_all_is_well():
    run = subprocess.run([sys.executable, "-m", "koine", "doctor"], capture_output=True, text=True, cwd="/")
    assert run.returncode == 0, run.stdout + run.stderr
    default = kn.__array_namespace_info__().default_device().selector
    lines = [line.split(maxsplit=2) for line in run.stdout.splitlines()]
    for what in ("device", "self-test"):
        assert any(line[:2] == [what, "ok"] and line[2].startswith(default) for line in lines), run.stdout


def test_the_module_keeps_to_the_stable_interface():
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        assert pathlib.Path(kn._koine.__file__).name == "_koine.abi3.so"


def test_importing_looks_for_no_device():
    code = "import koine; print('imported')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd="/",
                         env=os.environ | {"KOINE_DEVICE": "no such device"})
    assert run.stdout == "imported\n", run.stderr


def test_a_free_threaded_python_needs_no_backend_of_nanobind(monkeypatch):
    root = pathlib.Path(__file__).resolve().parents[2]
    asked = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["dynamic-metadata"][-1]["provider"]
    spec = importlib.util.spec_from_file_location(asked["module"], root / asked["path"] / (asked["module"] + ".py"))
    provider = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(provider)
    for free, version, needed in ((0, (3, 14), True), (None, (3, 11), True), (1, (3, 14), False), (1, (3, 15), True)):
        monkeypatch.setattr(sysconfig, "get_config_var", lambda name: free)
        monkeypatch.setattr(sys, "version_info", version)
        built, runs = provider.get_requires_for_dynamic_metadata({}), provider.dynamic_metadata({}, {})["dependencies"]
        assert built == runs and bool(runs) == needed and all(each.startswith("nanobind-backend") for each in runs)
