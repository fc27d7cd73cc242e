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
