# SPDX-License-Identifier: Apache-2.0
"""The `koine` command, `python -m koine`: devices, doctor, monitor, cache, bench, tune."""
import os
import pathlib
import sys

from . import _opencl

_COMMAND = pathlib.Path(__file__).parent / "bin" / "koine-main"


def main():
    """Becomes the command proper, with the same loader and drivers as `import koine`. A wheel brings it; in a build folder
    it lies above the module."""
    built = pathlib.Path(__file__).absolute().parent.parent.parent / "koine-main"
    command = next((path for path in (_COMMAND, built) if path.exists()), None)
    if command is None:
        sys.exit(f"koine: the command is missing; it is installed as {_COMMAND}")
    environment = dict(os.environ)
    if folder := _opencl.vendors():
        environment["OCL_ICD_VENDORS"] = str(folder)
    if loader := _opencl.own_loader():
        # The command is linked to the loader, so it must be found before the command runs.
        paths = [str(loader.parent), environment.get("LD_LIBRARY_PATH", "")]
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, paths))
    sys.stdout.flush()
    os.execve(command, ["koine", *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
