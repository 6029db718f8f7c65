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
import json
import numbers
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import _interpreter  # noqa: F401 - before the core
from . import _core, _given
from ._core import LoadError
from ._given import Files, Json, Measured, Path
from .decision import Decision
from .inputs import Configuration, Stack, Workload
from .rule_book import RuleBook, RuleColumn, RuleRows

__all__ = ["Configuration", "Decision", "LoadError", "RuleBook", "RuleColumn", "RuleRows", "Stack", "Workload", "__version__", "acceptance",
           "calibrate", "check_stack", "diagnose", "estimate", "launch", "lint", "load_catalog",
           "read_tool_output", "select_cluster", "sweep", "understand", "verify"]
__version__ = "0.1.0"


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
    job = _given.as_json(workload, "workload", keys)
    options: Json = {"rules": os.fspath(rules), "catalogs": _given.paths(catalogs, "catalogs"), "calibration": _given.calibrations(calibration), "today": _given.day(today)}
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
    found = _core.launch(_given.as_json(workload, "workload", keys), _given.offer_id(offer), framework, os.fspath(rules), _given.paths(catalogs, "catalogs"),
                         _given.calibrations(calibration), _given.day(today))
    answer: Json = json.loads(found)
    return answer


def understand(files: Files) -> Json:
    """What the files that a job has anyway say about it, as `advise understand --format json` prints it.

    `answer["workload"]` is ready for `select_cluster`, but for the task where no file names it.

    Args:
        files: texts by name, or one or several paths: config.json of a model, DeepSpeed, accelerate, LLaMA-Factory and axolotl files, command lines, batch scripts.

    Raises:
        LoadError: a text of no known format, or two places that contradict each other.
        OSError: a file can't be read.
    """
    answer: Json = json.loads(_core.understand(_given.named_texts(files)))
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
    given = _given.paths(paths, "paths")
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
    findings: list[Json] = json.loads(_core.lint(_given.named_texts(files), _given.day(today)))
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
    answer: Json = json.loads(_core.verify(_given.as_json(promise, "promise"), _given.named_texts(files)))
    return answer


def acceptance(configuration: Mapping[str, Any]) -> Json:
    """What to run on a rented machine, the figures to reach, the terms of the contract, the settings: {"commands", "thresholds", "contract_terms",
    "environment"}.

    Raises:
        LoadError: the configuration has errors.
    """
    answer: Json = json.loads(_core.acceptance(_given.as_json(configuration, "configuration")))
    return answer


def estimate(workload: Mapping[str, Any], configuration: Mapping[str, Any], *, rules: Path = "reference",
             calibration: Measured | Sequence[Measured] | None = None) -> Json:
    """Memory (GiB), time (s), cost and verdict of a job on one configuration, as `advise estimate --format json` prints them.

    Args:
        calibration: as for `select_cluster`.

    Raises:
        LoadError: an input has errors; the text names place, finding, expectation and fix.
    """
    answer: Json = json.loads(_core.estimate(_given.as_json(workload, "workload"), _given.as_json(configuration, "configuration"), os.fspath(rules), _given.calibrations(calibration)))
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
    answer: Json = json.loads(_core.calibrate(backend, float(budget_s), _given.day(today)))
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
    answer: Json = json.loads(_core.check_stack(_given.as_json(stack, "stack", keys), os.fspath(rules)))
    return answer


def read_tool_output(text: str | bytes) -> Json:
    """What the output of a tool says: records, verdict, what was redacted, as `advise read --format json` prints it. Never raises for foreign text."""
    answer: Json = json.loads(_core.read_tool_output(_given.clean_text(text, "text")))
    return answer


def diagnose(text: str | bytes) -> Json:
    """Likely causes of what a text shows, likeliest first, as `advise diagnose --format json` prints them."""
    answer: Json = json.loads(_core.diagnose(_given.clean_text(text, "text")))
    return answer
