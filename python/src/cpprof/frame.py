"""What are the columns of a table?"""
import math
import re

import numpy as np

from .trouble import CpprofError

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
EXACT_MAX = 2**53 # a double has every whole number up to here


class Frame(dict):
    """NumPy columns of one length by name; `units` has the unit of each.

    Text is an object column with None where it is missing, a number a double with NaN. Whole numbers are int64 when
    all are known, else doubles with NaN, or objects with None where a double would not be exact.
    """

    def __init__(self, columns, units=None, whole=()):
        super().__init__(columns)
        self.units = dict(units or {})
        self.whole = frozenset(whole)

    @property
    def rows(self):
        """How many rows there are."""
        return len(next(iter(self.values()))) if self else 0

    def to_pandas(self):
        """A pandas.DataFrame; whole numbers that may be missing are Int64, and `attrs` has the units."""
        import pandas

        frame = pandas.DataFrame(dict(self))
        for name in self.whole:
            if frame[name].dtype != np.int64:
                frame[name] = frame[name].astype("Int64")
        frame.attrs["units"] = self.units
        return frame

    def to_arrow(self):
        """A pyarrow.Table whose fields have their unit as metadata."""
        import pyarrow

        arrays, fields = [], []
        for name, column in self.items():
            if name in self.whole and column.dtype != np.int64:
                column = [None if cell is None or cell != cell else int(cell) for cell in column]
            kind = (pyarrow.string() if self.units.get(name) == "text" else
                    pyarrow.int64() if name in self.whole else pyarrow.float64())
            arrays.append(pyarrow.array(column, type=kind, from_pandas=True))
            fields.append(pyarrow.field(name, kind, metadata={"unit": self.units.get(name, "")}))
        return pyarrow.table(arrays, schema=pyarrow.schema(fields))

    def __repr__(self):
        return f"<cpprof.Frame: {self.rows} rows of {', '.join(self)}>"


def text_column(cells):
    """Texts, None for an empty cell."""
    column = np.empty(len(cells), dtype=object)
    column[:] = [cell or None for cell in cells]
    return column


def _number(cell):
    """A number as cpprof writes it: decimal, without nan, inf, blanks or underscores."""
    if not NUMBER.fullmatch(cell) or not math.isfinite(float(cell)):
        raise ValueError(cell)
    return float(cell)


def number_column(cells):
    """Doubles, NaN for an empty cell. Raises ValueError with the cell that is no number."""
    return np.array([_number(cell) if cell else np.nan for cell in cells], dtype=np.float64)


def _whole(cell):
    value = _number(cell)
    if value != int(value):
        raise ValueError(cell)
    return int(cell) if cell.lstrip("+-").isdigit() else int(value)


def whole_column(cells):
    """Whole numbers; the class says of which type. Raises ValueError with the cell that is none."""
    values = [_whole(cell) if cell else None for cell in cells]
    known = [value for value in values if value is not None]
    if len(known) == len(values) and all(-2**63 <= value < 2**63 for value in known):
        return np.array(values, dtype=np.int64)
    if all(abs(value) <= EXACT_MAX for value in known):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def frame_of(path, schema, header, rows):
    """The frame of a CSV by the columns of its table (tables.json); `rows` are lists of cells."""
    makers = {column["name"]: text_column if column["unit"] == "text" else
              whole_column if column["whole"] else number_column for column in schema}
    frame = Frame({}, {column["name"]: column["unit"] for column in schema},
                  [column["name"] for column in schema if column["whole"]])
    for column in schema:
        name, found = column["name"], header.count(column["name"])
        if found > 1 or not (found or column["may_lack"]):
            raise CpprofError(path, f"the header has the column '{name}' {found} times", "it once",
                              "read it with the cpprof package of the version that wrote it")
        at = header.index(name) if found else None
        try:
            frame[name] = makers[name]([row[at] for row in rows] if found else [""] * len(rows))
        except ValueError as error:
            raise CpprofError(path, f"the column '{name}' has {str(error)!r}", "a number", "record it again") from None
    return frame
