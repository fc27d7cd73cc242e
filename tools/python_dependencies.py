# SPDX-License-Identifier: Apache-2.0
"""What the Python package needs to be built and to run, beside what pyproject.toml names for every Python; scikit-build-core
asks for it."""
import sys
import sysconfig


def _dependencies():
    # A free-threaded Python before 3.15 has no stable interface: there nanobind is part of the module (cmake/python.cmake).
    alone = sysconfig.get_config_var("Py_GIL_DISABLED") and sys.version_info < (3, 15)
    return [] if alone else ["nanobind-backend>=1.0,<2"]


def get_requires_for_dynamic_metadata(settings):
    return _dependencies()


def dynamic_metadata(settings, project):
    return {"dependencies": _dependencies()}


def dynamic_wheel(settings):
    return {"dependencies": True}
