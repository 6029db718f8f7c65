"""The verbs read, verify, diagnose and acceptance from outside; the acceptance kit end to end, with tools that only print."""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

ADVISE = os.environ["ADVISE"]
SOURCE = pathlib.Path(os.environ["SOURCE"])
SAMPLES = SOURCE / "test/samples/evidence"
OFFER = {"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "nodes": 2, "inter_node": {"kind": "infiniband", "gbit_per_s_per_node": 400, "ports_per_node": 2}}
CLASSES = {"healthy", "degraded", "defective", "fails_promise", "not_rdma", "pcie_only", "config_fault", "false_alarm", "software_unfit", "info", "no_verdict"}


def advise(*words, stdin=None, cwd=None):
    return subprocess.run([ADVISE, *map(str, words)], input=stdin, capture_output=True, text=True, timeout=120, cwd=cwd)


def answer(*words, **keywords):
    return json.loads(advise(*words, "--format", "json", **keywords).stdout)


def port(number, state="Active", physical="LinkUp", rate=200):
    return (f"CA 'mlx5_{number}'\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: {state}\n\t\tPhysical state: {physical}\n\t\tRate: {rate}\n"
            "\t\tLink layer: InfiniBand\n")


def table(gpus=8):
    rows = "".join(f"|   {at}  NVIDIA A100-SXM4-80GB          On |   00000000:1{at}:00.0 Off |                    0 |\n"
                   "| N/A   33C    P0   62W / 400W |   0MiB / 81920MiB |   0%   Default |\n+----+\n" for at in range(gpus))
    return "| NVIDIA-SMI 550.90.07   Driver Version: 550.90.07   CUDA Version: 12.4 |\n" + rows


def perftest(title, header, row, device):
    rule = "-" * 90 + "\n"
    return (f"{rule}                    {title}\n Dual-port       : OFF\t\tDevice         : {device}\n Mtu             : 4096[B]\n Link type       : IB\n"
            f" rdma_cm QPs\t : ON\n{rule}{header}\n{row}\n{rule}")


def write_bw(gbit=196.0):
    return perftest("RDMA_Write BW Test", " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]",
                    f" 65536      5000             {gbit + .1:.2f}             {gbit:.2f}               0.37", "$DEVICE")


def write_lat():
    return perftest("RDMA_Write Latency Test", " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
                    "   99% percentile[usec]   99.9% percentile[usec] ", " 2       1000          1.90           8.02         2.14          2.22        0.12      2.71      8.02", "$DEVICE")


def collective(busbw=75.0, network="IB"):
    adapters = "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>" if network == "IB" else "NET/Socket : Using [0]eth0:10.0.0.1<0>"
    ranks = "".join(f"#  Rank {rank} Group  0 Pid {900 + rank} on node-{'ab'[rank // 8]} device {rank % 8} [0000:{10 + rank % 8}:00] NVIDIA A100-SXM4-80GB\n" for rank in range(16))
    return (f"n1:1:1 [0] NCCL INFO {adapters}\nn1:1:1 [0] NCCL INFO Using network {network}\n"
            f"# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20\n# Using devices\n{ranks}"
            "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
            f"  8589934592    2147483648     float     sum      -1   100000   {busbw / 1.875:.2f}   {busbw:.2f}      0   100000   {busbw / 1.875:.2f}   {busbw:.2f}      0\n"
            "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 30\n")


def burn(gpus=8, gflops=17000):
    names = "".join(f"GPU {at}: NVIDIA A100-SXM4-80GB (UUID: GPU-0000000{at}-1111-2222-3333-444455556666)\n" for at in range(gpus))
    join = lambda item: " - ".join([item] * gpus)
    done = 9000 if gflops else 0
    return (f"{names}100.0%  proc'd: {join(f'{done} ({gflops} Gflop/s)')}   errors: {join('0')}   temps: {join('60 C')}\nTested {gpus} GPUs:\n" +
            "".join(f"\tGPU {at}: OK\n" for at in range(gpus)))


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path


class Read(Folder):
    def test_answer_has_the_form_of_the_contract(self):
        found = answer("read", SAMPLES / "ibstat_ndr_one_init.txt")
        self.assertEqual(found["schema"], "steelyard.read/1")
        record = found["records"][0]
        self.assertEqual((record["tool"], record["subject"], record["complete"]), ("ibstat", "ports", True))
        self.assertEqual(record["lines"][0], 1)
        verdict = found["verdict"]
        self.assertEqual(verdict["class"], "degraded")
        self.assertEqual((verdict["line"], verdict["quote"]), (94, "State: Initializing"))
        self.assertTrue(verdict["ask"])
        self.assertRegex(verdict["because"], r"\d")
        self.assertIn("GUIDs", found["redacted"])
        place, line, _ = verdict["where"].rsplit(":", 2)
        self.assertIn(verdict["rule"], (SOURCE / place).read_text().splitlines()[int(line) - 1])

    def test_every_class_is_reached_and_reading_is_never_an_error(self):
        found = {}
        for path in sorted(SAMPLES.glob("*.*")):
            if path.name != "expected.json":
                done = advise("read", path, "--format", "json")
                self.assertEqual(done.returncode, 0, path.name)
                found.setdefault(json.loads(done.stdout)["verdict"]["class"], path.name)
        self.assertLessEqual(set(found), CLASSES)
        self.assertEqual(CLASSES - set(found), {"software_unfit"})
        unfit = "Couldn't init a GPU test: Error in \"load module\": CUDA_ERROR_NO_BINARY_FOR_GPU\n100.0%  proc'd: 0 (0 Gflop/s)   errors: 0   temps: 31 C\n"
        self.assertEqual(answer("read", "-", stdin=unfit)["verdict"]["class"], "software_unfit")

    def test_text_quotes_the_line_and_says_what_would_help(self):
        text = advise("read", SAMPLES / "nvsmi_q_h200_fabric.txt").stdout
        self.assertIn("Verdict: degraded", text)
        self.assertIn("line 118: Status                            : Insufficient Resources", text)
        self.assertIn("What would help: systemctl status nvidia-fabricmanager", text)

    def test_several_files_are_one_paste(self):
        found = answer("read", SAMPLES / "topo_l40s_node.txt", SAMPLES / "dmesg_xid79.txt")
        self.assertEqual([record["tool"] for record in found["records"]], ["nvidia-smi-topo", "dmesg"])
        self.assertEqual(found["verdict"]["class"], "defective")

    def test_batch(self):
        lines = [json.dumps({"id": 1, "text": "State: Active"}), "{broken", json.dumps({"id": 3, "file": str(SAMPLES / "dmesg_xid79.txt")}), json.dumps({"id": 4})]
        done = advise("read", "--batch", self.file("r.jsonl", "\n".join(lines)), "--format", "json")
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 0)
        self.assertEqual(answers[0]["verdict"]["class"], "no_verdict")
        self.assertIn("error", answers[1])
        self.assertEqual(answers[2]["verdict"]["class"], "defective")
        self.assertIn("error", answers[3])

    def test_bad_input(self):
        for words in (["read"], ["read", "/nowhere/x.txt"], ["read", self.folder]):
            done = advise(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertNotEqual(done.stderr, "")

    def test_as_calibration_is_a_file_that_estimates_take(self):
        path = self.folder / "cal.yaml"
        self.assertEqual(advise("read", SAMPLES / "nvbandwidth_h100_v08.txt", "--as-calibration", "--out", path).returncode, 0)
        written = json.loads(path.read_text())
        self.assertEqual(written["schema"], "steelyard.calibration/1")
        self.assertEqual({one["metric"] for one in written["measurements"]}, {"transfer.h2d", "peer.uni"})


class Verify(Folder):
    def setUp(self):
        super().setUp()
        self.promise = self.file("offer.json", OFFER)

    def verify(self, *texts):
        files = [self.file(f"{number}.txt", text) for number, text in enumerate(texts)]
        return advise("verify", "--promise", self.promise, *files, "--format", "json")

    def test_exit_codes_follow_the_result(self):
        for texts, result, code in (((table(), port(0) + port(1), write_bw(), collective(), burn()), "pass", 0), ((), "not_proven", 1),
                                    ((port(0),), "fail", 1), ((table(), port(0) + port(1)), "not_proven", 1)):
            done = self.verify(*texts)
            report = json.loads(done.stdout)
            self.assertEqual((report["result"], done.returncode), (result, code))
            self.assertEqual([step["step"][0] for step in report["steps"]], list("012345"))
            for step in report["steps"]:
                self.assertIn(step["result"], {"pass", "fail", "not_proven"})
                self.assertLessEqual({"step", "result", "promised", "measured", "evidence"}, set(step))

    def test_text(self):
        path = self.file("ibstat.txt", port(0))
        text = advise("verify", "--promise", self.promise, path).stdout
        self.assertIn("Result: fail", text)
        self.assertIn("evidence: ibstat.txt:1", text)
        self.assertIn("1 link: fail", text)

    def test_the_guide_asks_for_less(self):
        slow = self.file("bw.txt", write_bw(185))
        self.assertEqual(self.step("2", slow), "fail")
        self.assertEqual(self.step("2", slow, "--rules", "field_guide"), "pass")

    def step(self, number, path, *more):
        report = json.loads(advise("verify", "--promise", self.promise, path, "--format", "json", *more).stdout)
        return next(step["result"] for step in report["steps"] if step["step"][0] == number)

    def test_bad_input(self):
        bad = self.file("bad.yaml", "gpu: A100-SXM4-80GB\ngpus_per_nod: 8\n")
        for words in (["verify"], ["verify", "--promise", "/nowhere.yaml"], ["verify", "--promise", bad], ["verify", "--promise", self.promise, "/nowhere.txt"]):
            done = advise(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertNotEqual(done.stderr, "")
        self.assertIn("did you mean gpus_per_node?", advise("verify", "--promise", bad).stderr)


class Diagnose(Folder):
    def test_symptom(self):
        found = answer("diagnose", "--symptom", "CUDA error 802: system not yet initialized")
        self.assertEqual(found["schema"], "steelyard.diagnose/1")
        self.assertIn(found["causes"][0]["id"], {"fabric-manager-off", "FABRIC_NOT_READY"})
        for cause in found["causes"]:
            for key in ("id", "cause", "check", "remedy", "score", "evidence"):
                self.assertTrue(cause[key], key)
        scores = [cause["score"] for cause in found["causes"]]
        self.assertEqual(scores, sorted(scores, reverse=True))

    def test_framework_errors_give_stack_codes(self):
        text = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
        self.assertEqual(answer("diagnose", "--symptom", text)["causes"][0]["id"], "NO_KERNEL_IMAGE")
        self.assertIn("check:", advise("diagnose", "--symptom", text).stdout)

    def test_files_and_nothing_known(self):
        found = answer("diagnose", SAMPLES / "dmesg_xid79.txt")
        self.assertEqual(found["causes"][0]["id"], "xid-79")
        self.assertNotIn("1650924000001", json.dumps(found))
        nothing = answer("diagnose", "--symptom", "all is well")
        self.assertEqual(nothing["causes"], [])
        self.assertTrue(nothing["ask"])
        self.assertEqual(advise("diagnose").returncode, 2)

    def test_batch(self):
        path = self.file("d.jsonl", json.dumps({"id": "a", "text": "GPU has fallen off the bus"}) + "\n" + json.dumps({"id": "b", "text": "fine"}) + "\n")
        answers = [json.loads(line) for line in advise("diagnose", "--batch", path, "--format", "json").stdout.splitlines()]
        self.assertEqual([one["id"] for one in answers], ["a", "b"])
        self.assertEqual(answers[0]["causes"][0]["id"], "xid-79")


class Acceptance(Folder):
    """What the script collects is what verify reads."""

    def setUp(self):
        super().setUp()
        self.promise = self.file("offer.json", OFFER)
        self.script = self.folder / "acceptance.sh"
        self.assertEqual(advise("acceptance", self.promise, "--out", self.script).returncode, 0)
        self.tool("nvidia-smi", table(), only="")
        self.tool("ibstat", port(0) + port(1))
        self.tool("ib_write_bw", write_bw())
        self.tool("ib_write_lat", write_lat())
        self.tool("mpirun", collective())
        self.tool("gpu_burn", burn())
        self.tool("dmesg", "")
        self.tool("hostname", "node-a\n")

    def tool(self, name, text, only=None):
        """An executable that prints; with `only`, just for those arguments."""
        output = self.file(f"outputs/{name}", text)
        show = f'sed "s/\\$DEVICE/${{DEVICE:-}}/" "{output}"'
        body = show if only is None else f'[ "$*" = "{only}" ] && {show}'
        path = self.file(f"bin/{name}", f"#!/bin/bash\necho \"{name} $*\" >> \"{self.folder}/calls\"\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run_script(self, *words):
        env = {**os.environ, "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "RDMA_DEVICES": "mlx5_0 mlx5_1", "OUT": str(self.folder / "out"), "RETRY_S": "0"}
        done = subprocess.run(["bash", self.script, *words], capture_output=True, text=True, timeout=120, env=env, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def verify(self):
        return answer("verify", "--promise", self.promise, *sorted((self.folder / "out").glob("*.txt")))

    def test_script_is_valid_shell(self):
        self.assertEqual(subprocess.run(["bash", "-n", self.script], capture_output=True).returncode, 0)
        if shutil.which("shellcheck"):
            done = subprocess.run(["shellcheck", self.script], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_kept_promise_passes(self):
        self.run_script("node-b")
        report = self.verify()
        self.assertEqual(report["result"], "pass", json.dumps(report, indent=1))
        calls = (self.folder / "calls").read_text()
        for device in ("mlx5_0", "mlx5_1"):
            self.assertIn(f"ib_write_bw -d {device} -R -s 65536 --report_gbits node-b", calls)
        self.assertIn("mpirun -np 16 -H node-a:8,node-b:8", calls)

    def test_broken_promises_fail(self):
        for name, text in (("ibstat", port(0) + port(1, "Down", "Polling", 10)), ("ib_write_bw", write_bw(120)), ("mpirun", collective(network="Socket")),
                           ("nvidia-smi", table(7)), ("dmesg", "NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus.\n")):
            with self.subTest(name):
                self.setUp()
                self.tool(name, text, only="" if name == "nvidia-smi" else None)
                self.run_script("node-b")
                self.assertEqual(self.verify()["result"], "fail")

    def test_what_did_not_run_is_not_proven(self):
        self.run_script()  # without a peer
        report = self.verify()
        self.assertEqual({step["step"][0]: step["result"] for step in report["steps"]}, {"0": "pass", "1": "pass", "2": "not_proven", "3": "not_proven", "4": "pass", "5": "not_proven"})
        self.setUp()
        (self.folder / "bin/gpu_burn").unlink()  # not installed
        self.run_script("node-b")
        self.assertEqual(self.verify()["result"], "not_proven")
        self.setUp()
        self.tool("gpu_burn", burn(gflops=0))  # exits 0, says OK, did nothing
        self.run_script("node-b")
        self.assertEqual(self.verify()["result"], "not_proven")

    def test_server_side_answers_every_test_between_nodes(self):
        self.run_script("--server")
        calls = (self.folder / "calls").read_text().splitlines()
        tests = [line for line in calls if line.startswith("ib_")]
        self.assertEqual(tests, [f"{tool} -d {device} -R{size}" for tool, size in (("ib_write_bw", " -s 65536 --report_gbits"), ("ib_write_lat", "")) for device in ("mlx5_0", "mlx5_1")])
        self.assertFalse((self.folder / "out").exists())

    def test_a_peer_that_listens_late_is_tried_again(self):
        path = self.folder / "bin/ib_write_bw"
        text = path.read_text()
        path.write_text(text.replace("\necho", f"\nif [ ! -e {self.folder}/tried ]; then touch {self.folder}/tried; echo \"Couldn't connect to node-b:18515\"; exit 1; fi\necho"))
        self.assertIn("does not listen yet", self.run_script("node-b"))
        self.assertEqual(self.verify()["result"], "pass")

    def test_json(self):
        kit = answer("acceptance", self.promise)["acceptance"]
        self.assertIn("ib_write_bw -d DEVICE -R -s 65536 --report_gbits PEER", kit["commands"])
        self.assertTrue(any("-np 16 " in command for command in kit["commands"]))
        self.assertEqual(kit["environment"]["NCCL_DEBUG"], "INFO")
        rates = {one["metric"]: one.get("min", one.get("max")) for one in kit["thresholds"]}
        self.assertEqual(rates["port_rate"], 200)
        self.assertEqual(rates["ib_write_bw at MTU 4096"], 192)
        self.assertTrue(all(one["because"] for one in kit["thresholds"]))
        self.assertTrue(any("gpu-burn" in term for term in kit["contract_terms"]))

    def test_one_node_without_network(self):
        offer = self.file("one.json", {"gpu": "RTX4090-24GB", "gpus_per_node": 4, "nodes": 1, "inter_node": {"kind": "none"}})
        kit = answer("acceptance", offer)["acceptance"]
        self.assertFalse(any("ib_" in command or "PEER" in command for command in kit["commands"]))
        self.assertTrue(any(command.endswith("-g 4") for command in kit["commands"]))
        script = self.folder / "one.sh"
        advise("acceptance", offer, "--out", script)
        self.assertNotIn("--server", [line for line in script.read_text().splitlines() if line.startswith("if ")])
        self.assertEqual(subprocess.run(["bash", "-n", script]).returncode, 0)

    def test_bad_input(self):
        self.assertEqual(advise("acceptance").returncode, 2)
        self.assertEqual(advise("acceptance", "/nowhere.yaml").returncode, 2)


if __name__ == "__main__":
    unittest.main()
