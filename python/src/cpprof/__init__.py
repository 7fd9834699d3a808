"""Reads cpprof's bundles as NumPy columns, and runs cpprof. The manual is docs/python.md."""
from .bundle import Bundle, load
from .frame import Frame
from .program import ExitStatus, Result, capture, check, compare, report, run
from .trouble import CpprofError, CpprofWarning

__all__ = ["Bundle", "CpprofError", "CpprofWarning", "ExitStatus", "Frame", "Result", "capture", "check", "compare",
           "load", "report", "run"]
