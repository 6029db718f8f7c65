"""Refuses interpreters beside the main one: the core would wait there for a lock that never comes free."""
from __future__ import annotations

import ctypes


def _is_main() -> bool:
    api = getattr(ctypes, "pythonapi", None)
    if api is None:  # no CPython
        return True
    current, main = api.PyInterpreterState_Get, api.PyInterpreterState_Main
    current.restype = main.restype = ctypes.c_void_p
    return bool(current() == main())


if not _is_main():
    raise ImportError("steelyard works in the main interpreter only; use threads or processes")
