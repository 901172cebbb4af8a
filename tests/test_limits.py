"""Limits of threads and memory: chosen once, kept by every process that works."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lmstudio import cli, limits
from lmstudio.errors import refusal
from lmstudio.gui.panels.settings.work_rows import GIGABYTES
from lmstudio.jobs import ENDED, Job, JobQueue
from lmstudio.store.settings import Settings
from lmstudio.training import machine
from tests import worker_tasks

ROOT = Path(__file__).resolve().parents[1]
NAMES = (limits.THREADS, limits.MEMORY, *limits._LIBRARIES)


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    """As of a user who has set none of the variables."""
    for name in NAMES:
        monkeypatch.setenv(name, "")  # so that it is put back in the end
        monkeypatch.delenv(name)
    monkeypatch.setattr(limits, "_GIVEN", set())


def wait(job: Job) -> Job:
    while job.state not in ENDED:
        time.sleep(0.01)
    return job


def test_what_is_chosen_is_in_the_environment_of_workers():
    limits.choose(1, 1.5)
    assert (limits.threads(), limits.memory()) == (1, 1_500_000_000)
    assert os.environ["OMP_NUM_THREADS"] == "1"
    limits.choose(0, 0)
    assert (limits.threads(), limits.memory()) == (os.cpu_count(), 0)
    assert "OMP_NUM_THREADS" not in os.environ


@pytest.mark.parametrize(
    "text",
    ["", "many", "-3", "0", "9" * 5000],
    ids=["none", "word", "negative", "zero", "thousands-of-digits"],
)
def test_a_variable_that_makes_no_sense_is_no_limit(monkeypatch, text):
    monkeypatch.setenv(limits.THREADS, text)
    monkeypatch.setenv(limits.MEMORY, text.replace("many", "nan").replace("9", "-9"))
    assert (limits.threads(), limits.memory()) == (os.cpu_count(), 0)


def test_the_environment_counts_before_the_settings(monkeypatch):
    monkeypatch.setenv(limits.THREADS, "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(limits, "_GIVEN", {limits.THREADS, "OMP_NUM_THREADS"})
    limits.choose(7, 0)
    assert (os.environ[limits.THREADS], os.environ["OMP_NUM_THREADS"]) == ("1", "1")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


def test_free_memory_is_what_is_left_of_the_limit(monkeypatch):
    limit = machine.used_memory() / limits.GB + 1
    limits.choose(0, limit)
    assert machine.free_memory() <= limit * limits.GB - machine.used_memory() + 50_000_000
    limits.choose(0, 0.001)
    assert machine.free_memory() == 0


@pytest.mark.parametrize("given", ["0.05", "0.4", "0.999"])
def test_a_limit_below_what_the_program_needs_is_refused(monkeypatch, capsys, given):
    monkeypatch.setattr(limits, "_GIVEN", {limits.MEMORY})
    monkeypatch.setenv(limits.MEMORY, given)
    monkeypatch.setattr(limits, "keep", lambda: None)
    assert cli.main(["runs"]) == 1
    told = capsys.readouterr().err
    assert f"LMSTUDIO_MEMORY is {given} GB, but the program itself needs 1 GB." in told


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_DATA is heeded there")
@pytest.mark.parametrize(("given", "held"), [("0.05", 10**9), ("2.5", 2_500_000_000)])
def test_no_process_is_held_to_less_than_it_needs(monkeypatch, given, held):
    import resource

    monkeypatch.setenv(limits.MEMORY, given)
    asked = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, both: asked.append(both[0]))
    limits.keep()
    assert asked == [held]


@pytest.mark.parametrize(("gigabytes", "taken"), [(0.4, 0), (1, 1), (0, 0), (6, 6)])
def test_settings_offer_no_less_than_what_is_needed(gigabytes, taken):
    Settings(memory=gigabytes).save()
    settings = Settings.load()
    assert settings.memory == taken
    assert (settings.trouble is not None) == (gigabytes != taken)
    assert min(GIGABYTES) == limits.LEAST


def test_the_command_line_takes_the_settings(monkeypatch):
    kept = []
    monkeypatch.setattr(limits, "keep", lambda: kept.append((limits.threads(), limits.memory())))
    Settings(threads=1, memory=3).save()
    assert cli.main(["runs"]) in (0, 1)
    assert kept == [(1, 3_000_000_000)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_DATA is heeded there")
def test_a_job_that_takes_too_much_ends_with_a_sentence_and_the_next_one_runs():
    limits.choose(0, 1)
    queue = JobQueue()
    try:
        greedy = wait(queue.submit("bulk", Job(), worker_tasks.take_memory, 2_000_000_000))
        assert greedy.state == "failed"
        assert str(greedy.error).startswith("There is not enough memory for this.")
        assert wait(queue.submit("bulk", Job(), worker_tasks.take_memory, 1000)).state == "done"
        limits.choose(0, 0)
        queue.renew_workers()
        assert wait(queue.submit("bulk", Job(), worker_tasks.take_memory, 2_000_000_000)).result
    finally:
        queue.close()


@pytest.mark.parametrize("error", [
    MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"),
    RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"),
    RuntimeError("could not create a primitive"),
    ImportError("libc10.so: failed to map segment from shared object"),
    ImportError("libtorch_cpu.so: cannot map zero-fill pages"),
], ids=["python", "cpu", "gpu", "onednn", "library", "pages"])  # fmt: skip
def test_memory_that_runs_out_is_a_sentence(error):
    assert "not enough memory" in str(refusal(error))


def test_torch_keeps_to_the_threads():
    code = "import torch; print(torch.get_num_threads())"
    environment = {k: v for k, v in os.environ.items() if k not in NAMES}
    limits.choose(1, 0)
    environment |= {name: os.environ[name] for name in limits._LIBRARIES}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert done.stdout.strip() == "1"
