"""Smoke test of the installed package: the same answer as the program."""
import json
import os
import pickle
import subprocess

import pytest

import steelyard

JOB = {"task": "lora", "method": "lora", "model": "meta-llama/Meta-Llama-3-8B", "precision": "bf16", "sequence_length": 2048,
       "batch": {"micro": 1, "global": 64}, "work": {"tokens": 2e8}, "constraints": {"nodes_max": 1}}


def test_same_answer_as_the_program(tmp_path):
    path = tmp_path / "job.json"
    path.write_text(json.dumps(JOB))
    program = os.environ["STEELYARD_ADVISE"]
    words = [program, "recommend", str(path), "--today", "2026-11-30", "--top", "1000000", "--format", "json"]
    expected = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    decision = steelyard.select_cluster(JOB, today="2026-11-30")
    assert decision.answer == expected
    assert decision.best is not None and decision.best["rank"] == 1


def test_explains_an_offer():
    decision = steelyard.select_cluster(JOB, today="2026-11-30")
    explained = decision.explain(decision.best["offer"])
    assert explained["verdict"] == "accept"
    assert explained["trace"]


def test_decisions_are_picklable():
    decision = steelyard.select_cluster(JOB, today="2026-11-30")
    assert pickle.loads(pickle.dumps(decision)).answer == decision.answer


def test_bad_input_names_the_key():
    with pytest.raises(steelyard.LoadError, match="modle"):
        steelyard.select_cluster(task="lora", modle="x")


def test_errors_carry_their_issues_across_processes():
    with pytest.raises(steelyard.LoadError) as caught:
        steelyard.select_cluster(task="lora", modle="x", sequence_length=float("nan"))
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert [issue["message"].split(":")[0] for issue in error.issues if issue["severity"] == "error"] == ["sequence_length", "workload"]
        assert error.issues[-1]["fix"] == "did you mean model?" and "modle" in str(error)


def test_inputs_of_a_notebook(tmp_path):
    import datetime
    import decimal
    import pathlib
    import types
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    expected = steelyard.select_cluster(JOB, today="2026-11-30", top=5)
    job = {**JOB, "sequence_length": numpy.int64(2048), "batch": types.MappingProxyType({"micro": numpy.int32(1), "global": decimal.Decimal(64)}),
           "work": {"tokens": numpy.float64(2e8)}, "constraints": pandas.Series({"nodes_max": 1})}
    for today in ("2026-11-30", datetime.date(2026, 11, 30), datetime.datetime(2026, 11, 30, 23, 59), pandas.Timestamp("2026-11-30T12:00")):
        found = steelyard.select_cluster(job, today=today, top=numpy.int64(5))
        assert found.answer == expected.answer
    assert pickle.loads(pickle.dumps(found)).answer == expected.answer
    row = pandas.DataFrame([{"task": "lora", "model": "meta-llama/Meta-Llama-3-8B", "sequence_length": 2048}]).iloc[0]
    assert steelyard.select_cluster(row, today="2026-11-30", top=1).answer["workload"]["sequence_length"] == 2048
    assert steelyard.Workload(JOB) == JOB
    limited = {**JOB, "constraints": {"deadline": datetime.timedelta(days=3), "nodes_max": 1}}
    assert steelyard.select_cluster(limited, today="2026-11-30", top=1).answer == steelyard.select_cluster(
        {**JOB, "constraints": {"deadline": "72 h", "nodes_max": 1}}, today="2026-11-30", top=1).answer
    table = tmp_path / "prices.csv"
    table.write_text("InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\np4de.24xlarge,A100-80GB,8,,40.96,,us-east-1\n")
    for catalogs in (table, str(table), [table], iter([str(table)])):
        assert steelyard.select_cluster(JOB, catalogs=catalogs, today="2026-11-30").answer["offers"]["total"] == 1
    assert steelyard.verify({"gpu": "A100-SXM4-80GB"}, table)["result"] == "not_proven"
    assert steelyard.select_cluster(JOB, rules=pathlib.Path("field_guide"), today="2026-11-30", top=1).ranking


def test_entries_stand_for_their_offers():
    decision = steelyard.select_cluster(JOB, today="2026-11-30", top=2)
    first, second = decision.ranking
    assert decision.explain(first) == decision.explain(first["offer"])
    assert decision.compare(second, first)["better"] == first["offer"]
    assert decision.launch(first)["offer"] == first["offer"]
    assert steelyard.estimate(JOB, first["configuration"])["verdict"] == "accept"


def test_wrong_types_are_told_in_words():
    for call, words in ((lambda: steelyard.select_cluster("job.yaml"), "workload: expected a dict, found str; read the file first"),
                        (lambda: steelyard.select_cluster(JOB, catalogs=[1]), "catalogs: expected paths, found int"),
                        (lambda: steelyard.select_cluster(JOB, today=20261130), "today: expected a date"),
                        (lambda: steelyard.select_cluster(JOB, software={"packages": {"a"}}), "found set"),
                        (lambda: steelyard.select_cluster(JOB, today="2026-11-30").explain(None), "offer: expected the id"),
                        (lambda: steelyard.read_tool_output(None), "text: expected a text, found NoneType"),
                        (lambda: steelyard.estimate(JOB, 5), "configuration: expected a dict, found int")):
        with pytest.raises(TypeError, match=words):
            call()
    for top in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="top: expected a whole number"):
            steelyard.select_cluster(JOB, top=top)
    with pytest.raises(ValueError, match="budget_s"):
        steelyard.calibrate(budget_s="60")


def test_texts_in_any_encoding():
    assert steelyard.read_tool_output("caf\udce9")["verdict"]["class"] == "no_verdict"
    assert steelyard.read_tool_output(b"caf\xe9")["verdict"]["class"] == "no_verdict"
    assert steelyard.diagnose(b"\xff\xfe")["causes"] == []


def test_files_are_read_the_same_in_every_locale(tmp_path):
    import sys
    script = tmp_path / "run.sh"
    script.write_text("torchrun --nnodes 1 --nproc_per_node 8 train.py --bf16 --run_name 训练\n", encoding="utf-8")
    code = f"import steelyard; print(ascii(steelyard.understand({str(script)!r})))"
    answers = {subprocess.run([sys.executable, "-X", "utf8=0", "-c", code], check=True, capture_output=True, env={**os.environ, "LC_ALL": locale}).stdout
               for locale in ("C", "C.UTF-8", "POSIX")}
    assert len(answers) == 1


def test_keys_of_the_typed_inputs_are_those_of_the_core():
    def known(call):
        with pytest.raises(steelyard.LoadError) as caught:
            call()
        fixes = [issue["fix"] for issue in caught.value.issues if "unknown key" in issue["message"]]
        return set(fixes[0].removeprefix("known keys: ").split(", "))
    assert known(lambda: steelyard.select_cluster(task="lora", qqqqqqqqqqqqqq=1)) == set(steelyard.Workload.__annotations__)
    assert known(lambda: steelyard.estimate(JOB, {"qqqqqqqqqqqqqq": 1})) == set(steelyard.Configuration.__annotations__)
    assert known(lambda: steelyard.check_stack(qqqqqqqqqqqqqq=1)) - {"id"} == set(steelyard.Stack.__annotations__)  # the id of a batch
    from steelyard import inputs
    for name, part in (("batch", inputs.Batch), ("parallel", inputs.Parallel), ("work", inputs.Work), ("serving", inputs.Serving), ("lora", inputs.Lora),
                       ("inputs", inputs.Inputs), ("needs", inputs.Needs), ("software", inputs.Software), ("constraints", inputs.Constraints),
                       ("data", inputs.Data), ("checkpoint", inputs.Checkpoint)):
        assert known(lambda name=name: steelyard.select_cluster({"task": "lora", name: {"qqqqqqqqqqqqqq": 1}})) == set(part.__annotations__), name
    for name, part in (("inter_node", inputs.InterNode), ("price", inputs.Price), ("measured", inputs.Measured)):
        assert known(lambda name=name: steelyard.estimate(JOB, {name: {"qqqqqqqqqqqqqq": 1}})) == set(part.__annotations__), name


def test_other_interpreters_are_refused():
    import sys
    code = ("import _xxsubinterpreters as other\nimport steelyard\none = other.create()\n"
            "try:\n    other.run_string(one, 'import steelyard')\nexcept other.RunFailedError as error:\n    print(error)\n")
    pytest.importorskip("_xxsubinterpreters")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "main interpreter only" in done.stdout, done.stderr


def test_estimate():
    box = {"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "nodes": 1, "intra_node": "nvlink"}
    answer = steelyard.estimate(JOB, box)
    assert answer["schema"] == "steelyard.estimate/1"
    assert answer["verdict"] == "accept"


def test_terms_of_a_price():
    box = {"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "intra_node": "nvlink",
           "price": {"amount": 10, "purchase": "reserved", "commitment_h": 10000, "discount": 0.5}}
    answer = steelyard.estimate({**JOB, "work": {"tokens": 1e9}}, box)
    assert answer["cost"]["amount"] == pytest.approx(10 * 0.5 * 10000)
    assert answer["cost_parts"]["billed_h"] == 10000
    assert "commitment_exceeds_work" in [warning["code"] for warning in answer["warnings"]]
    assert answer["scaling"]["nodes"] == 2


def test_calibrations_count(tmp_path):
    box = {"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "nodes": 1, "intra_node": "nvlink"}
    half = {"schema": "steelyard.calibration/1", "machine": {"gpu": "NVIDIA A100-SXM4-80GB", "board": "A100-SXM4-80GB"},
            "coefficients": [{"name": "gemm.bf16", "value": 136, "unit": "tflops", "spread": 0.01, "samples": 20, "confidence": "high"}]}
    path = tmp_path / "here.yaml"
    path.write_text(json.dumps(half))
    plain = steelyard.estimate(JOB, box)
    for given in (half, path, str(path), [path], [half]):
        found = steelyard.estimate(JOB, box, calibration=given)
        assert found["step_time_s"] > 1.1 * plain["step_time_s"]
        assert any(one["code"] == "measured" and "gemm.bf16 measured at 136 tflops" in one["message"] for one in found["warnings"])
    decision = steelyard.select_cluster(JOB, today="2026-11-30", calibration=half)
    calibrated = [entry for entry in decision.ranking if entry["confidence"] == "calibrated"]
    assert calibrated and {entry["configuration"]["gpu"] for entry in calibrated} == {"A100-SXM4-80GB"}
    offer = calibrated[0]["offer"]
    assert any(step["rule"] == "calibration.gemm.bf16" for step in decision.explain(offer)["trace"])
    assert decision.compare(decision.best["offer"], offer) != steelyard.select_cluster(JOB, today="2026-11-30").compare(decision.best["offer"], offer)
    with pytest.raises(steelyard.LoadError, match="coefficents"):
        steelyard.estimate(JOB, box, calibration={"schema": "steelyard.calibration/1", "coefficents": []})


def test_calibrate_measures_this_machine():
    found = steelyard.calibrate(backend="host", budget_s=1, today="2026-11-30")
    assert found["schema"] == "steelyard.calibration/1" and found["date"] == "2026-11-30"
    assert {one["metric"] for one in found["measurements"]} >= {"memory.triad", "gemm"}
    steelyard.estimate(JOB, {"gpu": "A100-SXM4-80GB", "gpus_per_node": 8}, calibration=found)
    with pytest.raises(ValueError, match="backend"):
        steelyard.calibrate(backend="gpu")
    with pytest.raises(ValueError, match="budget_s"):
        steelyard.calibrate(budget_s=0)


def test_check_stack():
    answer = steelyard.check_stack(gpu="RTX4090-24GB", driver="515.65.01", cuda="12.1")
    assert answer["verdict"] == "fixable"
    assert answer["codes"][0] == "DRIVER_TOO_OLD"
    assert answer["fixes"]
    with pytest.raises(steelyard.LoadError, match="drivr"):
        steelyard.check_stack(drivr="1")


def test_evidence():
    assert steelyard.read_tool_output("hello")["verdict"]["class"] == "no_verdict"
    assert steelyard.diagnose("nothing is wrong")["causes"] == []


def small_jobs():
    return [{**JOB, "batch": {"micro": 1, "global": size}} for size in (16, 32, 64)]


def test_pages_and_frames():
    decision = steelyard.select_cluster(JOB, today="2026-11-30")
    assert decision.report("markdown").startswith("# Rent ")
    assert "租用" in decision.report("text", lang="zh")
    assert decision._repr_html_().startswith("<iframe")
    with pytest.raises(ValueError, match="docx"):
        decision.report("docx")
    pandas = pytest.importorskip("pandas")
    frame = decision.to_pandas()
    counts = decision.answer["offers"]
    assert isinstance(frame, pandas.DataFrame) and len(frame) == counts["total"]
    assert (frame["verdict"] == "accept").sum() == counts["accepted"]


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    decision = steelyard.select_cluster(JOB, today="2026-11-30")
    axes = decision.plot_pareto()
    assert axes.get_xscale() == "log"
    assert len(axes.lines[0].get_xdata()) == len(decision.pareto)


def test_compare():
    decision = steelyard.select_cluster(JOB, today="2026-11-30")
    first, second = (entry["offer"] for entry in decision.ranking[:2])
    assert decision.compare(second, first)["better"] == first


def test_sweep_is_the_same_over_every_executor():
    import concurrent.futures
    alone = [decision.answer for decision in steelyard.sweep(small_jobs(), today="2026-11-30", top=3)]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert [decision.answer for decision in steelyard.sweep(small_jobs(), executor=pool, today="2026-11-30", top=3)] == alone
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert [decision.answer for decision in steelyard.sweep(small_jobs(), executor=pool, today="2026-11-30", top=3, progress=False)] == alone


def test_sweep_over_dask():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        found = steelyard.sweep(small_jobs(), executor=client.get_executor(), today="2026-11-30", top=3)
    assert [decision.best["rank"] for decision in found] == [1, 1, 1]


def test_catalogs(tmp_path, monkeypatch):
    table = tmp_path / "prices.csv"
    table.write_text("InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
                     "p4de.24xlarge,96,1152,A100-80GB,8,,40.96,,us-east-1,us-east-1a\n")
    assert len(steelyard.load_catalog(table)["offers"]) == 1
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GPUHUNT_CATALOG_DIR", raising=False)
    with pytest.raises(FileNotFoundError, match="GPUHUNT_CATALOG_DIR"):
        steelyard.load_catalog()
    skypilot = tmp_path / ".sky" / "catalogs" / "v8" / "aws"
    skypilot.mkdir(parents=True)
    table.rename(skypilot / "vms.csv")
    gpuhunt = tmp_path / "gpuhunt"
    gpuhunt.mkdir()
    (gpuhunt / "lambdalabs.csv").write_text("instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\n"
                                            "gpu_8x_h100_sxm5,us-west-1,23.92,208,1800.0,8,H100,80,False,,nvidia,,x86,{}\n")
    assert len(steelyard.load_catalog()["offers"]) == 1
    monkeypatch.setenv("GPUHUNT_CATALOG_DIR", str(gpuhunt))
    assert len(steelyard.load_catalog()["offers"]) == 2


def test_lint(tmp_path):
    text = "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\na,H100,8,,0,,r\nb,H100,8,,20,,r\n"
    table = tmp_path / "cloud.csv"
    table.write_text(text)
    found = steelyard.lint(table, today="2026-11-30")
    assert [(one["line"], one["code"], one["severity"]) for one in found] == [(2, "price_zero", "error")]
    assert steelyard.lint({"cloud.csv": text}, today="2026-11-30") == [{**one, "file": "cloud.csv"} for one in found]


def test_verify_needs_evidence():
    promise = {"gpu": "H100-SXM5-80GB", "gpus_per_node": 8, "nodes": 2, "inter_node": {"kind": "infiniband", "gbit_per_s_per_node": 3200}}
    answer = steelyard.verify(promise, {"empty.txt": ""})
    assert answer["result"] == "not_proven"
    assert steelyard.acceptance(promise)["commands"]


def test_understand_and_launch(tmp_path):
    script = tmp_path / "run.sh"
    script.write_text("torchrun --nnodes 2 --nproc_per_node 8 train.py --per_device_train_batch_size 4 --bf16\n")
    answer = steelyard.understand([script])
    assert answer["schema"] == "steelyard.understand/1" and answer["run"]["nodes"] == 2
    assert steelyard.understand({"run.sh": script.read_text()}) == answer
    with pytest.raises(steelyard.LoadError, match="a.txt"):
        steelyard.understand({"a.txt": "hello"})
    decision = steelyard.select_cluster(JOB, today="2026-11-30")
    kit = decision.launch()
    assert kit["offer"] == decision.best["offer"] and kit["launch"]["files"]
    assert steelyard.launch(JOB, offer=kit["offer"], today="2026-11-30") == kit
    with pytest.raises(steelyard.LoadError, match="no/such/offer"):
        decision.launch("no/such/offer")


def test_stubs_match_the_module():
    """Every function of the compiled half stands in its stub, with the same names of arguments."""
    import ast
    import pathlib
    import re
    from steelyard import _core
    tree = ast.parse((pathlib.Path(steelyard.__file__).parent / "_core.pyi").read_text())
    stubs = {node.name: [argument.arg for argument in node.args.args] for node in tree.body if isinstance(node, ast.FunctionDef)}
    compiled = {name: re.findall(r"(\w+): ", getattr(_core, name).__doc__.splitlines()[0]) for name in dir(_core)
                if callable(getattr(_core, name)) and not isinstance(getattr(_core, name), type) and not name.startswith("_")}
    assert stubs == compiled
    classes = {node.name: {method.name: [argument.arg for argument in method.args.args if argument.arg != "self"] for method in node.body
                           if isinstance(method, ast.FunctionDef)} for node in tree.body if isinstance(node, ast.ClassDef)}
    del classes["LoadError"]
    assert set(classes) == {name for name in dir(_core) if isinstance(getattr(_core, name), type)} - {"LoadError"}
    for name, methods in classes.items():
        kind = getattr(_core, name)
        assert set(methods) - {"__init__"} == {method for method in dir(kind) if not method.startswith("_") and method != "pybind11"}
        for method, arguments in methods.items():
            told = re.findall(r"(\w+): ", getattr(kind, method).__doc__.splitlines()[0])
            assert [one for one in told if one != "self"] == arguments, f"{name}.{method}"
