# SPDX-License-Identifier: Apache-2.0
"""Arrays as text: as NumPy prints them where it is installed, else as the library does."""
from . import _koine


def _edges(x, edge):
    """The same array with at most 2 * edge + 1 entries along each axis: those that are printed, and one for the dots."""
    for axis, size in enumerate(x.shape):
        if size > 2 * edge:
            first = (slice(None),) * axis
            x = _koine.concat([x[first + (slice(edge + 1),)], x[first + (slice(size - edge, None),)]], axis=axis)
    return x


def _text(x, **named):
    """What NumPy's array2string gives, with Koine's print options."""
    import numpy

    options = _koine.print_options()
    summarized = x.size > options["threshold"]
    shown = _edges(x, options["edgeitems"]) if summarized else x
    if x.dtype == _koine.bfloat16:
        shown = shown.astype(_koine.float32)
    shown = numpy.asarray(shown)
    return numpy.array2string(shown, precision=options["precision"], threshold=0 if summarized else x.size + 1,
                              edgeitems=options["edgeitems"], max_line_width=options["linewidth"], **named)


def text(self):
    """The values between brackets."""
    try:
        return _text(self)
    except ImportError:
        return _koine.to_string(self)


def representation(self):
    """The values as array(...), with their type where it is not the one that such numbers get."""
    kind = self.dtype.kind
    usual = {"b": _koine.bool, "i": _koine.int64, "f": _koine.default_dtype(),
             "c": _koine.result_type(_koine.default_dtype(), _koine.complex64)}.get(kind)
    notes = f", shape={self.shape}" if self.size == 0 and self.shape != (0,) else ""
    notes += f", dtype={self.dtype}" if self.dtype != usual or self.size == 0 else ""
    try:
        values = "[]" if self.size == 0 else _text(self, separator=", ", prefix="array(", suffix=notes + ")")
    except ImportError:
        values = _koine.to_string(self).removesuffix(f" {self.dtype}")
    return f"array({values}{notes})"
