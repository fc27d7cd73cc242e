# SPDX-License-Identifier: Apache-2.0
"""The module's functions as Python's own, with signatures that inspect, help and editors can read."""
import ast
import functools
import inspect
from inspect import Parameter


def _signature(function):
    """What nanobind writes of the function's first overload; what it calls arg0, arg1, ... has no name."""
    text, _, defaults = function.__nb_signature__[0]
    # A default stands there as its place in `defaults`, behind a backslash.
    arguments = ast.parse(text.replace("\\", "") + ": pass").body[0].args

    def parameter(argument, default, kind):
        value = Parameter.empty if default is None else defaults[default.value]
        return Parameter(argument.arg, kind, default=value)

    positional = arguments.posonlyargs + arguments.args
    given = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    result = [parameter(argument, default,
                        Parameter.POSITIONAL_ONLY if argument.arg.startswith("arg") else Parameter.POSITIONAL_OR_KEYWORD)
              for argument, default in zip(positional, given)]
    if arguments.vararg:
        result.append(parameter(arguments.vararg, None, Parameter.VAR_POSITIONAL))
    result += [parameter(argument, default, Parameter.KEYWORD_ONLY)
               for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return inspect.Signature(result)


def inspectable(function):
    """The same function with a signature."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*args, **kwargs)

    call.__signature__ = _signature(function)
    return call
