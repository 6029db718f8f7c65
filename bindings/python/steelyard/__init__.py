"""Which multi-GPU server or cluster to rent for a job, and why.

    import steelyard
    decision = steelyard.select_cluster(task="full_finetune", model="meta-llama/Meta-Llama-3-70B", batch={"global": 256})
    print(decision.best["offer"])
    print(decision.explain(decision.best["offer"])["trace"])

Inputs are dicts in the form of the workload and configuration files (`Workload`, `Configuration` and `Stack` name their keys for editors and type
checkers); answers are dicts in the form of `advise --format json`.
"""
from __future__ import annotations

import concurrent.futures
import datetime
import decimal
import html
import json
import numbers
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _interpreter  # noqa: F401 - before the core
from . import _core
from ._core import LoadError
from .inputs import Configuration, Stack, Workload
from .rule_book import RuleBook, RuleColumn, RuleRows

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

__all__ = ["Configuration", "Decision", "LoadError", "RuleBook", "RuleColumn", "RuleRows", "Stack", "Workload", "__version__", "acceptance",
           "calibrate", "check_stack", "diagnose", "estimate", "launch", "lint", "load_catalog",
           "read_tool_output", "select_cluster", "sweep", "understand", "verify"]
__version__ = "0.1.0"

Json = dict[str, Any]
Path = str | os.PathLike[str]
Files = Mapping[str, str | bytes] | Path | Iterable[Path]
"""Texts by name, or paths."""
Measured = str | os.PathLike[str] | Mapping[str, Any]
"""A calibration: the path of a file, or what `calibrate` returned."""


def _plain(value: Any) -> Any:
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


def _json(value: Mapping[str, Any] | None, what: str, keys: Mapping[str, Any] | None = None) -> str:
    """A job, configuration or stack as JSON; `keys` are laid over it."""
    if value is not None and not isinstance(value, Mapping):
        if not callable(getattr(value, "to_dict", None)):
            hint = "; read the file first, with json.load or yaml.safe_load" if isinstance(value, (str, os.PathLike)) else ""
            raise TypeError(f"{what}: expected a dict, found {type(value).__name__}{hint}")
        value = value.to_dict()
    return json.dumps({**(value or {}), **(keys or {})}, default=_plain)


def _paths(given: Path | Iterable[Path], what: str) -> list[str]:
    """One path, or several."""
    several = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    for one in several:
        if not isinstance(one, (str, os.PathLike)):
            raise TypeError(f"{what}: expected paths, found {type(one).__name__}: {one!r:.60}")
    return [os.fspath(one) for one in several]


def _text(text: str | bytes, what: str) -> str:
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if not isinstance(text, str):
        hint = f"; read the file first: {type(text).__name__}(...).read_text()" if isinstance(text, os.PathLike) else ""
        raise TypeError(f"{what}: expected a text, found {type(text).__name__}{hint}")
    return text.encode("utf-8", "replace").decode("utf-8")  # halves of surrogate pairs have no form in UTF-8


def _offer_id(offer: str | Mapping[str, Any]) -> str:
    """The id of an offer, given as such or as an entry of a ranking."""
    if isinstance(offer, Mapping) and "offer" in offer:
        offer = offer["offer"]
    if not isinstance(offer, str):
        raise TypeError(f"offer: expected the id of an offer or an entry of a ranking, found {type(offer).__name__}")
    return offer


def _calibration(given: Measured | Sequence[Measured] | None) -> str:
    """As the core takes it: a JSON list of paths and calibrations; empty for none."""
    if given is None:
        return ""
    several: list[Measured] = [given] if isinstance(given, (str, os.PathLike, Mapping)) else list(given)
    return json.dumps([dict(one) if isinstance(one, Mapping) else os.fspath(one) for one in several], default=_plain)


def _day(today: str | datetime.date | None) -> str:
    day = today or datetime.datetime.now(datetime.timezone.utc)
    if isinstance(day, datetime.date):
        return datetime.date(day.year, day.month, day.day).isoformat()
    if not isinstance(day, str):
        raise TypeError(f"today: expected a date or a text such as 2026-11-30, found {type(day).__name__}")
    return day


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
        answer: Json = json.loads(_core.compare(json.dumps(self._workload), _offer_id(one), _offer_id(other), **self._options))
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
        answer: Json = json.loads(_core.explain(json.dumps(self._workload), _offer_id(offer), **self._options))
        return answer

    def launch(self, offer: str | Mapping[str, Any] = "", *, framework: str = "") -> Json:
        """The files that make the plan of an offer true, as `advise launch --format json` prints them: {"offer", "configuration", "plan", "launch"}.

        Args:
            offer: its id, or an entry of the ranking; empty means the best one.
            framework: "fsdp", "deepspeed", "megatron", "vllm" or "sglang"; empty means the first that can carry out the plan.

        Raises:
            LoadError: there is no such offer, none is accepted, or no program can carry out its plan.
        """
        answer: Json = json.loads(_core.launch(json.dumps(self._workload), _offer_id(offer), framework, **self._options))
        return answer

    def __repr__(self) -> str:
        counts = self.answer["offers"]
        best = self.best["offer"] if self.best else "nothing fits"
        return f"<steelyard.Decision: {best}; {counts['accepted']} of {counts['total']} offers accepted>"


def select_cluster(workload: Mapping[str, Any] | None = None, *, catalogs: Path | Iterable[Path] = (), rules: Path = "reference",
                   calibration: Measured | Sequence[Measured] | None = None, today: str | datetime.date | None = None, top: int = 1_000_000,
                   **keys: Any) -> Decision:
    """Rank the offers of a catalog for a job.

    Args:
        workload: the job as a dict; `keys` are added to it (task="lora", model="...", batch={"global": 32}).
        catalogs: a file or folder of offers, or several; none means those shipped with the library.
        rules: "reference", "field_guide", or the folder of a rule book.
        calibration: what was measured on machines of the catalog's kinds: a file of `advise calibrate`, what `calibrate` returned, or a list of these.
        today: the day for which prices count; None means the current date.
        top: most entries of the ranking.

    Raises:
        LoadError: the workload, a catalog or a rule book has errors; the text names place, finding, expectation and fix.
    """
    if isinstance(top, bool) or not isinstance(top, numbers.Integral) or top < 1:
        raise ValueError(f"top: expected a whole number from 1 on, found {top!r}")
    job = _json(workload, "workload", keys)
    options: Json = {"rules": os.fspath(rules), "catalogs": _paths(catalogs, "catalogs"), "calibration": _calibration(calibration), "today": _day(today)}
    answer: Json = json.loads(_core.select_cluster(job, top=min(int(top), 1_000_000_000), **options))
    return Decision(json.loads(job), options, answer)


def launch(workload: Mapping[str, Any] | None = None, *, offer: str | Mapping[str, Any] = "", framework: str = "", catalogs: Path | Iterable[Path] = (),
           rules: Path = "reference", calibration: Measured | Sequence[Measured] | None = None, today: str | datetime.date | None = None,
           **keys: Any) -> Json:
    """The files that start a job as it was planned, as `advise launch --format json` prints them: {"offer", "configuration", "plan", "launch"}.

    Args:
        workload: the job as a dict; `keys` are added to it.
        offer: id of the offer; empty means the best one of the catalog.
        framework: "fsdp", "deepspeed", "megatron", "vllm" or "sglang"; empty means the first that can carry out the plan.
        catalogs: a file or folder of offers, or several; none means those shipped with the library.
        rules: "reference", "field_guide", or the folder of a rule book.
        calibration: as for `select_cluster`.
        today: the day for which prices count; None means the current date.

    Raises:
        LoadError: an input has errors, there is no such offer, none is accepted, or no program can carry out its plan.
    """
    found = _core.launch(_json(workload, "workload", keys), _offer_id(offer), framework, os.fspath(rules), _paths(catalogs, "catalogs"),
                         _calibration(calibration), _day(today))
    answer: Json = json.loads(found)
    return answer


def _texts(files: Files) -> list[tuple[str, str]]:
    """Names with texts: as given, or read from paths, as UTF-8 whatever the locale says."""
    if isinstance(files, Mapping):
        return [(str(name), _text(text, str(name))) for name, text in files.items()]
    return [(pathlib.Path(path).name, _text(pathlib.Path(path).read_bytes(), path)) for path in _paths(files, "files")]


def understand(files: Files) -> Json:
    """What the files that a job has anyway say about it, as `advise understand --format json` prints it.

    `answer["workload"]` is ready for `select_cluster`, but for the task where no file names it.

    Args:
        files: texts by name, or one or several paths: config.json of a model, DeepSpeed, accelerate, LLaMA-Factory and axolotl files, command lines, batch scripts.

    Raises:
        LoadError: a text of no known format, or two places that contradict each other.
        OSError: a file can't be read.
    """
    answer: Json = json.loads(_core.understand(_texts(files)))
    return answer


def _selected(job: Mapping[str, Any], options: Mapping[str, Any]) -> Decision:
    return select_cluster(job, **options)


def _in_order(pending: Sequence[concurrent.futures.Future[Decision]]) -> Iterator[Decision]:
    """The answers; where one fails, what has not begun is not begun."""
    try:
        for future in pending:
            yield future.result()
    finally:
        for future in pending:
            future.cancel()


def sweep(workloads: Iterable[Mapping[str, Any]], *, executor: concurrent.futures.Executor | None = None, progress: bool = False,
          **options: Any) -> list[Decision]:
    """`select_cluster` for many jobs, in the order given.

    Args:
        workloads: the jobs.
        executor: runs them side by side: a process or thread pool, or a Dask client's `get_executor()`; None means one after the other.
        progress: show a bar; needs tqdm.
        options: `catalogs`, `rules`, `calibration`, `today`, `top` of `select_cluster`.

    Raises:
        LoadError: the first job (in order) that has errors.
    """
    jobs = [dict(job) for job in workloads]
    if executor is None:
        answers: Iterable[Decision] = (_selected(job, options) for job in jobs)
    else:
        pending = [executor.submit(_selected, job, options) for job in jobs]
        answers = _in_order(pending)
    if progress:
        import tqdm.auto
        answers = tqdm.auto.tqdm(answers, total=len(jobs), unit="job")
    return list(answers)


def _local_catalogs() -> list[pathlib.Path]:
    """Where SkyPilot and gpuhunt keep price lists on this machine."""
    gpuhunt = os.environ.get("GPUHUNT_CATALOG_DIR")
    return [pathlib.Path.home() / ".sky" / "catalogs", *([pathlib.Path(gpuhunt)] if gpuhunt else [])]


def load_catalog(*paths: Path) -> Json:
    """Offers of price lists in any format that `advise import` knows: {"offers": [...], "issues": [...]}; issues name file and line.

    `paths` are files or folders. Without any, what lies on this machine is read: the catalogs that SkyPilot has cached for this user and those of
    gpuhunt in the folder that its variable GPUHUNT_CATALOG_DIR names (without it gpuhunt keeps its catalogs in memory only).

    Raises:
        FileNotFoundError: no path was given and none of these folders holds a catalog.
    """
    given = _paths(paths, "paths")
    if not given:
        folders = _local_catalogs()
        given = [str(path) for folder in folders for path in sorted(folder.rglob("*.csv"))]
        if not given:
            looked = " and ".join(map(str, folders))
            raise FileNotFoundError(f"no price list given, and none in {looked}; name files, or set GPUHUNT_CATALOG_DIR to gpuhunt's folder")
    answer: Json = json.loads(_core.load_catalog(given))
    return answer


def lint(files: Files, *, today: str | datetime.date | None = None) -> list[Json]:
    """Faults of price lists and of job, offer and board files: {"file", "line", "column", "code", "severity", "message", "fix"} each.

    The codes stand in docs/reference/inputs.md.

    Args:
        files: texts by name, or one or several paths. The name of a price list without its ending is its provider.
        today: the day from which the age of prices counts; None means the current date.

    Raises:
        OSError: a file can't be read.
    """
    findings: list[Json] = json.loads(_core.lint(_texts(files), _day(today)))
    return findings


def verify(promise: Mapping[str, Any], files: Files) -> Json:
    """Does the evidence prove what was promised: step by step pass, fail or not proven, as `advise verify --format json` prints it.

    Args:
        promise: the promised configuration.
        files: texts by name, or one or several paths.

    Raises:
        LoadError: the promise has errors.
        OSError: a file can't be read.
    """
    answer: Json = json.loads(_core.verify(_json(promise, "promise"), _texts(files)))
    return answer


def acceptance(configuration: Mapping[str, Any]) -> Json:
    """What to run on a rented machine, the figures to reach, the terms of the contract, the settings: {"commands", "thresholds", "contract_terms",
    "environment"}.

    Raises:
        LoadError: the configuration has errors.
    """
    answer: Json = json.loads(_core.acceptance(_json(configuration, "configuration")))
    return answer


def estimate(workload: Mapping[str, Any], configuration: Mapping[str, Any], *, rules: Path = "reference",
             calibration: Measured | Sequence[Measured] | None = None) -> Json:
    """Memory (GiB), time (s), cost and verdict of a job on one configuration, as `advise estimate --format json` prints them.

    Args:
        calibration: as for `select_cluster`.

    Raises:
        LoadError: an input has errors; the text names place, finding, expectation and fix.
    """
    answer: Json = json.loads(_core.estimate(_json(workload, "workload"), _json(configuration, "configuration"), os.fspath(rules), _calibration(calibration)))
    return answer


def calibrate(*, backend: str = "auto", budget_s: float = 60, today: str | datetime.date | None = None) -> Json:
    """Measure this machine; `select_cluster` and `estimate` take the result as `calibration`.

    Args:
        backend: "auto" (all that can run), "host", "cuda" or "nccl".
        budget_s: seconds for everything; sizes and repeats follow from it.
        today: the date that goes into the result; None means the current date.

    Raises:
        ValueError: another backend, or a budget outside 1 s to 24 h.
        KeyboardInterrupt: ended by the user; nothing is left running.
    """
    if backend not in ("auto", "host", "cuda", "nccl"):
        raise ValueError(f"backend: expected one of auto, host, cuda, nccl; found {backend!r}")
    if isinstance(budget_s, str) or not 1 <= budget_s <= 86400:
        raise ValueError(f"budget_s: expected seconds from 1 to 86400, found {budget_s!r}")
    answer: Json = json.loads(_core.calibrate(backend, float(budget_s), _day(today)))
    return answer


def check_stack(stack: Mapping[str, Any] | None = None, *, rules: Path = "reference", **keys: Any) -> Json:
    """Does a software stack run: verdict, codes, findings, fixes, questions, as `advise stack --format json` prints them.

    Args:
        stack: a dict; `keys` are added to it: gpu, gpu_count, driver, cuda, framework, framework_version, image, os, glibc, kernel_module, packages,
            symptom; all optional.
        rules: "reference", "field_guide", or the folder of a rule book.

    Raises:
        LoadError: a key or value is wrong; the text names place, finding, expectation and fix.
    """
    answer: Json = json.loads(_core.check_stack(_json(stack, "stack", keys), os.fspath(rules)))
    return answer


def read_tool_output(text: str | bytes) -> Json:
    """What the output of a tool says: records, verdict, what was redacted, as `advise read --format json` prints it. Never raises for foreign text."""
    answer: Json = json.loads(_core.read_tool_output(_text(text, "text")))
    return answer


def diagnose(text: str | bytes) -> Json:
    """Likely causes of what a text shows, likeliest first, as `advise diagnose --format json` prints them."""
    answer: Json = json.loads(_core.diagnose(_text(text, "text")))
    return answer
