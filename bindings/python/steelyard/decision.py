"""The answer of `select_cluster`."""
from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from ._given import Json, offer_id

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas


class Decision:
    """Answer of `select_cluster`: every offer ranked, rejected or undecided, each with its reason. Picklable."""

    def __init__(self, workload: Mapping[str, Any], options: Mapping[str, Any], answer: Json) -> None:
        self._workload, self._options = dict(workload), dict(options)
        self.answer = answer
        """The whole answer, as `advise recommend --format json` prints it."""

    @property
    def best(self) -> Json | None:
        """The first entry of the ranking, or None where nothing fits."""
        return self.ranking[0] if self.ranking else None

    @property
    def ranking(self) -> list[Json]:
        """Accepted offers, best first."""
        return list(self.answer["ranking"])

    @property
    def pareto(self) -> list[Json]:
        """Offers that none beats in both time and cost, fastest first: {"offer", "time_h", "cost"}."""
        return list(self.answer["pareto"])

    def compare(self, one: str | Mapping[str, Any], other: str | Mapping[str, Any]) -> Json:
        """Two offers (ids or entries of the ranking) side by side: the first step where they differ, then the terms of their cost.

        Raises:
            LoadError: the catalog holds no such offer; the text names the nearest ones.
        """
        answer: Json = json.loads(_core.compare(json.dumps(self._workload), offer_id(one), offer_id(other), **self._options))
        return answer

    def report(self, format: str = "text", *, lang: str = "en", top: int = 10) -> str:
        """The answer as a page: "text", "markdown", "csv" or "html"; `lang` is "en" or "zh".

        Raises:
            ValueError: another format or language.
        """
        if format not in ("text", "markdown", "csv", "html"):
            raise ValueError(f"format: expected one of text, markdown, csv, html; found {format!r}")
        return _core.report(json.dumps(self._workload), format, lang, top=top, **self._options)

    def to_pandas(self) -> pandas.DataFrame:
        """Every offer in a row (ranked, undecided, rejected), with verdict, reason and figures; needs pandas. Columns: docs/guide/reports.md."""
        import io

        import pandas
        return pandas.read_csv(io.StringIO(self.report("csv")))

    def plot_pareto(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Accepted offers by time (h) and cost, both axes logarithmic, the front joined; needs matplotlib. Returns the axes."""
        import matplotlib.pyplot
        axes: matplotlib.axes.Axes = ax if ax is not None else matplotlib.pyplot.subplots()[1]
        priced = [entry for entry in self.ranking if entry["time_h"] and entry["cost"]]
        currency = priced[0]["cost"]["currency"] if priced else ""
        same = [entry for entry in priced if entry["cost"]["currency"] == currency]
        axes.scatter([entry["time_h"] for entry in same], [entry["cost"]["amount"] for entry in same], s=14, facecolors="none", edgecolors="grey")
        front = [point for point in self.pareto if point["cost"]["currency"] == currency]
        axes.plot([point["time_h"] for point in front], [point["cost"]["amount"] for point in front], "o--")
        axes.set(xscale="log", yscale="log", xlabel="time of the whole work, h", ylabel=f"cost of the whole work, {currency}")
        return axes

    def _repr_html_(self) -> str:
        """A frame with the HTML report, for notebooks."""
        page = html.escape(self.report("html"), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0" title="steelyard decision"></iframe>'

    def explain(self, offer: str | Mapping[str, Any]) -> Json:
        """The full trace of one offer, given by its id or as an entry of the ranking.

        Raises:
            LoadError: the catalog holds no such offer; the text names the nearest ones.
        """
        answer: Json = json.loads(_core.explain(json.dumps(self._workload), offer_id(offer), **self._options))
        return answer

    def launch(self, offer: str | Mapping[str, Any] = "", *, framework: str = "") -> Json:
        """The files that make the plan of an offer true, as `advise launch --format json` prints them: {"offer", "configuration", "plan", "launch"}.

        Args:
            offer: its id, or an entry of the ranking; empty means the best one.
            framework: "fsdp", "deepspeed", "megatron", "vllm" or "sglang"; empty means the first that can carry out the plan.

        Raises:
            LoadError: there is no such offer, none is accepted, or no program can carry out its plan.
        """
        answer: Json = json.loads(_core.launch(json.dumps(self._workload), offer_id(offer), framework, **self._options))
        return answer

    def __repr__(self) -> str:
        counts = self.answer["offers"]
        best = self.best["offer"] if self.best else "nothing fits"
        return f"<steelyard.Decision: {best}; {counts['accepted']} of {counts['total']} offers accepted>"
