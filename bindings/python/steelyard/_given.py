"""What callers give, in the form that the compiled core takes."""
from __future__ import annotations

import datetime
import decimal
import json
import numbers
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Json = dict[str, Any]
Path = str | os.PathLike[str]
Files = Mapping[str, str | bytes] | Path | Iterable[Path]
"""Texts by name, or paths."""
Measured = str | os.PathLike[str] | Mapping[str, Any]
"""A calibration: the path of a file, or what `calibrate` returned."""


def plain(value: Any) -> Any:
    """What JSON has no form for, where its meaning is plain: scalars of NumPy, pandas and decimal, paths, dates, times, other mappings."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, datetime.date):  # datetimes and pandas timestamps too
        return datetime.date(value.year, value.month, value.day).isoformat()
    if isinstance(value, datetime.timedelta):
        return f"{value.total_seconds() / 3600:g} h"
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, (numbers.Real, decimal.Decimal)):
        return float(value)
    if callable(getattr(value, "to_dict", None)):
        return value.to_dict()
    if callable(getattr(value, "tolist", None)):
        return value.tolist()
    raise TypeError(f"expected text, numbers, lists and dicts, found {type(value).__name__}: {value!r:.60}")


def as_json(value: Mapping[str, Any] | None, what: str, keys: Mapping[str, Any] | None = None) -> str:
    """A job, configuration or stack as JSON; `keys` are laid over it."""
    if value is not None and not isinstance(value, Mapping):
        if not callable(getattr(value, "to_dict", None)):
            hint = "; read the file first, with json.load or yaml.safe_load" if isinstance(value, (str, os.PathLike)) else ""
            raise TypeError(f"{what}: expected a dict, found {type(value).__name__}{hint}")
        value = value.to_dict()
    return json.dumps({**(value or {}), **(keys or {})}, default=plain)


def paths(given: Path | Iterable[Path], what: str) -> list[str]:
    """One path, or several."""
    several = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    for one in several:
        if not isinstance(one, (str, os.PathLike)):
            raise TypeError(f"{what}: expected paths, found {type(one).__name__}: {one!r:.60}")
    return [os.fspath(one) for one in several]


def clean_text(text: str | bytes, what: str) -> str:
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if not isinstance(text, str):
        hint = f"; read the file first: {type(text).__name__}(...).read_text()" if isinstance(text, os.PathLike) else ""
        raise TypeError(f"{what}: expected a text, found {type(text).__name__}{hint}")
    return text.encode("utf-8", "replace").decode("utf-8")  # halves of surrogate pairs have no form in UTF-8


def offer_id(offer: str | Mapping[str, Any]) -> str:
    """The id of an offer, given as such or as an entry of a ranking."""
    if isinstance(offer, Mapping) and "offer" in offer:
        offer = offer["offer"]
    if not isinstance(offer, str):
        raise TypeError(f"offer: expected the id of an offer or an entry of a ranking, found {type(offer).__name__}")
    return offer


def calibrations(given: Measured | Sequence[Measured] | None) -> str:
    """As the core takes it: a JSON list of paths and calibrations; empty for none."""
    if given is None:
        return ""
    several: list[Measured] = [given] if isinstance(given, (str, os.PathLike, Mapping)) else list(given)
    return json.dumps([dict(one) if isinstance(one, Mapping) else os.fspath(one) for one in several], default=plain)


def day(today: str | datetime.date | None) -> str:
    day = today or datetime.datetime.now(datetime.timezone.utc)
    if isinstance(day, datetime.date):
        return datetime.date(day.year, day.month, day.day).isoformat()
    if not isinstance(day, str):
        raise TypeError(f"today: expected a date or a text such as 2026-11-30, found {type(day).__name__}")
    return day


def named_texts(files: Files) -> list[tuple[str, str]]:
    """Names with texts: as given, or read from paths, as UTF-8 whatever the locale says."""
    if isinstance(files, Mapping):
        return [(str(name), clean_text(text, str(name))) for name, text in files.items()]
    return [(pathlib.Path(path).name, clean_text(pathlib.Path(path).read_bytes(), path)) for path in paths(files, "files")]
