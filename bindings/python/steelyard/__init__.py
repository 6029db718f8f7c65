"""Which multi-GPU server or cluster to rent for a job, and why.

    import steelyard
    decision = steelyard.select_cluster(task="full_finetune", model="meta-llama/Meta-Llama-3-70B", batch={"global": 256})
    print(decision.best["offer"])
    print(decision.explain(decision.best["offer"])["trace"])

Inputs are plain dicts in the form of the workload and configuration files; answers are dicts in the form of `advise --format json`.
"""
from __future__ import annotations

import concurrent.futures
import datetime
import html
import json
import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import LoadError

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

__all__ = ["Decision", "LoadError", "__version__", "acceptance", "calibrate", "check_stack", "diagnose", "estimate", "launch", "load_catalog",
           "read_tool_output", "select_cluster", "sweep", "understand", "verify"]
__version__ = "0.1.0"

Json = dict[str, Any]
Measured = str | os.PathLike[str] | Mapping[str, Any]
"""A calibration: the path of a file, or what `calibrate` returned."""


def _calibration(given: Measured | Sequence[Measured] | None) -> str:
    """As the core takes it: a JSON list of paths and calibrations; empty for none."""
    if given is None:
        return ""
    several: list[Measured] = [given] if isinstance(given, (str, os.PathLike, Mapping)) else list(given)
    return json.dumps([dict(one) if isinstance(one, Mapping) else os.fspath(one) for one in several])


def _day(today: str | datetime.date | None) -> str:
    return str(today or datetime.datetime.now(datetime.timezone.utc).date())


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

    def compare(self, one: str, other: str) -> Json:
        """Two offers side by side: the first step where they differ, then the terms of their cost.

        Raises:
            LoadError: the catalog holds no such offer; the text names the nearest ones.
        """
        answer: Json = json.loads(_core.compare(json.dumps(self._workload), one, other, **self._options))
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

    def explain(self, offer: str) -> Json:
        """The full trace of one offer.

        Raises:
            LoadError: the catalog holds no such offer; the text names the nearest ones.
        """
        answer: Json = json.loads(_core.explain(json.dumps(self._workload), offer, **self._options))
        return answer

    def launch(self, offer: str = "", *, framework: str = "") -> Json:
        """The files that make the plan of an offer true, as `advise launch --format json` prints them: {"offer", "configuration", "plan", "launch"}.

        Args:
            offer: its id; empty means the best one.
            framework: "fsdp", "deepspeed", "megatron", "vllm" or "sglang"; empty means the first that can carry out the plan.

        Raises:
            LoadError: there is no such offer, none is accepted, or no program can carry out its plan.
        """
        answer: Json = json.loads(_core.launch(json.dumps(self._workload), offer, framework, **self._options))
        return answer

    def __repr__(self) -> str:
        counts = self.answer["offers"]
        best = self.best["offer"] if self.best else "nothing fits"
        return f"<steelyard.Decision: {best}; {counts['accepted']} of {counts['total']} offers accepted>"


def select_cluster(workload: Mapping[str, Any] | None = None, *, catalogs: Sequence[str | os.PathLike[str]] = (), rules: str = "reference",
                   calibration: Measured | Sequence[Measured] | None = None, today: str | datetime.date | None = None, top: int = 1_000_000,
                   **keys: Any) -> Decision:
    """Rank the offers of a catalog for a job.

    Args:
        workload: the job as a dict; `keys` are added to it (task="lora", model="...", batch={"global": 32}).
        catalogs: files or folders of offers; none means those shipped with the library.
        rules: "reference", "field_guide", or the folder of a rule book.
        calibration: what was measured on machines of the catalog's kinds: a file of `advise calibrate`, what `calibrate` returned, or a list of these.
        today: the day for which prices count; None means the current date.
        top: most entries of the ranking.

    Raises:
        LoadError: the workload, a catalog or a rule book has errors; the text names place, finding, expectation and fix.
    """
    job = {**(workload or {}), **keys}
    options: Json = {"rules": rules, "catalogs": [os.fspath(path) for path in catalogs], "calibration": _calibration(calibration), "today": _day(today)}
    answer: Json = json.loads(_core.select_cluster(json.dumps(job), top=top, **options))
    return Decision(job, options, answer)


def launch(workload: Mapping[str, Any] | None = None, *, offer: str = "", framework: str = "", catalogs: Sequence[str | os.PathLike[str]] = (),
           rules: str = "reference", calibration: Measured | Sequence[Measured] | None = None, today: str | datetime.date | None = None,
           **keys: Any) -> Json:
    """The files that start a job as it was planned, as `advise launch --format json` prints them: {"offer", "configuration", "plan", "launch"}.

    Args:
        workload: the job as a dict; `keys` are added to it.
        offer: id of the offer; empty means the best one of the catalog.
        framework: "fsdp", "deepspeed", "megatron", "vllm" or "sglang"; empty means the first that can carry out the plan.
        catalogs: files or folders of offers; none means those shipped with the library.
        rules: "reference", "field_guide", or the folder of a rule book.
        calibration: as for `select_cluster`.
        today: the day for which prices count; None means the current date.

    Raises:
        LoadError: an input has errors, there is no such offer, none is accepted, or no program can carry out its plan.
    """
    job = {**(workload or {}), **keys}
    day = str(today or datetime.datetime.now(datetime.timezone.utc).date())
    paths = [os.fspath(path) for path in catalogs]
    answer: Json = json.loads(_core.launch(json.dumps(job), offer, framework, rules, paths, _calibration(calibration), day))
    return answer


def _texts(files: Mapping[str, str] | Iterable[str | os.PathLike[str]]) -> list[tuple[str, str]]:
    """Names with texts: as given, or read from paths."""
    if isinstance(files, Mapping):
        return list(files.items())
    return [(pathlib.Path(path).name, pathlib.Path(path).read_text(errors="replace")) for path in files]


def understand(files: Mapping[str, str] | Iterable[str | os.PathLike[str]]) -> Json:
    """What the files that a job has anyway say about it, as `advise understand --format json` prints it.

    `answer["workload"]` is ready for `select_cluster`, but for the task where no file names it.

    Args:
        files: texts by name, or paths: config.json of a model, DeepSpeed, accelerate, LLaMA-Factory and axolotl files, command lines, batch scripts.

    Raises:
        LoadError: a text of no known format, or two places that contradict each other.
        OSError: a file can't be read.
    """
    answer: Json = json.loads(_core.understand(_texts(files)))
    return answer


def _selected(job: Mapping[str, Any], options: Mapping[str, Any]) -> Decision:
    return select_cluster(job, **options)


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
        answers = (future.result() for future in pending)
    if progress:
        import tqdm.auto
        answers = tqdm.auto.tqdm(answers, total=len(jobs), unit="job")
    return list(answers)


def _local_catalogs() -> list[pathlib.Path]:
    """Where SkyPilot and gpuhunt keep price lists on this machine."""
    gpuhunt = os.environ.get("GPUHUNT_CATALOG_DIR")
    return [pathlib.Path.home() / ".sky" / "catalogs", *([pathlib.Path(gpuhunt)] if gpuhunt else [])]


def load_catalog(*paths: str | os.PathLike[str]) -> Json:
    """Offers of price lists in any format that `advise import` knows: {"offers": [...], "issues": [...]}; issues name file and line.

    `paths` are files or folders. Without any, what lies on this machine is read: the catalogs that SkyPilot has cached for this user and those of
    gpuhunt in the folder that its variable GPUHUNT_CATALOG_DIR names (without it gpuhunt keeps its catalogs in memory only).

    Raises:
        FileNotFoundError: no path was given and none of these folders holds a catalog.
    """
    given = [os.fspath(path) for path in paths]
    if not given:
        folders = _local_catalogs()
        given = [str(path) for folder in folders for path in sorted(folder.rglob("*.csv"))]
        if not given:
            looked = " and ".join(map(str, folders))
            raise FileNotFoundError(f"no price list given, and none in {looked}; name files, or set GPUHUNT_CATALOG_DIR to gpuhunt's folder")
    answer: Json = json.loads(_core.load_catalog(given))
    return answer


def verify(promise: Mapping[str, Any], files: Mapping[str, str] | Iterable[str | os.PathLike[str]]) -> Json:
    """Does the evidence prove what was promised: step by step pass, fail or not proven, as `advise verify --format json` prints it.

    Args:
        promise: the promised configuration.
        files: texts by name, or paths of files.

    Raises:
        LoadError: the promise has errors.
        OSError: a file can't be read.
    """
    answer: Json = json.loads(_core.verify(json.dumps(promise), _texts(files)))
    return answer


def acceptance(configuration: Mapping[str, Any]) -> Json:
    """What to run on a rented machine, the figures to reach, the terms of the contract, the settings: {"commands", "thresholds", "contract_terms",
    "environment"}.

    Raises:
        LoadError: the configuration has errors.
    """
    answer: Json = json.loads(_core.acceptance(json.dumps(configuration)))
    return answer


def estimate(workload: Mapping[str, Any], configuration: Mapping[str, Any], *, rules: str = "reference",
             calibration: Measured | Sequence[Measured] | None = None) -> Json:
    """Memory (GiB), time (s), cost and verdict of a job on one configuration, as `advise estimate --format json` prints them.

    Args:
        calibration: as for `select_cluster`.

    Raises:
        LoadError: an input has errors; the text names place, finding, expectation and fix.
    """
    answer: Json = json.loads(_core.estimate(json.dumps(workload), json.dumps(configuration), rules, _calibration(calibration)))
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
    if not 1 <= budget_s <= 86400:
        raise ValueError(f"budget_s: expected seconds from 1 to 86400, found {budget_s}")
    answer: Json = json.loads(_core.calibrate(backend, budget_s, _day(today)))
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
