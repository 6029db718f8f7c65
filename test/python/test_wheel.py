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


def test_estimate():
    box = {"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "nodes": 1, "intra_node": "nvlink"}
    answer = steelyard.estimate(JOB, box)
    assert answer["schema"] == "steelyard.estimate/1"
    assert answer["verdict"] == "accept"


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
