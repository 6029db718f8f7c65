"""`advise calibrate` from outside: interrupted, killed and concurrent runs; ranks that a launcher started."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

ADVISE = os.environ["ADVISE"]
QUICK = ["calibrate", "--backend", "host", "--largest-mib", "4", "--today", "2026-11-30"]
LAUNCHERS = ("OMPI_", "PMIX_", "PMI_", "SLURM_", "RANK", "WORLD_SIZE", "LOCAL_", "MASTER_")
KINDS = {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "send_recv"}
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}


def start(*words, env=None):
    return subprocess.Popen([ADVISE, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**CLEAN, **(env or {})})


def stat_of(pid):
    """State and parent of a process; None where there is none."""
    try:
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return words[0], int(words[1])


def children_of(pid):
    all_pids = [int(path.name) for path in pathlib.Path("/proc").iterdir() if path.name.isdigit()]
    return [one for one in all_pids if (stat_of(one) or ("", 0))[1] == pid]


def alive(pid):
    found = stat_of(pid)
    return found is not None and found[0] not in "ZX"


def open_mpi():
    if not shutil.which("mpirun"):
        return False
    return "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout


def wait_until(what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.02)
    return False


class Calibrate(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.out = self.folder / "out" / "here.yaml"
        self.out.parent.mkdir()
        self.state = self.folder / "state"

    def start(self, *words, env=None):
        return start(*words, env={"XDG_STATE_HOME": str(self.state), **(env or {})})

    def run_to_end(self, *words, env=None):
        process = self.start(*words, env=env)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def assert_whole(self, path):
        text = path.read_text()
        self.assertIn("schema: steelyard.calibration/1\n", text)
        self.assertIn("\nmeasurements:\n", text)
        self.assertTrue(text.endswith("\n"))
        for line in text.split("measurements:\n")[1].splitlines():
            self.assertRegex(line, r"^  - \{metric: .*\}$")

    def kept(self):
        return list(self.state.rglob("calibrate-*.yaml"))

    def start_and_wait_for_first_probe(self):
        self.out.write_text("the old file\n")
        process = self.start(*QUICK, "--budget", "8s", "--out", self.out)
        self.assertTrue(wait_until(self.kept), "no probe was finished")
        return process

    def assert_nothing_beside(self):
        self.assertEqual([path.name for path in self.out.parent.iterdir()], ["here.yaml"])

    def test_a_run_gives_a_file_without_names_of_this_machine(self):
        code, out, err = self.run_to_end(*QUICK, "--budget", "1s", "--out", self.out)
        self.assertEqual(code, 0, err)
        self.assertIn(f"Written to {self.out}", out)
        self.assertRegex(err, r"\[1/4\] host.memory: measured, \d+ points")
        self.assert_whole(self.out)
        self.assertNotIn(socket.gethostname(), self.out.read_text())
        self.assert_nothing_beside()
        self.assertEqual(self.kept(), [])

    def test_json_and_wrong_words(self):
        code, out, _ = self.run_to_end(*QUICK, "--budget", "1s", "--format", "json")
        self.assertEqual((code, json.loads(out)["schema"]), (0, "steelyard.calibration/1"))
        for words in (["--backend", "gpu"], ["--budget", "soon"], ["--budget", "0s"], ["--network", "token-ring"], ["--network-gbit", "0"], ["here.yaml"]):
            code, out, err = self.run_to_end("calibrate", *words)
            self.assertEqual((code, out), (2, ""), err)

    def test_an_interrupted_run_keeps_the_old_file_and_goes_on_later(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                for old in self.kept():
                    old.unlink()
                process = self.start_and_wait_for_first_probe()
                process.send_signal(number)
                _, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 130, err)
                self.assertIn("goes on from there", err)
                self.assertIn(str(self.kept()[0]), err)
                self.assertEqual(self.out.read_text(), "the old file\n")
                self.assert_nothing_beside()
                self.assert_whole(self.kept()[0])
        code, _, err = self.run_to_end(*QUICK, "--budget", "1s", "--out", self.out)
        self.assertEqual(code, 0)
        self.assertIn("host.memory: resumed", err)
        self.assert_whole(self.out)
        self.assert_nothing_beside()
        self.assertEqual(self.kept(), [])

    def test_a_killed_run_leaves_whole_files_and_no_process(self):
        process = self.start_and_wait_for_first_probe()
        self.assertTrue(wait_until(lambda: children_of(process.pid)))
        children = children_of(process.pid)
        process.kill()
        process.communicate()
        self.assertEqual(self.out.read_text(), "the old file\n")
        self.assert_nothing_beside()
        self.assert_whole(self.kept()[0])
        self.assertTrue(wait_until(lambda: not any(alive(pid) for pid in children)), "a probe outlived the killed run")

    def test_without_a_state_folder_there_is_no_resume_and_a_word(self):
        self.state.write_text("a file, no folder")
        process = self.start(*QUICK, "--budget", "60s", "--out", self.out)
        self.assertTrue(wait_until(lambda: children_of(process.pid)))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(list(self.out.parent.iterdir()), [])
        code, _, err = self.run_to_end(*QUICK, "--budget", "1s", "--out", self.out)
        self.assertEqual(code, 0, err)
        self.assertRegex(err, f"could not be kept.*{self.state}")
        self.assert_nothing_beside()

    def test_a_folder_that_is_missing_is_told_before_measuring(self):
        code, out, err = self.run_to_end(*QUICK, "--budget", "60s", "--out", self.folder / "missing" / "here.yaml")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("missing/here.yaml: No such file or directory", err)
        self.assertNotIn("host.memory", err)

    def test_without_a_home_there_is_a_word(self):
        nowhere = {name: value for name, value in CLEAN.items() if name not in ("HOME", "XDG_STATE_HOME")}
        done = subprocess.run([ADVISE, *QUICK, "--budget", "1s", "--out", str(self.out)], capture_output=True, text=True, timeout=120, env=nowhere)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("an interrupted run would start afresh", done.stderr)
        self.assert_nothing_beside()

    def test_a_file_that_cannot_be_written_is_told_and_the_old_one_stays(self):
        self.out.write_text("the old file\n")
        limit = ["bash", "-c", 'ulimit -f 1; exec "$@"', "limited", ADVISE, *QUICK, "--budget", "1s", "--out", str(self.out)]
        done = subprocess.run(limit, capture_output=True, text=True, timeout=60, env={**CLEAN, "XDG_STATE_HOME": str(self.state)})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("here.yaml: File too large", done.stderr)
        self.assertEqual(self.out.read_text(), "the old file\n")
        self.assert_nothing_beside()

    def test_concurrent_runs_leave_one_whole_file(self):
        both = [self.start(*QUICK, "--budget", "1s", "--out", self.out) for _ in range(2)]
        for process in both:
            _, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, err)
        self.assert_whole(self.out)
        self.assert_nothing_beside()

    def assert_collectives(self, way, ranks):
        self.assert_whole(self.out)
        text = self.out.read_text()
        found = {line.split("collective.")[1].split(",")[0] for line in text.splitlines() if "metric: collective." in line}
        self.assertEqual(found, KINDS)
        self.assertIn(f"probe host 1 over {way}", text)
        self.assertIn(f"machine: {{ranks: {ranks}, nodes: 1", text)

    @unittest.skipUnless(open_mpi(), "no mpirun of Open MPI here")
    def test_ranks_of_mpirun(self):
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", ADVISE, *QUICK, "--budget", "2s", "--out", str(self.out)]
        # What the MPI library keeps until the end comes from modules that it has unloaded by then: a leak checker can't tell whose it is.
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, env={**CLEAN, "ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("Written to"), 1)
        with_plugin = (pathlib.Path(ADVISE).parents[2] / "libexec/steelyard/libsteelyard_ranks_mpi.so").exists()
        self.assert_collectives("mpi" if with_plugin else "tcp", 2)

    def launch(self, environments):
        ranks = [self.start(*QUICK, "--budget", "2s", "--out", self.out, env=environment) for environment in environments]
        outputs = [process.communicate(timeout=120) for process in ranks]
        self.assertEqual([process.returncode for process in ranks], [0] * len(ranks), outputs)
        self.assertEqual(sum(out.count("Written to") for out, _ in outputs), 1)
        self.assert_collectives("tcp", len(ranks))

    @staticmethod
    def free_port():
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            return one.getsockname()[1]

    def test_ranks_of_torchrun(self):
        port = str(self.free_port())
        self.launch([{"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                      "MASTER_PORT": port} for rank in range(2)])

    def test_ranks_of_srun(self):
        port = str(self.free_port())
        self.launch([{"SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank), "SLURM_NTASKS": "2", "SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_NUM_NODES": "1",
                      "SLURM_STEP_NODELIST": "localhost", "SLURM_JOB_ID": str(os.getpid()), "SLURM_STEP_ID": "0", "MASTER_PORT": port}
                     for rank in range(2)])


MEASURED = """schema: steelyard.calibration/1
date: "2026-11-30"
machine: {%s}
coefficients:
  - {name: %s, value: 200, unit: tflops, spread: 0.01, samples: 20, confidence: high}
"""
BOX = {"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "nodes": 1, "intra_node": "nvlink", "host_memory_gib": 1024}
JOB = {"task": "pretrain", "model": "meta-llama/Meta-Llama-3-8B", "sequence_length": 4096, "precision": "bf16", "batch": {"micro": 1, "global": 64},
       "parallel": {"tensor": 2}, "sharding": "zero1"}


class Use(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.job, self.box = self.file("job.json", json.dumps(JOB)), self.file("box.json", json.dumps(BOX))

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def estimate(self, *words):
        done = subprocess.run([ADVISE, "estimate", self.job, "--on", self.box, *map(str, words), "--format", "json"], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def test_a_measured_board_is_estimated_by_what_was_measured(self):
        gpu = self.file("gpu.yaml", MEASURED % ("gpu: NVIDIA A100-SXM4-80GB, board: A100-SXM4-80GB", "gemm.bf16"))
        host = self.file("host.yaml", MEASURED % ("cpu: some", "host.gemm.fp64"))
        plain, found = self.estimate(), self.estimate("--calibration", gpu, "--calibration", host)
        self.assertGreater(found["step_time_s"], plain["step_time_s"])
        self.assertEqual(found["confidence"], "calibrated")
        self.assertIn("gemm.bf16 measured at 200 tflops", [one["message"] for one in found["warnings"] if one["code"] == "measured"][0])
        self.assertEqual({one["board"] for one in found["calibrations"]}, {"A100-SXM4-80GB", None})
        self.assertEqual({figure["name"] for one in found["calibrations"] for figure in one["coefficients"]}, {"gemm.bf16", "host.gemm.fp64"})
        self.assertTrue(any(step["rule"] == "calibration.gemm.bf16" for step in found["trace"]))
        alone = self.estimate("--calibration", host)
        self.assertEqual((alone["step_time_s"], alone["confidence"]), (plain["step_time_s"], plain["confidence"]))

    def answer(self, verb, *words):
        done = subprocess.run([ADVISE, verb, *map(str, words), "--format", "json"], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def test_verbs_that_decide_take_the_file(self):
        gpu = self.file("gpu.yaml", MEASURED % ("gpu: NVIDIA A100-SXM4-80GB, board: A100-SXM4-80GB", "gemm.bf16"))
        job = self.file("small.json", json.dumps({**JOB, "parallel": "auto"}))
        measured = ["--calibration", gpu, "--today", "2026-11-30"]
        ranking = self.answer("recommend", job, *measured, "--top", "10000")["ranking"]
        offer = next(entry["offer"] for entry in ranking if entry["confidence"] == "calibrated")
        other = next(entry["offer"] for entry in ranking if entry["confidence"] != "calibrated")
        plain, found = (self.answer("compare", job, offer, other, "--today", "2026-11-30", *words) for words in ([], measured[:2]))
        self.assertIn("gemm.bf16", {one["name"] for one in found["calibrations"][0]["coefficients"]})
        self.assertNotEqual(plain["terms"], found["terms"])
        self.assertTrue(any(step["rule"] == "calibration.gemm.bf16" for step in self.answer("explain", job, "--offer", offer, *measured)["trace"]))
        self.assertEqual(self.answer("launch", job, "--offer", offer, *measured)["offer"], offer)

    def test_a_broken_file_is_refused_with_its_place(self):
        broken = self.file("broken.yaml", "schema: steelyard.calibration/1\ncoefficents: []\n")
        done = subprocess.run([ADVISE, "estimate", self.job, "--on", self.box, "--calibration", broken], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("broken.yaml:2:", done.stderr)


if __name__ == "__main__":
    unittest.main()
