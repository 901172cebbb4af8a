"""Jobs end as they should: done, failed with a sentence, cancelled in time, worker dead."""

import errno
import os
import subprocess
import sys
import threading
import time

import pytest

from lmstudio.errors import AppError, Cancelled, SpecError, WorkerDied
from lmstudio.jobs import ENDED, Job, JobQueue, run
from lmstudio.worker import KILL_AFTER, Pool, Worker
from tests import worker_tasks as tasks


@pytest.fixture
def queue():
    queue = JobQueue()
    yield queue
    queue.close()


def wait_for(job):
    deadline = time.monotonic() + 60
    while job.state not in ENDED:
        assert time.monotonic() < deadline, f"{job.title} still {job.state}"
        time.sleep(0.01)
    return job


def submit(queue, function, *args, lane="bulk"):
    return queue.submit(lane, Job(function.__name__), lambda *a, job: job.call(function, *a), *args)


def test_a_call_without_a_worker_is_a_plain_call():
    job = Job("count")
    assert job.call(tasks.count, 3, 0) == 3
    assert job.drain() == [(1, {"loss": 1.0}), (2, {"loss": 0.5}), (3, {"loss": 1 / 3})]
    assert job.drain() == []
    assert (job.done, job.total, job.note) == (3, 3, "counting")


def test_a_worker_gives_back_results_ticks_and_points(queue):
    job = Job("count")
    seen = []
    job.on_point = lambda step, point: seen.append((step, point["loss"]))
    queue.submit("train", job, lambda *, job: job.call(tasks.count, 40, 0.005))
    wait_for(job)
    assert (job.state, job.result, job.done) == ("done", 40, 40)
    assert [step for step, _ in job.drain()] == list(range(1, 41))
    assert seen == [(step, 1 / step) for step in range(1, 41)]


def test_a_remark_goes_to_the_log_and_leaves_the_stage(queue):
    for where in ("inline", "in a worker"):
        job, said = Job("remark"), []
        job.on_note = said.append
        if where == "inline":
            tasks.remark("a warning", job=job)
        else:
            queue.submit("bulk", job, lambda *, job: job.call(tasks.remark, "a warning"))
            wait_for(job)
        assert said == ["counting", "a warning"], where
        assert (job.note, job.done) == ("counting", 2), where


def test_watchers_see_the_newest_part_of_a_result(queue):
    job = wait_for(submit(queue, tasks.show_parts, ["a", "b"], 0.2))
    assert (job.partial, job.result) == ("b", ["a", "b"])
    inline = Job()
    tasks.show_parts([1, 2], 0, job=inline)
    assert inline.partial == 2


def test_lanes_do_not_wait_for_each_other(queue):
    slow = submit(queue, tasks.count, 1000, 0.01, lane="train")
    quick = wait_for(submit(queue, tasks.add, 1, 2, lane="ask"))
    assert quick.result == 3
    assert slow.state not in ENDED
    slow.cancel()
    assert wait_for(slow).state == "cancelled"


def test_errors_for_the_user_cross_whole(queue):
    job = wait_for(submit(queue, tasks.refuse))
    assert job.state == "failed"
    assert str(job.error) == "The name 甲 is taken. Choose another."
    job = wait_for(submit(queue, tasks.refuse_twice))
    assert isinstance(job.error, SpecError)
    assert [fault.field for fault in job.error.faults] == ["order", "k"]


def test_case_i2_a_bug_in_the_worker_is_told_and_the_next_job_runs(queue, caplog):
    job = wait_for(submit(queue, tasks.break_down))
    assert job.state == "failed"
    assert "ValueError" in str(job.error)
    assert "break_down" in job.details
    caplog.clear()  # the bug was logged, as it should be
    assert wait_for(submit(queue, tasks.add, 2, 2)).result == 4


def test_a_killed_worker_ends_one_job_only(queue):
    job = wait_for(submit(queue, tasks.die))
    assert isinstance(job.error, WorkerDied)
    assert "-9" in str(job.error)
    assert wait_for(submit(queue, tasks.add, 2, 2)).result == 4


def test_cancel_is_honoured_at_the_next_tick(queue):
    job = submit(queue, tasks.count, 10_000, 0.01)
    while not job.done:
        time.sleep(0.01)
    pressed = time.monotonic()
    job.cancel()
    assert wait_for(job).state == "cancelled"
    assert time.monotonic() - pressed < 1


def wait_till_still(job):
    """Until a job that was asked to pause has not ticked for half a second."""
    deadline, before = time.monotonic() + 20, -1
    while job.done != before:
        assert time.monotonic() < deadline, f"{job.title} does not pause"
        before = job.done
        time.sleep(0.5)


def test_a_job_in_a_worker_pauses_and_goes_on(queue):
    job = submit(queue, tasks.count, 300, 0.01)
    while not job.done:
        time.sleep(0.01)
    pressed = time.monotonic()
    job.pause()
    wait_till_still(job)
    assert job.paused
    assert job.state == "running"
    job.resume_work()
    went_on = time.monotonic()
    assert not job.paused
    assert wait_for(job).result == 300
    assert 0.5 <= job.paused_seconds <= went_on - pressed
    assert len(job.drain()) == 300


def test_a_job_that_pauses_can_be_cancelled(queue):
    job = submit(queue, tasks.count, 10_000, 0.01)
    while not job.done:
        time.sleep(0.01)
    job.pause()
    time.sleep(0.3)
    pressed = time.monotonic()
    job.cancel()
    assert wait_for(job).state == "cancelled"
    assert time.monotonic() - pressed < 1
    assert wait_for(submit(queue, tasks.add, 2, 2)).result == 4


def test_paused_time_is_told_to_the_function(queue):
    job = submit(queue, tasks.count_until_paused)
    while not job.done:
        time.sleep(0.01)
    pressed = time.monotonic()
    job.pause()
    wait_till_still(job)
    time.sleep(0.4)
    job.resume_work()
    assert 0.4 < wait_for(job).result < time.monotonic() - pressed


PAUSED_OWNER = """
import os, threading, time
from lmstudio.jobs import Job
from lmstudio.worker import Worker
from tests import worker_tasks as tasks

if __name__ == "__main__":
    job, worker = Job("paused"), Worker("owner")
    work = (job, tasks.count, (10_000, 0.01), {})
    threading.Thread(target=worker.call, args=work, daemon=True).start()
    while not job.done:
        time.sleep(0.01)
    job.pause()
    time.sleep(0.3)
    print(worker.pid, flush=True)
    os._exit(0)
"""


def test_a_worker_that_pauses_ends_with_its_owner(tmp_path):
    script = tmp_path / "owner.py"
    script.write_text(PAUSED_OWNER)
    command = [sys.executable, str(script)]
    environment = os.environ | {"PYTHONPATH": os.getcwd()}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    pid, deadline = int(done.stdout), time.monotonic() + 20
    while _alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(pid)


def test_a_job_without_a_worker_pauses():
    job = Job("inline")
    thread = threading.Thread(target=run, args=(job, lambda job: tasks.count(50, 0.01, job=job)))
    thread.start()
    while not job.done:
        time.sleep(0.01)
    pressed = time.monotonic()
    job.pause()
    wait_till_still(job)
    job.resume_work()
    went_on = time.monotonic()
    thread.join(20)
    assert (job.state, job.done) == ("done", 50)
    assert 0.5 <= job.paused_seconds <= went_on - pressed


def test_a_deaf_function_is_killed_after_three_seconds(queue):
    wait_for(submit(queue, tasks.add, 1, 1))
    job = submit(queue, tasks.sleep_deaf, 60)
    while job.state != "running":
        time.sleep(0.01)
    pressed = time.monotonic()
    job.cancel()
    assert wait_for(job).state == "cancelled"
    assert KILL_AFTER < time.monotonic() - pressed < 2 * KILL_AFTER
    assert wait_for(submit(queue, tasks.add, 2, 2)).result == 4


def test_a_queued_job_can_be_cancelled_and_moved_first(queue):
    first = submit(queue, tasks.count, 10_000, 0.01)
    second, third = submit(queue, tasks.add, 1, 1), submit(queue, tasks.add, 2, 2)
    while first.state == "queued":
        time.sleep(0.01)
    queue.move_first("bulk", third)
    assert queue.waiting("bulk") == [third, second]
    second.cancel()
    first.cancel()
    assert wait_for(third).result == 4
    assert wait_for(second).state == "cancelled"


def test_closing_leaves_no_process(queue):
    for lane in ("train", "bulk", "ask"):
        wait_for(submit(queue, tasks.add, 1, 1, lane=lane))
    job = submit(queue, tasks.sleep_deaf, 60, lane="train")
    pids = [queue.worker_pid(lane) for lane in ("train", "bulk", "ask")]
    started = time.monotonic()
    queue.close(4)
    assert time.monotonic() - started < 8
    assert wait_for(job).state == "cancelled"
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_sentences_of_a_worker_are_in_the_language_of_the_window(queue):
    assert wait_for(submit(queue, tasks.say_language)).result == "Cancel"


def test_pool_answers_in_order_and_keeps_all_busy():
    pool = Pool(2)
    try:
        pieces = [(number,) for number in range(20)]
        assert list(pool.map(Job(), tasks.square_slowly, pieces)) == [n * n for n in range(20)]
        pids = set(pool.map(Job(), tasks.pid, [()] * 8))
        assert len(pids) == 2
        job = Job("stopped")
        job.cancel()
        with pytest.raises(Cancelled):
            list(pool.map(job, tasks.square_slowly, pieces))
    finally:
        pool.close()


def test_a_pool_ends_with_the_process_that_owns_it():
    worker = Worker("owner")
    try:
        pids = worker.call(Job(), pool_pids, (), {})
        assert worker.pid is not None
        worker.kill()
        deadline = time.monotonic() + 20
        while any(_alive(pid) for pid in pids) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(_alive(pid) for pid in pids)
    finally:
        worker.stop()


def test_a_killed_owner_of_a_pool_leaves_nothing_to_be_told_of():
    """The tracker of the standard library would name on stderr what was not taken down."""
    script = (
        "from lmstudio.jobs import Job\nfrom lmstudio.worker import Worker\n"
        "from tests.test_jobs import pool_pids\n"
        "if __name__ == '__main__':\n"
        "    worker = Worker('owner')\n"
        "    worker.call(Job(), pool_pids, (), {})\n"
        "    worker.kill()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


_kept = []


def pool_pids(*, job):
    pool = Pool(2)
    _kept.append(pool)
    return list(pool.map(job, tasks.pid, [()] * 4))


def _alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().split()[2] != "Z"


def test_run_records_how_a_job_ended():
    job = Job("inline")
    run(job, lambda job: tasks.refuse(job=job))
    assert job.state == "failed"
    assert isinstance(job.error, AppError)
    assert job.ended >= job.started


def test_a_waiting_job_can_be_withdrawn(queue):
    running = queue.submit("bulk", Job("running"), lambda *, job: tasks.count(500, 0.01, job=job))
    while running.state == "queued":
        time.sleep(0.01)
    waiting = submit(queue, tasks.add, 1, 2)
    assert queue.withdraw(waiting)
    assert (waiting.state, queue.waiting("bulk")) == ("cancelled", [])
    assert not queue.withdraw(waiting)
    running.cancel()
    assert wait_for(running).state == "cancelled"


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError("4000 requested and 1024 written"),
        RuntimeError("[enforce fail at inline_container.cc] . PytorchStreamWriter failed writing"),
    ],
)
def test_a_full_disk_is_told_in_a_sentence(error):
    def fill(job):
        raise error

    job = Job()
    run(job, lambda job: job.call(fill))
    assert job.state == "failed"
    assert "The disk is full" in str(job.error)


def test_before_the_first_tick_there_is_nothing_to_keep():
    job = Job()
    assert not job.ticked
    job.tick(0, 1)
    assert job.ticked


@pytest.mark.parametrize(
    ("name", "advice"), [("train", "last checkpoint"), ("bulk", "Nothing was")]
)
def test_the_advice_after_a_death_fits_the_work(name, advice):
    worker = Worker(name)
    with pytest.raises(WorkerDied, match=advice):
        worker.call(Job(), tasks.die, (), {})
    worker.stop()
