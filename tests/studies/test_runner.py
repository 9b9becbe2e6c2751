"""Jobs are stored as they finish, resumed, the same wherever they are done; none is left behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import hungjury as hj
from builders import study_jobs
from builders.processes import ENVIRONMENT, started, wait_for
from builders.study_jobs import SCRIPT, kill_at_work, run_jobs, starts, stored_keys
from builders.study_script import jobs as slow_jobs
from hungjury.base.errors import InputError, StudyFailed
from hungjury.studies.data import Sources, folder_parts, study_data
from hungjury.studies.engines import Engine
from hungjury.studies.jobs import Job, ResultStore, as_text, from_text, integer_seed

ALONE = Engine("local", 1)


@pytest.fixture
def store(tmp_path):
    with ResultStore(tmp_path / "jobs.sqlite") as opened:
        yield opened


def draws(number=6, **changed):
    return [Job(f"draw/{i}", study_jobs.draw, {"count": 3, **changed}) for i in range(number)]


def same(one, other):
    """Results are equal to the last bit."""
    assert list(one) == list(other)
    for key, value in one.items():
        assert as_text(value) == as_text(other[key])


# results as text


@pytest.mark.long
def test_results_come_back_as_they_were():
    value = {
        "a": [1, 2.5, None, "x", True],
        "nan": [float("nan"), float("inf"), 0.1 + 0.2],
        "array": np.arange(6.0).reshape(2, 3).T,
        "small": np.array([1, -2], dtype=np.int16),
        "flags": np.array([True, False]),
        "empty": np.zeros((0, 3)),
        "scalar": np.float64(1 / 3),
    }
    found = from_text(as_text(value))
    assert found["a"] == value["a"]
    np.testing.assert_array_equal(found["nan"], value["nan"])
    for name in ("array", "small", "flags", "empty"):
        assert found[name].dtype == value[name].dtype
        np.testing.assert_array_equal(found[name], value[name])
    assert found["scalar"] == 1 / 3
    with pytest.raises(TypeError, match="cannot be stored"):
        as_text({"a": object()})
    with pytest.raises(TypeError, match="cannot be stored"):
        as_text(np.array([object()]))


# seeds


@pytest.mark.long
def test_seeds_belong_to_a_key_and_a_seed():
    assert integer_seed(0, "a") == integer_seed(0, "a") == 930231979069400608
    assert len({integer_seed(s, k) for s in range(20) for k in "abcdefgh"}) == 160


# engines


@pytest.mark.long
@pytest.mark.parametrize("name", ["local", "threading", "multiprocessing"])
def test_numbers_are_the_same_on_every_engine_and_in_any_order(study_sources, tmp_path, name):
    with (
        ResultStore(tmp_path / "one.sqlite") as one,
        ResultStore(tmp_path / "other.sqlite") as other,
    ):
        alone = run_jobs(draws(), study_sources, one, 7, ALONE)
        elsewhere = run_jobs(draws()[::-1], study_sources, other, 7, Engine(name, 2))
    assert len(alone.results) == 6
    same(alone.results, dict(reversed(elsewhere.results.items())))
    first, second = (alone.results[f"draw/{i}"]["values"] for i in range(2))
    assert (first != second).all()


@pytest.mark.long
def test_local_workers_share_the_cores(study_sources, store, monkeypatch):
    monkeypatch.setenv("HUNGJURY_THREADS", "4")
    listed = [Job(f"threads/{i}", study_jobs.threads) for i in range(4)]
    found = run_jobs(listed, study_sources, store, 0, Engine("local", 2)).results.values()
    assert {threads for _, threads in found} == {"2"}
    assert len({process for process, _ in found} - {os.getpid()}) == 2


@pytest.mark.long
def test_an_engine_that_does_not_exist(study_sources, store):
    with pytest.raises(InputError, match="unknown engine"):
        run_jobs(draws(), study_sources, store, engine=Engine("nonsense"))
    with pytest.raises(InputError, match="workers must be an integer from 1"):
        Engine("local", 0)


@pytest.mark.long
def test_a_worker_that_dies_ends_a_local_study_with_what_is_done(study_sources, store):
    listed = [Job(f"deadly/{i}", study_jobs.deadly, {"number": i}) for i in range(8, -1, -1)]
    with pytest.raises(StudyFailed, match="worker process died"):
        run_jobs(listed, study_sources, store, engine=Engine("local", 2))
    said = []
    run_jobs(listed[:4], study_sources, store, engine=ALONE, announce=said.append)
    assert said == ["4 jobs: 4 stored already, 0 to do"]


# what is reused


@pytest.mark.long
def test_only_what_is_the_same_is_reused(study_folder, study_sources, store, tmp_path):
    said = []

    def reused(listed, where=study_sources, seed=0):
        found = run_jobs(listed, where, store, seed, ALONE, announce=said.append)
        assert len(found.results) == len(listed)
        return study_jobs.reused(said[-1])

    assert reused(draws()) == (0, 0)
    assert reused(draws(8)) == (6, 0)
    assert reused(draws(8)) == (8, 0)
    assert reused(draws(8, count=4)) == (0, 8)
    assert reused(draws(8), seed=1) == (0, 8)
    assert reused(draws(8, count=4)) == (8, 0)
    assert said[1] == "8 jobs: 6 stored already, 2 to do"
    assert "8 of them were done with other parameters, data, seed or version" in said[3]

    moved = shutil.copytree(study_folder, tmp_path / "moved")
    assert reused(draws(8), Sources.in_folder(moved)) == (8, 0)
    assert reused(draws(8), Sources.in_folder(study_folder, ties="input")) == (0, 8)
    gold = moved / "gold.qrels"
    gold.write_text(gold.read_text() + "t1 0 another 1\n")
    assert reused(draws(8), Sources.in_folder(moved)) == (0, 8)
    changed = run_jobs(draws(8), Sources.in_folder(moved), store, 0, ALONE)
    assert (
        changed.results["draw/0"]["documents"]
        == study_data(study_sources).gold.pool.offsets[-1] + 1
    )


@pytest.mark.long
def test_files_that_change_during_a_study_are_seen(study_folder, store, tmp_path):
    moved = shutil.copytree(study_folder, tmp_path / "moved")
    taken = Sources.in_folder(moved)
    with (moved / "gold.qrels").open("a") as gold:
        gold.write("t1 0 another 1\n")
    found = run_jobs(draws(1), taken, store, 0, ALONE)
    assert "have changed since" in found.failed["draw/0"]


# failures


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_a_failed_job_is_told_and_tried_again_while_the_others_go_on(
    study_sources, store, tmp_path, workers
):
    log = str(tmp_path / "log")
    listed = [Job(f"picky/{i}", study_jobs.picky, {"number": i, "log": log}) for i in range(6)]
    seen = []
    first = run_jobs(
        listed, study_sources, store, 0, Engine("local", workers), lambda *x: seen.append(x)
    )
    assert sorted(first.failed) == ["picky/1", "picky/3", "picky/5"]
    assert first.failed["picky/3"].splitlines()[0] == "ValueError: 3 is odd"
    assert "in picky" in first.failed["picky/3"]
    assert first.results == {f"picky/{i}": i for i in (0, 2, 4)}
    assert [done for done, _, _ in seen] == [1, 2, 3, 4, 5, 6]
    assert {total for _, total, _ in seen} == {6}
    stored = store._base.execute("select key from results where error is not null").fetchall()
    assert len(stored) == 3
    Path(log).touch()
    said = []
    second = run_jobs(
        listed, study_sources, store, 0, Engine("local", workers), announce=said.append
    )
    assert (said, second.failed) == (["6 jobs: 3 stored already, 3 to do"], {})
    assert list(second.results) == [job.key for job in listed]


@pytest.mark.long
def test_a_result_that_cannot_be_stored_is_the_failure_of_its_job(study_sources, store):
    found = run_jobs([*draws(1), Job("odd", study_jobs.unstorable)], study_sources, store, 0, ALONE)
    assert found.failed["odd"].startswith("TypeError: a object cannot be stored")
    assert list(found.results) == ["draw/0"]


@pytest.mark.long
def test_wrong_lists_of_jobs(study_sources, store):
    with pytest.raises(InputError, match="2 jobs are called 'draw/0'"):
        run_jobs(draws(2) + draws(1), study_sources, store)
    with pytest.raises(InputError, match="seed is -1"):
        run_jobs(draws(), study_sources, store, -1)
    assert run_jobs([], study_sources, store).results == {}


# the store


@pytest.mark.long
def test_a_store_is_one_study_s_at_a_time(tmp_path):
    with ResultStore(tmp_path / "a.sqlite") as store:
        store.put("k", "f", "1", None, 0.0)
        with pytest.raises(InputError, match="another study is writing"):
            ResultStore(tmp_path / "a.sqlite")
    with ResultStore(tmp_path / "a.sqlite") as again:
        assert again.values({"k": "f", "other": "f"}) == {"k": 1}


@pytest.mark.long
def test_what_is_no_store_is_refused(tmp_path):
    (tmp_path / "a.sqlite").write_text("no database at all, but long enough to look at" * 9)
    with pytest.raises(InputError, match="not a writable results file"):
        ResultStore(tmp_path / "a.sqlite")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be opened"):
        ResultStore(tmp_path / "file" / "a.sqlite")


@pytest.mark.long
def test_a_writer_that_is_killed_loses_nothing_it_had_stored(tmp_path):
    code = (
        "from hungjury.studies.jobs import ResultStore\n"
        f"store = ResultStore({str(tmp_path / 'a.sqlite')!r})\n"
        "for i in range(10**6):\n"
        "    store.put(f'{i}', 'f', '\"' + 'x' * 20000 + '\"', None, 0.0)\n"
        "    print(i, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as writer:
        while int(writer.stdout.readline()) < 25:
            pass
        writer.send_signal(signal.SIGKILL)
        told = 25 + len(writer.stdout.read().splitlines())
    with ResultStore(tmp_path / "a.sqlite") as store:
        assert store._base.execute("pragma integrity_check").fetchone() == ("ok",)
        stored = {key for key, _ in store.finished()}
    assert set(map(str, range(told + 1))) <= stored
    assert len(stored) <= told + 2


# kill -9 and resume


def test_workers_leave_when_their_study_is_killed(study_folder, tmp_path):
    log = tmp_path / "log"
    command = [*SCRIPT, str(study_folder), str(tmp_path / "jobs.sqlite"), str(log), "6", "2"]
    with subprocess.Popen(command, env={**ENVIRONMENT, "HANG_AT": "1"}) as study:
        while len(starts(log)) < 2 and study.poll() is None:
            time.sleep(0.05)
        study.kill()
    workers = {int(line.split()[1]) for line in starts(log)}
    assert len(workers) == 2
    until = time.monotonic() + 60  # their jobs would take ten minutes
    while any(map(is_alive, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(is_alive, workers))


def is_alive(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("change", ["value = '{}'", "value = 'AAAA'", "fingerprint = fingerprint, "
                                    "value = replace(value, '[', '[1, ')"])  # fmt: skip
def test_results_that_somebody_changed_are_named(study_sources, store, change):
    run_jobs(draws(2), study_sources, store, 0, ALONE)
    store._base.execute(f"update results set {change} where key = 'draw/1'")
    with pytest.raises(InputError, match="result of 'draw/1' was changed") as caught:
        run_jobs(draws(2), study_sources, store, 0, ALONE)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("seed", range(12))
def test_a_store_that_is_damaged_anywhere_is_named(tmp_path, seed):
    """Bytes changed or cut off; an error is short and quotes no results."""
    path, chance = tmp_path / "a.sqlite", random.Random(seed)
    wanted = {str(i): "f" for i in range(60)}
    with ResultStore(path) as store:
        for key in wanted:
            store.put(key, "f", as_text({"a": np.arange(50.0)}), None, 0.0)
    content = bytearray(path.read_bytes())
    at = chance.randrange(len(content) - 600)
    content[at : at + 500] = chance.randbytes(500) if seed % 2 else b""
    path.write_bytes(content)
    said = "damaged-store"
    try:
        with ResultStore(path) as store:
            store.values(dict(store.finished()))
            store.put("new", "f", "1", None, 0.0)
    except InputError as error:  # bytes that nothing uses do no harm
        said = f"{error.code}: {error}"
    assert said.startswith("damaged-store")
    assert "__array__" not in said
    assert len(said) < 400


@pytest.mark.long
def test_a_killed_study_goes_on_where_it_was(study_folder, study_sources, tmp_path):
    path, log, count, workers = tmp_path / "jobs.sqlite", tmp_path / "log", 24, 2
    command = [
        *SCRIPT,
        str(study_folder),
        str(path),
        str(log),
    ]
    command += [str(count), str(workers)]
    before = 0
    for enough in (6, 8):  # killed twice, at different places
        began = len(starts(log))
        kill_at_work(command, log, began + enough)
        kept = stored_keys(path)
        started = len(starts(log)) - began
        assert before < len(kept) < count
        # Under way: with the workers, handed out to them, or back but not yet stored.
        assert started - (len(kept) - before) <= 4 * workers, "more than what was under way is lost"
        before = len(kept)
    began = len(starts(log))
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(before), str(count)]
    rerun = {line.split()[0] for line in starts(log)[began:]}
    lost = [f"slow/{i}" for i in range(count) if f"slow/{i}" not in kept]
    assert rerun == {str(integer_seed(5, key)) for key in lost}
    with ResultStore(path) as store, ResultStore(tmp_path / "alone.sqlite") as fresh:
        said = []
        listed = slow_jobs(count, str(log))
        resumed = run_jobs(listed, study_sources, store, 5, ALONE, announce=said.append)
        other = str(tmp_path / "other-log")
        alone = run_jobs(slow_jobs(count, other, 0.0), study_sources, fresh, 5, ALONE)
    assert study_jobs.reused(said[0]) == (count, 0)
    same(resumed.results, alone.results)


# the data


@pytest.mark.long
def test_the_parts_of_a_folder(study_folder, tmp_path):
    parts = folder_parts(study_folder)
    assert set(parts) == {"runs", "judges", "gold"}
    found = Sources.in_folder(study_folder)
    assert (len(found.runs), len(found.judges)) == (3, 5)
    assert found.gold is not None
    assert found.gold.endswith("gold.qrels")
    data = study_data(found)
    assert study_data(found) is data
    other = Sources.in_folder(study_folder, judges=str(study_folder / "judges" / "*1*"))
    assert len(other.judges) == 1
    (tmp_path / "qrels.one").touch()
    (tmp_path / "qrels.two").touch()
    with pytest.raises(InputError, match="2 candidates for gold labels: qrels"):
        folder_parts(tmp_path)
    for name in ("judges-a", "judges-b"):
        (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="2 folders of judges: judges-a, judges-b"):
        folder_parts(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        folder_parts(tmp_path / "nowhere")


@pytest.mark.long
def test_the_folder_of_real_data(shared_data):
    parts = folder_parts(shared_data / "dl21")
    assert parts["judges"].endswith("judges-llama/*")
    assert parts["gold"].endswith("qrels.nist.txt")


@pytest.mark.long
def test_streams_are_refused(study_folder):
    with (
        (study_folder / "gold.qrels").open() as stream,
        pytest.raises(InputError, match="read only once"),
    ):
        Sources.of(str(study_folder / "runs" / "*"), gold=stream)


# Studies that are stopped from outside: an error or a signal ends them, and no process is left.


# Too many repetitions to be done before anybody can stop them.
STUDY = [sys.executable, "-m", "hungjury", "study", "markov", "--data", "demo", "-o", "out",
         "--repetitions", "5000", "--quiet"]  # fmt: skip
needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    hj.simulate(systems=3, topics=4, documents=40, depth=10).write(tmp_path / "demo")
    return tmp_path


def left_within(pid: int, seconds: float) -> list[str]:
    """The processes of a session that are still there after some seconds."""
    end = time.monotonic() + seconds
    while session(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return session(pid)


def session(number: int) -> list[str]:
    """The command lines of the processes of a session that are still there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (process / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == number and state != "Z":
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended meanwhile
            pass
    return found


def wait_for_results(folder: Path, study: subprocess.Popen[str]) -> None:
    """Until some have been stored. While a study has the file open nobody else can read it."""
    path = folder / "out" / "markov" / "jobs.sqlite"
    while not path.exists() or path.stat().st_size < 100_000:
        assert study.poll() is None, study.communicate()[1]
        time.sleep(0.05)


@pytest.mark.long
@needs_proc
@pytest.mark.parametrize(
    ("number", "codes", "everybody"),
    # Python ends by SIGINT itself, which shells show as 130 too, where it was in an exec() of text.
    [(signal.SIGTERM, (143,), False), (signal.SIGINT, (130, -signal.SIGINT), True)],
    ids=["SIGTERM", "Ctrl-C"],
)
def test_signals_leave_no_worker(
    here: Path, number: int, codes: tuple[int, ...], everybody: bool
) -> None:
    pytest.importorskip("joblib")
    study = subprocess.Popen(
        [*STUDY, "--jobs", "2"], cwd=here, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
        # Shells start background jobs, and so these tests, with SIGINT ignored.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        wait_for_results(here, study)
        assert len(session(study.pid)) > 2  # the study and its workers
        (os.killpg if everybody else os.kill)(study.pid, number)
        _, said = study.communicate(timeout=60)
        assert study.returncode in codes
        assert "Traceback" not in said
        assert left_within(study.pid, 20) == []
    finally:
        if session(study.pid):
            os.killpg(study.pid, signal.SIGKILL)


@pytest.mark.long
@needs_proc
def test_workers_leave_a_killed_study_before_their_first_job(here: Path) -> None:
    pytest.importorskip("joblib")
    study = subprocess.Popen([*STUDY, "--jobs", "2"], cwd=here, stderr=subprocess.DEVNULL,
                             start_new_session=True)  # fmt: skip
    try:
        while not any("popen_loky" in line for line in session(study.pid)):
            assert study.poll() is None
            time.sleep(0.02)
        study.kill()
        study.wait()
        assert left_within(study.pid, 60) == []  # by itself an idle worker waits for minutes
    finally:
        if session(study.pid):
            os.killpg(study.pid, signal.SIGKILL)


@pytest.mark.cluster
def test_a_scheduler_that_dies_ends_the_study_with_an_error(here: Path) -> None:
    pytest.importorskip("distributed")
    scheduler = started("scheduler", "--host", "127.0.0.1", "--port", "0")
    worker = study = None
    try:
        address = wait_for(scheduler, "Scheduler at:").split()[-1]
        worker = started("worker", address, "--nthreads", "1", "--no-nanny")
        engine = f"dask://{address.removeprefix('tcp://')}"
        command = [*STUDY, "--engine", engine]
        study = subprocess.Popen(command, cwd=here, stderr=subprocess.PIPE, text=True)
        wait_for_results(here, study)
        scheduler.kill()
        _, said = study.communicate(timeout=90)
        assert study.returncode == 2
        assert "error: the cluster failed: " in said
        assert "finished jobs are stored" in said
        assert "Traceback" not in said
    finally:
        for process in filter(None, (study, worker, scheduler)):
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()
