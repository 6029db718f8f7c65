"""Rule books: one decision at a time, or many rows at once as NumPy arrays."""
from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _given
from ._given import Json

if TYPE_CHECKING:
    import numpy
    import numpy.typing

STATUSES = ("decided", "undetermined", "no_hit", "failed")


class RuleBook:
    """A book of rules without faults, to decide with. Immutable: threads may share it; it can be pickled.

    Args:
        rules: "reference", "field_guide", or the folder of a rule book.
        lang: of the sentences, "en" or "zh"; where a rule has none in that language, it is English.

    Raises:
        LoadError: the book has faults; the text names place, finding, expectation and fix of each.
    """

    def __init__(self, rules: str | os.PathLike[str] = "reference", *, lang: str = "en") -> None:
        self._made_of: tuple[str, ...] = (os.fspath(rules), lang)
        self._book = _core.RuleBook(*self._made_of)

    @classmethod
    def from_text(cls, text: str, file: str = "rules.yaml", *, lang: str = "en") -> RuleBook:
        """One file of rules at hand; `file` is its name in messages. Raises LoadError like the constructor."""
        book = cls.__new__(cls)
        book._made_of = (text, file, lang)
        book._book = _core.RuleBook.from_text(text, file, lang)
        return book

    @property
    def name(self) -> str:
        """The name, or folder, or file of the book."""
        return self._book.name()

    @property
    def decisions(self) -> list[str]:
        """Names of the decisions, each behind those it needs."""
        return self._book.decisions()

    @property
    def facts(self) -> list[str]:
        """Names of the facts that the book declares, dotted: "plan.tensor"."""
        return self._book.facts()

    def decide(self, decision: str, facts: Mapping[str, Any]) -> Json:
        """One decision: status ("decided", "undetermined", "no_hit", "failed"), output, hits with reasons, unknown facts that would decide.

        Args:
            decision: its name; one that the book does not have fails with the nearest name.
            facts: dicts within dicts: the fact plan.tensor is facts["plan"]["tensor"]. What is missing is unknown; None is known not to apply.
        """
        answer: Json = json.loads(self._book.decide(decision, _given.as_json(facts, "facts")))
        return answer

    def decide_rows(self, decisions: str | Sequence[str], facts: Mapping[str, Any]) -> RuleRows:
        """Decisions about many rows at once, on all cores; needs NumPy.

        Args:
            decisions: one name, or several.
            facts: dotted name -> one value for all rows, or a one-dimensional array or list with one a row; a pandas DataFrame will do. Numbers are
                in the unit of the fact; NaN and, in lists, None are unknown. Contiguous float64 arrays are read where they are.

        Raises:
            LoadError: the book has no such name, or values are not of the fact's kind.
            ValueError: columns of different lengths, or none at all.
        """
        return RuleRows(self._book, [decisions] if isinstance(decisions, str) else list(decisions), facts)

    def __reduce__(self) -> tuple[Any, ...]:
        if len(self._made_of) == 3:
            text, file, lang = self._made_of
            return _from_text, (text, file, lang)
        rules, lang = self._made_of
        return _from_rules, (rules, lang)

    def __repr__(self) -> str:
        return f"<RuleBook {self.name}: {len(self.decisions)} decisions over {len(self.facts)} facts>"


def _from_text(text: str, file: str, lang: str) -> RuleBook:
    return RuleBook.from_text(text, file, lang=lang)


def _from_rules(rules: str, lang: str) -> RuleBook:
    return RuleBook(rules, lang=lang)


@dataclasses.dataclass(frozen=True)
class RuleColumn:
    """What one decision came to in every row. The arrays own the memory that the decision was written to."""

    decision: str
    rules: list[str]
    """Ids of the decision's rules; places in it are the numbers of `rule`."""
    rule: numpy.typing.NDArray[numpy.int32]
    """The rule that applied, the first where several did; -1: none, or not decided. Empty where the decision is an expression."""
    status: numpy.typing.NDArray[numpy.uint8]
    """Places in STATUSES: 0 decided, 1 undetermined, 2 no_hit, 3 failed."""
    numbers: numpy.typing.NDArray[numpy.float64]
    """In the unit of the decision, NaN where there is none. Empty where it gives something else: see RuleRows.outcome."""


class RuleRows(Mapping[str, RuleColumn]):
    """Decisions about many rows, by name; `outcome` tells one of them in full."""

    def __init__(self, book: _core.RuleBook, decisions: Sequence[str], facts: Mapping[str, Any]) -> None:
        columns = {str(name): _column(str(name), value) for name, value in facts.items()}
        counts = {name: count for name, (_, _, count) in columns.items() if count is not None}
        if len(set(counts.values())) != 1:
            raise ValueError(f"facts: expected columns of one length, found {counts or 'no column'}; give at least one array, all of equal length")
        self.count: int = next(iter(counts.values()))
        self._rows = _core.RuleRows(book, self.count)
        for name, (kind, value, _) in columns.items():
            getattr(self._rows, kind)(name, value)
        import numpy
        self._columns = {}
        for name, (rules, *buffers) in zip(decisions, self._rows.decide(list(decisions))):
            self._columns[name] = RuleColumn(name, rules, *map(numpy.asarray, buffers))

    def __getitem__(self, decision: str) -> RuleColumn:
        return self._columns[decision]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def outcome(self, decision: str, row: int) -> Json:
        """One decision of one row (from 0), in the form of RuleBook.decide. IndexError where there is no such row."""
        if not 0 <= row < self.count:
            raise IndexError(f"row {row} of {self.count}")
        answer: Json = json.loads(self._rows.outcome(decision, row))
        return answer

    def __repr__(self) -> str:
        return f"<RuleRows {', '.join(self._columns)}: {self.count} rows>"


def _column(name: str, value: Any) -> tuple[str, Any, int | None]:
    """How a column goes in (a method of _core.RuleRows), its form for that, and its rows; none where one value stands for all."""
    if value is None or isinstance(value, (str, bool, int, float, Mapping)):
        return "constant", json.dumps(value, default=_given.plain), None
    import numpy
    array = numpy.asarray(value)
    if array.ndim == 0:
        return "constant", json.dumps(array.item()), None
    if array.ndim != 1:
        raise ValueError(f"facts[{name!r}]: expected one dimension, found {array.ndim}; give one value a row")
    if array.dtype.kind == "b":
        return "flags", numpy.ascontiguousarray(array, dtype=numpy.uint8), len(array)
    if array.dtype.kind in "iuf":
        return "numbers", numpy.ascontiguousarray(array, dtype=numpy.float64), len(array)
    values = array.tolist()
    if values and all(isinstance(one, str) for one in values):
        return "texts", values, len(values)
    return "values", json.dumps([None if _is_missing(one) else one for one in values], default=_given.plain), len(values)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
