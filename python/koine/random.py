# SPDX-License-Identifier: Apache-2.0
"""Random numbers: the same seed gives the same bits on every device."""
from . import _koine

Generator = _koine._random.Generator

__all__ = ["Generator", "default_rng"]


def default_rng(seed=None, counter=0, /):
    """The stream of a seed, from its word `counter` on.

    Parameters
    ----------
    seed : int or Generator, optional
        The seed; None lets the system draw one, a Generator is given back.
    counter : int, optional
        How many words of the stream are passed over.

    Returns
    -------
    Generator
    """
    return _koine._default_rng(seed, counter)


def __getattr__(name):
    ours = {"rand": "random", "randn": "standard_normal", "random_sample": "random", "randint": "integers", "seed": "random"}.get(name, name)
    if not name.startswith("_") and hasattr(Generator, ours):
        raise AttributeError(f"koine.random has no {name}; make a generator, rng = koine.random.default_rng(7), and write rng.{ours}")
    raise AttributeError(f"module 'koine.random' has no attribute {name!r}")
