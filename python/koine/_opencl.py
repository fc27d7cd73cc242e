# SPDX-License-Identifier: Apache-2.0
"""Finds OpenCL before the library is loaded: the loader, which is the system's or else the one in the wheel, and the
drivers that pip installed beside this Python."""
import ctypes
import functools
import hashlib
import os
import pathlib
import sys
import tempfile

_LOADER = "libOpenCL.so.1"
_OWN_LOADER = pathlib.Path(__file__).parent / "loader" / _LOADER
# Variables by which a user says what the loader reads. Where one is set, nothing is added.
_VARIABLES = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH")
_SYSTEM = pathlib.Path("/etc/OpenCL/vendors")


@functools.cache  # once it is loaded, it is found as the system's would be
def own_loader():
    """The wheel's loader where the system has none, else None."""
    try:
        ctypes.CDLL(_LOADER)
    except OSError:
        return _OWN_LOADER if _OWN_LOADER.exists() else None
    return None


def _library(file, prefix):
    """What an .icd file of this prefix names. A package made for another installer may name a folder that is not here; its
    library lies in the prefix then."""
    lines = file.read_text(errors="replace").split("\n")
    library = pathlib.Path(lines[0].strip())
    if library.is_absolute() and not library.exists():
        library = prefix / "lib" / library.name
    return library


def drivers(prefix):
    """The drivers that packages of pip have registered below this prefix, by the names of their files."""
    found = {}
    for file in sorted((prefix / "etc" / "OpenCL" / "vendors").glob("*.icd")):
        library = _library(file, prefix)
        # Intel's package has an emulator of its FPGAs beside the processor's driver: slow, and no device to compute on.
        if library.is_absolute() and library.exists() and "emu" not in library.stem:
            found[file.name] = str(library)
    return found


def _folder(files):
    """A folder that holds these files, by name: the user's cache, or one for this process."""
    name = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "koine" / "vendors" / name
    try:
        if not folder.is_dir():
            folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside = pathlib.Path(tempfile.mkdtemp(dir=folder.parent))
            _write(beside, files)
            try:
                beside.rename(folder)
            except OSError:  # another process was first
                if not folder.is_dir():
                    raise
        if folder.stat().st_uid == os.getuid():
            return folder
    except (OSError, RuntimeError):  # a home that cannot be written, or is not known
        pass
    folder = pathlib.Path(tempfile.mkdtemp(prefix="koine-vendors-"))
    _write(folder, files)
    return folder


def _write(folder, files):
    for name, text in files.items():
        (folder / name).write_text(text + "\n")


def vendors(prefix=pathlib.Path(sys.prefix), system=_SYSTEM):
    """A folder with the system's drivers and those of this prefix, or None where the loader's own search finds as many."""
    if any(os.environ.get(name) for name in _VARIABLES):
        return None
    own = drivers(prefix)
    if not own:
        return None
    known = {}
    for file in sorted(system.glob("*.icd")):
        try:
            known[file.name] = file.read_text(errors="replace").split("\n")[0].strip()
        except OSError:
            continue
    # One driver twice would be one device twice.
    names = {pathlib.Path(library).name.partition(".so")[0] for library in known.values()}
    added = {f"python-{name}": library for name, library in own.items()
             if pathlib.Path(library).name.partition(".so")[0] not in names}
    return _folder(known | added) if added else None


def prepare():
    """Loads the loader, so that the library's own need of it is met, and says where drivers are."""
    if folder := vendors():
        os.environ["OCL_ICD_VENDORS"] = str(folder)
    if loader := own_loader():
        ctypes.CDLL(str(loader))
