"""Which multi-GPU server or cluster to rent for a job, and why.

    import steelyard
    decision = steelyard.select_cluster(task="full_finetune", model="meta-llama/Meta-Llama-3-70B", batch={"global": 256})
    print(decision.best["offer"])
    print(decision.explain(decision.best["offer"])["trace"])

Inputs are plain dicts in the form of the workload and configuration files; answers are dicts in the form of `advise --format json`.
"""
from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._core import LoadError

__all__ = ["Decision", "LoadError", "__version__", "check_stack", "diagnose", "estimate", "read_tool_output", "select_cluster"]
__version__ = "0.1.0"

Json = dict[str, Any]


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

    def explain(self, offer: str) -> Json:
        """The full trace of one offer.

        Raises:
            LoadError: the catalog holds no such offer; the text names the nearest ones.
        """
        answer: Json = json.loads(_core.explain(json.dumps(self._workload), offer, **self._options))
        return answer

    def __repr__(self) -> str:
        counts = self.answer["offers"]
        best = self.best["offer"] if self.best else "nothing fits"
        return f"<steelyard.Decision: {best}; {counts['accepted']} of {counts['total']} offers accepted>"


def select_cluster(workload: Mapping[str, Any] | None = None, *, catalogs: Sequence[str | os.PathLike[str]] = (), rules: str = "reference",
                   today: str | datetime.date | None = None, top: int = 1_000_000, **keys: Any) -> Decision:
    """Rank the offers of a catalog for a job.

    Args:
        workload: the job as a dict; `keys` are added to it (task="lora", model="...", batch={"global": 32}).
        catalogs: files or folders of offers; none means those shipped with the library.
        rules: "reference", "field_guide", or the folder of a rule book.
        today: the day for which prices count; None means the current date.
        top: most entries of the ranking.

    Raises:
        LoadError: the workload, a catalog or a rule book has errors; the text names place, finding, expectation and fix.
    """
    job = {**(workload or {}), **keys}
    day = str(today or datetime.datetime.now(datetime.timezone.utc).date())
    options = {"rules": rules, "catalogs": [os.fspath(path) for path in catalogs], "today": day}
    answer: Json = json.loads(_core.select_cluster(json.dumps(job), top=top, **options))
    return Decision(job, options, answer)


def estimate(workload: Mapping[str, Any], configuration: Mapping[str, Any], *, rules: str = "reference") -> Json:
    """Memory (GiB), time (s), cost and verdict of a job on one configuration, as `advise estimate --format json` prints them.

    Raises:
        LoadError: an input has errors; the text names place, finding, expectation and fix.
    """
    answer: Json = json.loads(_core.estimate(json.dumps(workload), json.dumps(configuration), rules))
    return answer


def check_stack(*, rules: str = "reference", **stack: Any) -> Json:
    """Does a software stack run: verdict, codes, findings, fixes, questions, as `advise stack --format json` prints them.

    Args:
        stack: gpu, gpu_count, driver, cuda, framework, framework_version, image, os, glibc, kernel_module, packages, symptom; all optional.
        rules: "reference", "field_guide", or the folder of a rule book.

    Raises:
        LoadError: a key or value is wrong; the text names place, finding, expectation and fix.
    """
    answer: Json = json.loads(_core.check_stack(json.dumps(stack), rules))
    return answer


def read_tool_output(text: str) -> Json:
    """What the output of a tool says: records, verdict, what was redacted, as `advise read --format json` prints it. Never raises for foreign text."""
    answer: Json = json.loads(_core.read_tool_output(text))
    return answer


def diagnose(text: str) -> Json:
    """Likely causes of what a text shows, likeliest first, as `advise diagnose --format json` prints them."""
    answer: Json = json.loads(_core.diagnose(text))
    return answer
