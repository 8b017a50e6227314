"""What all benchmark scripts share: finding the programs, running one command with its clock, text tables.

Only the standard library is imported here. The peak memory that the system reports for a child cannot be less
than the parent's own memory at the fork, so the measuring process stays small.
"""

import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("HEDGEROW_BENCH_DATA", ROOT / "build" / "bench-data"))
RESULTS = ROOT / "build" / "bench-results"


class Missing(Exception):
    """A program or package that this machine does not have."""


# ---------------------------------------------------------------------------------- programs
def target():
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def hedgerow():
    """HEDGEROW_BIN (the executable), else the release build, else PATH."""
    for p in (os.environ.get("HEDGEROW_BIN"), target() / "hedgerow", shutil.which("hedgerow")):
        if p and Path(p).exists():
            return str(Path(p).resolve())
    raise Missing("hedgerow not found: cargo build --release -p hedgerow-cli, or set HEDGEROW_BIN")


def exactly(*words):
    """A command line of ours whose columns are not scaled and whose parameters are not chosen unless it says so."""
    words = [str(word) for word in words]
    if words[0] in ("train", "cv", "tune", "clean") and "--scale" not in words:
        words[2:2] = ["--scale", "none"]
    if words[0] in ("train", "cv") and words[1] != "auto" and "--defaults" not in words:
        words[2:2] = ["--defaults"]
    return words


def libsvm(name):
    """LIBSVM_BIN (a folder), else PATH."""
    folder = os.environ.get("LIBSVM_BIN")
    p = Path(folder) / name if folder else shutil.which(name)
    if not p or not Path(p).exists():
        raise Missing(f"{name} not found: install libsvm-tools, or set LIBSVM_BIN to the folder of its programs")
    return str(Path(p).resolve())


def peer_python():
    """The interpreter that has the Python peers: PEER_PYTHON, else this one."""
    return os.environ.get("PEER_PYTHON", sys.executable)


def libsvm_version():
    """The programs do not tell their version; a header beside them or the Debian package does."""
    header = Path(libsvm("svm-train")).parent / "svm.h"
    if header.exists():
        found = re.search(r"LIBSVM_VERSION\s+(\d)(\d+)", header.read_text())
        if found:
            return f"{found[1]}.{found[2]}"
    asked = shutil.which("dpkg-query") and subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", "libsvm-tools"], capture_output=True, text=True)
    return asked.stdout if asked and asked.returncode == 0 and not os.environ.get("LIBSVM_BIN") else "unknown"


def versions():
    """Of every program and package found, with the processor."""
    out = {"cpu": cpu_name(), "cpus": len(os.sched_getaffinity(0)), "system": platform.platform(), "python": platform.python_version()}
    try:
        out["hedgerow"] = subprocess.run([hedgerow(), "--version"], capture_output=True, text=True).stdout.strip() or "unknown"
    except Missing:
        pass
    try:
        out["libsvm"] = libsvm_version()
    except Missing:
        pass
    code = ("import importlib.metadata as m, json\nout = {}\n"
            "for p in ('numpy', 'scikit-learn', 'scikit-learn-intelex', 'libsvm-official', 'thundersvm'):\n"
            "    try: out[p] = m.version(p)\n    except m.PackageNotFoundError: pass\nprint(json.dumps(out))")
    asked = subprocess.run([peer_python(), "-c", code], capture_output=True, text=True)
    if asked.returncode == 0:
        out.update(json.loads(asked.stdout))
    commit = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True)
    if commit.returncode == 0:
        out["commit"] = commit.stdout.strip()
    return out


def cpu_name():
    try:
        return re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.processor() or "unknown"


# ---------------------------------------------------------------------------------- running
class Run:
    """One finished command: status, output, wall and CPU seconds, peak memory in MB."""

    def __init__(self, command, status, out, err, wall, usage, timed_out):
        self.command, self.status, self.out, self.err = command, status, out, err
        self.wall, self.cpu, self.peak_mb = wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        self.timed_out = timed_out

    @property
    def ok(self):
        return self.status == 0 and not self.timed_out

    def trouble(self):
        if self.timed_out:
            return f"time limit after {self.wall:.0f} s"
        last = (self.err or self.out).strip().splitlines()
        return f"exit {self.status}: {last[-1][:200] if last else 'no message'}"

    def json(self):
        """The last line of the output that is a JSON object."""
        for line in reversed(self.out.strip().splitlines()):
            if line.startswith("{"):
                return json.loads(line)
        return json.loads(self.out)


def run(command, threads=None, limit=900.0):
    """Run one command in its own process group, pinned to the first `threads` processors if given."""
    command = [str(c) for c in command]
    env = dict(os.environ)
    cores = None
    if threads:
        cores = sorted(os.sched_getaffinity(0))[:threads]
        for v in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            env[v] = str(threads)

    def prepare():                                     # in the child, before it becomes the command
        os.setpgid(0, 0)
        if cores:
            os.sched_setaffinity(0, cores)

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        expired = threading.Event()
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, preexec_fn=prepare)

        def kill():
            expired.set()
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(limit, kill)
        timer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        finally:
            timer.cancel()
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)      # Popen must not wait again
        texts = []
        for f in (out, err):
            f.seek(0)
            texts.append(f.read())
    return Run(command, child.returncode, *texts, wall, usage, expired.is_set())


# ---------------------------------------------------------------------------------- LIBSVM's words
def libsvm_objective(text):
    """Sum over the pairs of what svm-train prints; None if it printed nothing."""
    found = re.findall(r"obj = ([-+.\deE]+|nan|inf)", text)
    return sum(map(float, found)) if found else None


def libsvm_iterations(text):
    return sum(map(int, re.findall(r"#iter = (\d+)", text)))


def model_header(path):
    """The lines before `SV` of a LIBSVM model text."""
    out = {}
    with open(path) as f:
        for line in f:
            if line.strip() == "SV":
                break
            key, *rest = line.split()
            out[key] = rest
    return out


def predicted(path):
    """First field of every line, without the `labels` header of a probability file."""
    with open(path) as f:
        lines = f.read().split("\n")
    return [float(v.split()[0]) for v in lines if v.strip() and not v.startswith("labels")]


def true_labels(path):
    with open(path) as f:
        return [float(line.split(None, 1)[0]) for line in f if line.strip()]


def agreement(a, b):
    if len(a) != len(b):
        raise ValueError(f"{len(a)} predictions against {len(b)}")
    return sum(x == y for x, y in zip(a, b)) / len(a)


# ---------------------------------------------------------------------------------- tables
def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def fmt(v, digits=3):
    if v is None:
        return ""
    if isinstance(v, float):
        return f"{v:.{digits}g}" if abs(v) < 1000 else f"{v:,.0f}"
    return f"{v:,}" if isinstance(v, int) else str(v)


def table(head, rows):
    """Markdown, columns padded so that the source reads as a table too."""
    rows = [[fmt(c) for c in r] for r in rows]
    width = [max(len(str(r[k])) for r in [head, *rows]) for k in range(len(head))]
    line = lambda r: "| " + " | ".join(str(c).ljust(w) for c, w in zip(r, width)) + " |"
    return "\n".join([line(head), "|" + "|".join("-" * (w + 2) for w in width) + "|", *map(line, rows)])
