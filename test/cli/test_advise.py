"""The program `advise` from outside."""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

ADVISE = os.environ["ADVISE"]
SOURCE = pathlib.Path(os.environ["SOURCE"])
SKYPILOT = SOURCE / "../shared/data/catalogs/skypilot"
JOB = SOURCE / "examples/workloads/llama3-70b.yaml"
BOX = {"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "nodes": 4, "intra_node": "nvlink", "host_memory_gib": 1024,
       "inter_node": {"kind": "infiniband", "gbit_per_s_per_node": 1600, "gpudirect": True},
       "price": {"amount": 30, "currency": "USD", "per": "node_hour", "purchase": "on_demand"}}
SMALL = {"task": "lora", "method": "lora", "model": "meta-llama/Meta-Llama-3-8B", "sequence_length": 2048, "batch": {"micro": 1, "global": 8}}


def advise(*words, stdin=None, env=None):
    return subprocess.run([ADVISE, *map(str, words)], input=stdin, capture_output=True, text=True, timeout=120, env={**os.environ, **(env or {})})


def answer(*words, **keywords):
    done = advise(*words, "--format", "json", **keywords)
    return json.loads(done.stdout)


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path


class Bounds(Folder):
    def test_a_pipe_that_never_delivers_ends_with_the_timeout(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        job, box = self.file("job.json", SMALL), self.file("box.json", BOX)
        for words in (["recommend", job, "--catalog", pipe], ["estimate", job, "--on", pipe], ["verify", "--promise", pipe, job],
                      ["estimate", pipe, "--on", box], ["read", pipe]):
            with self.subTest(words=words):
                done = advise(*words, "--timeout", "0.2")
                self.assertEqual(done.returncode, 2)
                self.assertIn("--timeout", done.stderr)

    def test_a_paste_of_days_is_refused_in_words(self):
        path = self.folder / "log.txt"
        with open(path, "wb") as log:
            log.truncate(40 << 20)
        done = advise("read", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("longer than", done.stderr)

    def test_a_shelf_of_books_is_checked_book_by_book(self):
        found = answer("rules", "check", SOURCE / "rules")
        self.assertEqual(found["schema"], "steelyard.rules_check/1")
        self.assertEqual(len(found["books"]), 2)


class Reports(Folder):
    def test_every_offer_stands_in_the_table(self):
        found = answer("recommend", JOB)
        rows = list(csv.DictReader(advise("recommend", JOB, "--format", "csv").stdout.splitlines()))
        self.assertEqual(len(rows), found["offers"]["total"])
        self.assertEqual(sum(row["verdict"] == "accept" for row in rows), found["offers"]["accepted"])
        self.assertEqual(rows[0]["offer"], found["ranking"][0]["offer"])

    def test_formats_and_languages(self):
        self.assertTrue(advise("recommend", JOB, "--format", "markdown").stdout.startswith("# Rent "))
        self.assertTrue(advise("recommend", JOB, "--format", "html").stdout.startswith("<!DOCTYPE html>"))
        self.assertIn("租用", advise("recommend", JOB, "--lang", "zh").stdout)
        wrong = advise("recommend", JOB, "--lang", "xx")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("en, zh", wrong.stderr)
        self.assertEqual(advise("recommend", JOB, "--format", "docx").returncode, 2)

    def test_chinese_is_for_people_and_programs_read_the_same_as_ever(self):
        job, box = self.file("job.json", SMALL), self.file("box.json", {**BOX, "driver": "470.82.01"})
        first = answer("recommend", job)["ranking"][0]["offer"]
        for words, part in ((["recommend", job], "任务可以在"), (["explain", job, "--offer", first], "任务可以在"), (["estimate", job, "--on", box], "结论："),
                            (["stack", "--gpu", "RTX4090", "--driver", "515.65.01", "--cuda", "12.1"], "安装驱动")):
            with self.subTest(words=words):
                self.assertIn(part, advise(*words, "--lang", "zh").stdout)
                self.assertEqual(advise(*words, "--format", "json", "--lang", "zh").stdout, advise(*words, "--format", "json").stdout)
        self.assertEqual(advise("recommend", job, "--format", "csv", "--lang", "zh").stdout, advise("recommend", job, "--format", "csv").stdout)

    def test_the_price_limit_is_where_the_winner_changes(self):
        found = answer("recommend", JOB)
        firm = found["sensitivity"]
        self.assertAlmostEqual(sum(win["share"] for win in firm["wins"]), 1, places=6)
        self.assertGreaterEqual(firm["price_limit"]["amount"], firm["price_per_hour"]["amount"])
        self.assertEqual(firm["runner_up"], found["ranking"][1]["offer"])
        self.assertEqual(found["choices"][0]["offer"], found["ranking"][0]["offer"])

    def test_compare(self):
        first, second = (entry["offer"] for entry in answer("recommend", JOB)["ranking"][:2])
        found = answer("compare", JOB, second, first)
        self.assertEqual(found["better"], first)
        self.assertEqual([offer["offer"] for offer in found["offers"]], [second, first])
        self.assertEqual(advise("compare", JOB, first, "nowhere").returncode, 2)
        self.assertEqual(advise("compare", JOB).returncode, 2)

    def test_what_would_make_it_feasible_does(self):
        tight = ("--deadline", "1 h", "--gpus-max", 32)
        found = answer("recommend", JOB, *tight)
        self.assertEqual(found["ranking"], [])
        self.assertTrue(found["feasible"])
        self.assertTrue(all(change["verified"] for way in found["feasible"] for change in way["what_if"]))


class Recommend(Folder):
    def test_every_offer_is_accounted_for(self):
        found = answer("recommend", JOB, "--top", 1000000)
        total = len(found["ranking"]) + found["rejected"]["total"] + found["undecided"]["total"]
        self.assertEqual(total, found["offers"]["total"])
        self.assertGreater(len(found["ranking"]), 0)
        self.assertEqual([entry["rank"] for entry in found["ranking"]], list(range(1, len(found["ranking"]) + 1)))
        self.assertEqual(sum(found["rejected"]["by_code"].values()), found["rejected"]["total"])

    def test_trace_names_rules_with_places_and_numbers(self):
        found = answer("recommend", JOB)
        self.assertGreaterEqual({step["step"] for step in found["trace"]}, {"task", "network", "stack", "cost"})
        for step in found["trace"]:
            name, line, _ = step["where"].rsplit(":", 2)
            item = (SOURCE / name).read_text().splitlines()[int(line) - 1]
            self.assertIn(step["rule"], item)
            self.assertRegex(step["because"], r"\d")

    def test_default_verb_and_flags(self):
        text = advise(JOB).stdout
        self.assertIn("Rent ", text)
        self.assertTrue(all(len(line) <= 120 for line in text.splitlines()))
        found = answer("recommend", "--task", "llm_inference", "--model", "Qwen2-VL-7B", "--tensor", 2, "--micro-batch", 4, "--rules", "field_guide")
        self.assertEqual((found["csi"], found["tier"]), (56, "pcie"))

    def test_flags_override_the_file(self):
        found = answer("recommend", JOB, "--deadline", "1 h", "--nodes-max", 1)
        self.assertEqual(found["ranking"], [])
        self.assertEqual(advise("recommend", JOB, "--deadline", "1 h", "--nodes-max", 1).returncode, 1)

    @unittest.skipUnless(SKYPILOT.is_dir(), "no shared catalogs here")
    def test_real_catalogs(self):
        words = [word for path in sorted(SKYPILOT.glob("*.csv")) for word in ("--catalog", path)]
        found = answer("recommend", JOB, *words, "--top", 1000000, "--today", "2024-05-02")
        total = len(found["ranking"]) + found["rejected"]["total"] + found["undecided"]["total"]
        self.assertEqual(total, found["offers"]["total"])
        self.assertGreater(total, 1000)


class Policy(Folder):
    """A company's book over the shipped one."""
    POLICY = SOURCE / "examples/procurement"

    def test_the_policy_changes_the_winner_and_gives_the_reason(self):
        plain = answer("recommend", JOB)
        bound = answer("recommend", JOB, "--rules", self.POLICY, "--top", 1000)
        self.assertIn("/us-", plain["ranking"][0]["offer"])
        for entry in bound["ranking"]:
            self.assertRegex(entry["offer"].split("/")[1], "^eu|europe")
        self.assertNotEqual(plain["ranking"][0]["offer"], bound["ranking"][0]["offer"])
        refused = answer("explain", JOB, "--rules", self.POLICY, "--offer", plain["ranking"][0]["offer"])
        self.assertEqual(refused["verdict"], "reject")
        step = next(step for step in refused["trace"] if step["rule"] == "policy.place")
        self.assertIn("policy 4.1", step["because"])
        self.assertRegex(step["where"], r"examples/procurement/policy\.yaml:\d+:\d+$")

    def test_layers_are_listed_and_rows_hold(self):
        done = advise("rules", "check", self.POLICY)
        self.assertEqual(done.returncode, 0)
        self.assertIn("procurement over reference: 4 rules added, 0 replaced, 1 switched off", done.stdout)
        self.assertEqual(advise("rules", "test", self.POLICY).returncode, 0)

    def test_diff_names_the_rule_behind_each_changed_verdict(self):
        found = answer("rules", "diff", "reference", self.POLICY, JOB)
        self.assertEqual({change["rule"] for change in found["rules"] if change["kind"] == "added"},
                         {"policy.place", "policy.vendor", "policy.spot", "policy.ceiling"})
        self.assertGreater(found["offers_compared"], len(found["offers"]))
        self.assertTrue(found["offers"])
        for change in found["offers"]:
            self.assertIn(change["before"]["verdict"], {"accept", "unknown"})
            self.assertEqual(change["after"]["verdict"], "reject")
            self.assertIn(change["after"]["rule"], {"policy.place", "policy.vendor", "policy.ceiling"})
        text = advise("rules", "diff", "reference", self.POLICY, JOB).stdout
        self.assertIn("reject by policy.place: ", text)

    def test_impact_of_a_fact(self):
        done = advise("rules", "impact", "offer.region", "--rules", self.POLICY)
        self.assertIn("policy.place", done.stdout)
        self.assertNotIn("policy.vendor", done.stdout)
        self.assertEqual(advise("rules", "impact", "offer.regoin").returncode, 2)

    def test_fmt_checks_formats_and_is_then_content(self):
        path = self.file("policy.yaml", "off:   [cost.verdict.too_dear]   # ours is lower\nextends: reference\n")
        checked = advise("rules", "fmt", "--check", self.folder)
        self.assertEqual(checked.returncode, 1)
        self.assertIn("policy.yaml: not in canonical form", checked.stdout)
        self.assertEqual(advise("rules", "fmt", self.folder).returncode, 0)
        self.assertEqual(path.read_text(), "extends: reference\noff: [cost.verdict.too_dear]  # ours is lower\n")
        self.assertEqual(advise("rules", "fmt", "--check", self.folder).returncode, 0)
        self.assertEqual(advise("rules", "fmt", "--check", self.POLICY).returncode, 0)

    def test_a_broken_policy_is_refused_with_its_place(self):
        self.file("policy.yaml", "extends: reference\noff: [cost.verdict.too_deer]\n")
        done = advise("recommend", JOB, "--rules", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"policy\.yaml:2:7: off: no rule or decision 'cost\.verdict\.too_deer'")
        self.assertIn("did you mean cost.verdict.too_dear?", done.stderr)


class Estimate(Folder):
    def test_one(self):
        found = answer("estimate", JOB, "--on", self.file("box.json", BOX))
        self.assertEqual((found["schema"], found["verdict"]), ("steelyard.estimate/1", "accept"))
        self.assertEqual(found["csi"], 70 * found["plan"]["tensor"] * found["plan"]["pipeline"] * 256)

    def test_reject_is_exit_code_1(self):
        box = self.file("box.json", {**BOX, "nodes": 1})
        done = advise("estimate", JOB, "--on", box)
        self.assertEqual(done.returncode, 1)
        self.assertIn("reject", done.stdout)

    def test_batch_keeps_order_and_goes_on_after_bad_lines(self):
        lines = [json.dumps({"id": "a", "workload": SMALL, "configuration": {**BOX, "nodes": 1}}), "{not json", "",
                 json.dumps({"id": "b", "workload": {"task": "lora", "modle": "x"}, "configuration": BOX}),
                 json.dumps({"id": "c", "workload": SMALL, "configuration": {"gpu": "A100"}})]
        done = advise("estimate", "--batch", self.file("requests.jsonl", "\n".join(lines)), "--format", "json")
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 0)
        self.assertEqual([one["id"] for one in answers], ["a", "", "b", "c"])
        self.assertEqual(answers[0]["verdict"], "accept")
        self.assertIn("model", answers[2]["error"]["message"])
        self.assertIn("error", answers[1])


class Input(Folder):
    def test_messages_name_place_finding_expectation_and_fix(self):
        path = self.file("job.yaml", "task: lora\nsequence_length: 2048 tokens\nmodle: x\n")
        done = advise("recommend", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("job.yaml:2:18: sequence_length: expected a number, found '2048 tokens'", done.stderr)
        self.assertIn("job.yaml:3:1: ", done.stderr)
        self.assertIn("did you mean model?", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_standard_input(self):
        found = answer("recommend", "-", stdin=JOB.read_text())
        self.assertGreater(found["offers"]["total"], 0)

    def test_usage_errors(self):
        for words in (["recomend"], ["recommend", "--tensr", "2", JOB], ["recommend"], ["estimate", JOB], ["recommend", JOB, "--format", "xml"],
                      ["recommend", JOB, "--top", "many"], ["recommend", JOB, "--out", "--format"], ["recommend", "/nowhere/job.yaml"],
                      ["recommend", JOB, "--calibration", "here.yaml"]):
            done = advise(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertNotEqual(done.stderr, "", words)

    def test_help(self):
        for words in (["--help"], ["recommend", "--help"], ["estimate", "--help"]):
            self.assertEqual(advise(*words).returncode, 0)


    def test_a_fault_of_a_flag_is_told_as_one_and_that_of_the_file_at_its_place(self):
        path = self.file("job.yaml", "task: lora\nsequence_length: 2k\n")
        done = advise("recommend", path, "--tokens", "-5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("<flags>: tokens: expected a number above 0, found -5", done.stderr)
        self.assertIn("job.yaml:2:18: sequence_length", done.stderr)

    def test_help_and_version(self):
        self.assertRegex(advise("--version").stdout, r"^advise \d+\.\d+\.\d+\n$")
        self.assertEqual(advise("help", "lint").stdout, advise("lint", "--help").stdout)
        self.assertIn("did you mean recommend?", advise("recomend").stderr)
        self.assertNotIn("did you mean", advise("bogus").stderr)

    def test_usage_that_contradicts_itself(self):
        box = self.file("box.json", BOX)
        for words, part in ((["recommend", JOB, "--top", "1.5"], "whole number"), (["recommend", JOB, "--top", "0"], "from 1 to 1000000000"),
                            (["compare", JOB, "a/b/c"], "two offers, found 2 words"), (["compare", JOB, "a/b/c", "a/b/c"], "two different offers"), (["estimate", JOB, "--on", box, "--batch", "x"], "not both"),
                            (["read", box, "--batch", "x"], "not both"), (["estimate", "-", "--on", "-"], "named twice"), (["recommend", ""], "empty")):
            done = advise(*words, stdin="task: lora\n")
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(part, done.stderr)

    def test_a_value_of_several_words_may_start_with_dashes(self):
        self.assertEqual(advise("diagnose", "--symptom", "--gpus all failed").returncode, 0)
        self.assertEqual(advise("diagnose", "--symptom", "--out").returncode, 2)

    def test_names_of_foreign_files_do_not_steer_the_terminal(self):
        path = self.file("prices.csv", "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\n"
                         "a\x1b[2J\u202ex,A100-SXM4-80GB,8,,10,,r\nb\x1b[3J,A100-SXM4-80GB,8,,x,,r\n")
        done = advise("recommend", self.file("job.json", SMALL), "--catalog", path)
        self.assertNotRegex(done.stdout + done.stderr, "[\x1b\u202e]")
        self.assertIn("a\\x1b[2J\\u202ex", done.stdout)
        self.assertIn("offer", answer("recommend", self.file("job.json", SMALL), "--catalog", path)["ranking"][0])

    def test_names_of_foreign_files_are_no_tags(self):
        path = self.file("prices.csv", "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\n"
                         "<script>x</script><!--,A100-SXM4-80GB,8,,10,,r\n")
        for form in ("markdown", "html"):
            page = advise("recommend", self.file("job.json", SMALL), "--catalog", path, "--format", form).stdout
            self.assertIn("&lt;script", page)
            self.assertNotIn("<script>x", page)
            self.assertNotIn("<!--", page)

    def test_a_price_list_that_is_not_there_is_a_fault_beside_good_ones(self):
        path = self.file("prices.csv", "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\na,A100-SXM4-80GB,8,,10,,r\n")
        done = advise("recommend", JOB, "--catalog", path, "--catalog", self.folder / "absent.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("absent.csv: cannot be read", done.stderr)

    def test_a_model_may_be_the_path_of_its_config(self):
        (self.folder / "jobs").mkdir()
        config = self.file("jobs/config.json", {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "vocab_size": 128256,
                                                "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 30, "num_key_value_heads": 8})
        job, box = self.file("jobs/job.json", {**SMALL, "model": "config.json"}), self.file("box.json", {**BOX, "nodes": 1})
        for words in ((job,), (self.file("other.json", SMALL), "--model", config), ("--task", "lora", "--sequence-length", 2048, "--model", config)):
            self.assertGreater(answer("estimate", *words, "--on", box)["memory"]["peak_gib"], 10, words)
        done = advise("estimate", "--task", "lora", "--model", self.folder / "absent.json", "--on", box)
        self.assertEqual(done.returncode, 2)
        self.assertIn("absent.json: cannot be read", done.stderr)

    def test_the_job_of_an_answer_is_the_job(self):
        for job in (JOB, *sorted((JOB.parent).glob("*.yaml"))):
            found = answer("recommend", job, "--today", "2026-11-30")
            again = answer("recommend", self.file("again.json", found["workload"]), "--today", "2026-11-30")
            self.assertEqual([entry["offer"] for entry in again["ranking"]], [entry["offer"] for entry in found["ranking"]])
            self.assertEqual(again["workload"]["model"], found["workload"]["model"])
        changed = {**found["workload"]["model"], "layers": 3}
        again = answer("recommend", self.file("again.json", {**found["workload"], "model": changed}), "--today", "2026-11-30")
        self.assertEqual(again["workload"]["model"]["layers"], 3)

    def test_figures_at_the_ends_of_their_ranges(self):
        job = {**SMALL, "constraints": {"gpus": {"min": 16, "max": 8}}}
        self.assertIn("16 GPUs at least, and 8 at most", advise("recommend", self.file("job.json", job)).stderr)
        job = {**SMALL, "work": {"tokens": 1e300}}
        self.assertIn("expected a number above 0 and up to", advise("recommend", self.file("job.json", job)).stderr)
        job = {**SMALL, "work": {"tokens": 1e-300}}
        self.assertNotIn("nan", advise("estimate", self.file("job.json", job), "--on", self.file("box.json", BOX)).stdout)
        box = {**BOX, "price": {"amount": 3, "currency": "eur"}}
        self.assertEqual(answer("estimate", self.file("job.json", {**SMALL, "work": {"tokens": 1e8}}), "--on", self.file("box.json", box))["cost"]["currency"], "EUR")

    def test_a_batch_keeps_the_kind_of_its_ids(self):
        lines = "".join(json.dumps({"id": one, "workload": SMALL, "configuration": BOX}) + "\n" for one in (7, "7", [1, {"a": 2}], None))
        done = advise("estimate", "--batch", self.file("requests.jsonl", lines), "--format", "json")
        self.assertEqual([json.loads(line).get("id") for line in done.stdout.splitlines()], [7, "7", [1, {"a": 2}], ""])


class Understand(Folder):
    TRAIN = """model_name_or_path: meta-llama/Meta-Llama-3-8B
stage: sft
finetuning_type: lora
lora_rank: 16
cutoff_len: 2048
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
bf16: true
"""
    ZERO = {"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}}
    RUN = "torchrun --nproc_per_node 4 src/train.py train.yaml\n"

    def test_files_of_other_programs_are_a_job(self):
        files = [self.file("train.yaml", self.TRAIN), self.file("ds.json", self.ZERO), self.file("run.sh", self.RUN)]
        found = answer("understand", *files)
        self.assertEqual(found["schema"], "steelyard.understand/1")
        self.assertEqual([one["format"] for one in found["files"]], ["llama-factory", "deepspeed", "command line"])
        self.assertEqual(found["workload"]["batch"], {"global": 64, "micro": 2})
        self.assertEqual((found["workload"]["sharding"], found["run"]["data"]), ("zero2", 4))
        places = {one["key"]: one["where"] for one in found["understood"]}
        self.assertTrue(places["cutoff_len"].endswith("train.yaml:5:1"), places)
        self.assertIn("train_micro_batch_size_per_gpu", [one["key"] for one in found["open"]])
        ranked = answer("recommend", *files, "--tokens", "1e8", "--top", 1)
        self.assertEqual(ranked["workload"]["batch"], {"micro": 2, "global": 64})
        self.assertGreater(len(ranked["ranking"]), 0)

    def test_text_names_lines_and_what_is_missing(self):
        text = advise("understand", self.file("train.yaml", self.TRAIN)).stdout
        for part in ("train.yaml: llama-factory", "sequence_length = 2048", "train.yaml:5:1", "Missing", "work.tokens"):
            self.assertIn(part, text)

    def test_contradictions_name_both_places(self):
        other = self.file("other.json", {"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}})
        done = advise("recommend", self.file("train.yaml", self.TRAIN), other)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"other.json:1:2: batch.micro: 4 here")
        self.assertRegex(done.stderr, r"train.yaml:6:1")

    def test_what_no_file_says_is_asked_for(self):
        run = self.file("run.sh", self.RUN)
        done = advise("recommend", run)
        self.assertEqual(done.returncode, 2)
        self.assertIn("add --task", done.stderr)
        done = advise("understand", self.file("poem.txt", "roses are red\n"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("no known format", done.stderr)

    def test_flags_outrank_files(self):
        found = answer("recommend", self.file("train.yaml", self.TRAIN), "--sequence-length", 1024, "--top", 1)
        self.assertEqual(found["workload"]["sequence_length"], 1024)


class Launch(Folder):
    WORK = {**SMALL, "batch": {"micro": 1, "global": 16}, "activation_checkpointing": "full", "parallel": {"tensor": 1, "pipeline": 1}, "sharding": "zero3"}

    def test_the_kit_reads_back_as_the_plan(self):
        box = self.file("box.json", {**BOX, "nodes": 2})
        job = self.file("job.json", self.WORK)
        for program, config in (("fsdp", "accelerate.yaml"), ("deepspeed", "ds_config.json")):
            out = self.folder / program
            found = answer("launch", job, "--on", box, "--for", program, "--out", out)
            self.assertEqual((found["schema"], found["launch"]["framework"]), ("steelyard.launch/1", program))
            self.assertEqual(sorted(one.name for one in out.iterdir()), sorted(["launch.sh", "container.sh", config]))
            read = answer("understand", *sorted(out.iterdir()))
            self.assertEqual(read["run"]["data"], found["plan"]["data"])
            self.assertEqual(read["workload"]["batch"], {"global": 16, "micro": 1})

    def test_what_no_program_can_do_is_said(self):
        done = advise("launch", self.file("job.json", self.WORK), "--on", self.file("box.json", {**BOX, "nodes": 2}), "--for", "megatron")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no method lora", done.stderr)

    def test_recommend_carries_the_kit_of_the_best_offer(self):
        job = self.file("job.json", {**self.WORK, "work": {"tokens": 1e8}})
        found = answer("recommend", job, "--top", 1)
        self.assertIn(found["launch"]["framework"], ("fsdp", "deepspeed"))
        offer = found["ranking"][0]["offer"]
        self.assertEqual(answer("launch", job, "--offer", offer)["launch"], found["launch"])
        self.assertEqual(found["launch"]["environment"], found["acceptance"]["environment"])


class Output(Folder):
    def test_out_is_written_whole_and_replaces(self):
        path = self.file("answer.json", "old")
        advise("recommend", JOB, "--format", "json", "--out", path)
        self.assertEqual(json.loads(path.read_text())["schema"], "steelyard.recommend/1")
        self.assertEqual([one.name for one in self.folder.iterdir()], ["answer.json"])

    def test_missing_folder(self):
        done = advise("recommend", JOB, "--out", self.folder / "no/such/file.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be written", done.stderr)

    def test_links_devices_and_pipes_stay_what_they_are(self):
        box = self.file("box.json", BOX)
        real, link, far = self.file("real.txt", "old"), self.folder / "link", self.folder / "far"
        link.symlink_to("real.txt")
        far.symlink_to("not/there")
        self.assertEqual(advise("estimate", JOB, "--on", box, "--out", link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertTrue(real.read_text().startswith("Verdict"))
        self.assertEqual(advise("estimate", JOB, "--on", box, "--out", far).returncode, 2)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
            self.assertEqual(advise("estimate", JOB, "--on", box, "--out", pipe).returncode, 0)
            self.assertEqual(reader.communicate()[0], real.read_text())
        self.assertTrue(pipe.is_fifo())
        device = self.folder / "device"
        device.symlink_to("/dev/full")
        self.assertEqual(advise("estimate", JOB, "--on", box, "--out", device).returncode, 2)
        self.assertTrue(device.is_symlink())
        self.assertEqual(advise("estimate", JOB, "--on", box, "--out", "-").stdout, real.read_text())
        self.assertEqual(sorted(one.name for one in self.folder.iterdir()), ["box.json", "device", "far", "link", "pipe", "real.txt"])

    def test_the_longest_name_is_written(self):
        name = "y" * 255
        self.assertEqual(advise("estimate", JOB, "--on", self.file("box.json", BOX), "--out", self.folder / name).returncode, 0)
        self.assertTrue((self.folder / name).is_file())

    def test_what_can_not_be_written_is_a_failure(self):
        for words in (["--help"], ["recommend", "--help"], ["--version"], ["rules", "check", "reference"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([ADVISE, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn("cannot be written", done.stderr)

    def test_closed_streams_do_not_end_in_files(self):
        box, out = self.file("box.json", BOX), self.folder / "out.json"
        prices = self.file("prices.csv", "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\n"
                           "a,A100-80GB,8,,10,,r\nb,A100-80GB,8,,x,,r\n")
        words = " ".join(map(str, (ADVISE, "recommend", JOB, "--catalog", prices, "--format", "json", "--out", out)))
        subprocess.run(f"{words} <&- >&- 2>&-", shell=True, check=False)
        self.assertEqual(json.loads(out.read_text())["schema"], "steelyard.recommend/1")
        self.assertEqual(subprocess.run(f"{ADVISE} estimate {JOB} --on {box} >&-", shell=True, check=False, stderr=subprocess.DEVNULL).returncode, 2)

    def test_a_folder_that_can_not_be_read_is_no_clean_one(self):
        (self.folder / "empty").mkdir()
        done = advise("lint", self.folder / "empty")
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no file to lint", done.stderr)
        locked = self.folder / "locked"
        locked.mkdir()
        self.file("locked/prices.csv", "a\n")
        locked.chmod(0)
        if not os.access(locked, os.R_OK):  # the superuser reads everything
            for words in (["lint", self.folder], ["rules", "check", locked], ["rules", "fmt", self.folder], ["recommend", JOB, "--catalog", locked]):
                done = advise(*words)
                self.assertEqual(done.returncode, 2, words)
                self.assertIn("cannot be read: Permission denied", done.stderr)
        locked.chmod(0o700)

    def test_broken_pipe_is_quiet(self):
        with subprocess.Popen([ADVISE, "recommend", JOB, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.close()
            self.assertEqual(child.stderr.read(), b"")
            self.assertNotEqual(child.wait(), -signal.SIGPIPE)

    def test_same_bytes_in_every_locale_and_time_zone(self):
        words = ("recommend", JOB, "--today", "2026-11-30", "--format", "json")
        first = advise(*words).stdout
        for env in ({"LC_ALL": "de_DE.UTF-8"}, {"TZ": "Pacific/Kiritimati"}):
            self.assertEqual(advise(*words, env=env).stdout, first)


class RulesList(unittest.TestCase):
    def test_every_rule_is_listed_with_its_words(self):
        books = answer("rules", "list", "reference", "field_guide")["books"]
        self.assertEqual([book["book"] for book in books], ["reference", "field_guide"])
        rules = {rule["id"]: rule for book in books for decision in book["decisions"] for rule in decision["rules"]}
        self.assertGreater(len(rules), 500)
        for rule in rules.values():
            self.assertTrue(rule["when"] and rule["then"] and rule["because"] and ":" in rule["where"], rule)
        self.assertTrue(all(rule["source"] for identity, rule in rules.items() if not identity.startswith("stack")))
        self.assertEqual(rules["cost.verdict.budget"]["code"], "cost")
        page = advise("rules", "list", "reference", "--format", "markdown").stdout
        for identity in ("cost.verdict.budget", "price_implausible"):
            self.assertIn(f"`{identity}`", page)


class InputsPage(Folder):
    """docs/reference/inputs.md names every key and every code of lint, and its blocks are read."""

    PAGE = (pathlib.Path(os.environ["SOURCE"]) / "docs/reference/inputs.md").read_text("utf-8")

    def block(self, name):
        return re.search(rf"```yaml {name}\n(.*?)```", self.PAGE, re.S)[1]

    def known(self, stderr):
        return set(re.search("fix: known keys: (.*)", stderr)[1].split(", "))

    def test_blocks_are_read(self):
        job, box, offers = (self.file(f"{name}.yaml", self.block(name)) for name in ("workload", "configuration", "offers"))
        for path in (job, box, offers):
            self.assertEqual(answer("lint", path)["findings"], [])
        self.assertNotEqual(advise("estimate", job, "--on", box).returncode, 2)
        self.assertEqual(answer("import", "auto", offers)["offers"][0]["offer"], "ours/eu-west/rack-1")

    def test_every_key_is_there(self):
        job, box = self.block("workload"), self.block("configuration")
        for text, words in ((job, ("recommend",)), (box, ("estimate", JOB, "--on"))):
            known = self.known(advise(*words, self.file("bad.yaml", text + "qqqqqqqqqqqqqqqqqqqqqqqqqqq: 1\n")).stderr)
            self.assertEqual(known, set(re.findall(r"^(\w+):", text, re.M)))
            for section in re.findall(r"^(\w+): \{", text, re.M):
                known = self.known(advise(*words, self.file("bad.yaml", re.sub(rf"^{section}: .*", f"{section}: {{qqqqqqqqqqqqqqqqqqqqqqqqq: 1}}", text, flags=re.M))).stderr)
                stated = set(re.findall(r"[{ ](\w+):", re.search(rf"^{section}: (\{{.*?\}})", text, re.M)[1]))
                terms = {"billing_increment_s", "minimum_h", "commitment_h", "discount", "storage", "egress", "interruptions_per_h"}
                alone = {"samples", "steps", "requests", "hours", "epochs", "dataset_samples"}  # one of them states the work
                self.assertEqual(known - (terms if section == "price" else alone if section == "work" else set()), stated, section)

    def test_every_code_of_lint_is_there(self):
        codes = re.findall(r"^  (\w+): (error|warning|note)$", (pathlib.Path(os.environ["SOURCE"]) / "data/schema/lint.yaml").read_text(), re.M)
        self.assertGreater(len(codes), 20)
        for code, severity in codes:
            self.assertRegex(self.PAGE, rf"(?m)^\| .*`{code}`.* \| {severity} \|")


class OwnData(Folder):
    """STEELYARD_DATA: files of the user's own in the place of, or beside, those of the library."""

    def total(self, env):
        return answer("recommend", self.file("job.json", SMALL), env=env)["offers"]["total"]

    def test_a_file_beside_the_embedded_ones_is_read(self):
        (self.folder / "data/offers").mkdir(parents=True)
        self.file("data/offers/mine.yaml", "sources: {mine: {text: a quote, date: 2026-11-30}}\noffers:\n  - provider: mine\n    region: here\n    type: box\n"
                  "    configuration: {gpu: A100-SXM4-80GB, gpus_per_node: 8, intra_node: nvlink}\n"
                  "    price: {amount: 9.5, currency: USD, per: node_hour, date: 2026-11-30}\n    sources: [mine]\n")
        own = {"STEELYARD_DATA": str(self.folder)}
        self.assertEqual(self.total(own), self.total({}) + 1)
        self.assertEqual(answer("explain", self.file("job.json", SMALL), "--offer", "mine/here/box", env=own)["verdict"], "accept")

    def test_a_file_of_the_same_name_replaces_the_embedded_one(self):
        (self.folder / "data/offers").mkdir(parents=True)
        for name in ("clouds.yaml", "runpod.yaml"):
            self.file(f"data/offers/{name}", "offers: []\n")
        self.assertEqual(self.total({"STEELYARD_DATA": str(self.folder)}), 0)

    def test_faults_are_told_with_their_place(self):
        (self.folder / "data/offers").mkdir(parents=True)
        path = self.file("data/offers/mine.yaml", "offers:\n  - provider: mine\n    regoin: here\n")
        done = advise("recommend", self.file("job.json", SMALL), env={"STEELYARD_DATA": str(self.folder)})
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{path}:3:5", done.stderr)
        done = advise("recommend", self.file("job.json", SMALL), env={"STEELYARD_DATA": str(self.folder / "nowhere")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("STEELYARD_DATA", done.stderr)


if __name__ == "__main__":
    unittest.main()
