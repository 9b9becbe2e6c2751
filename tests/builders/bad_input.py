"""What the tests of bad input share: an error is one sentence with a place and a remedy."""

import gc
import io

import pyarrow
import pyarrow.parquet
import pytest

from hungjury.base.errors import HungjuryError, InputError

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"d": 1.0}}
GOOD_QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 d 1\n"
GOOD_RUN = "1 Q0 a 1 2 good\n1 Q0 b 2 1 good\n2 Q0 d 1 1 good\n"


@pytest.fixture(autouse=True)
def nothing_else(capfd, recwarn):
    """No warning (not even of a file left open) and no output, whatever the input."""
    yield
    gc.collect(1)
    assert [str(w.message) for w in recwarn] == []
    assert capfd.readouterr() == ("", "")


def refused(call, says=(), *, error=InputError, file=None, line=None):
    """The error of a call, after a look at all its parts."""
    with pytest.raises(HungjuryError) as caught:
        call()
    found = caught.value
    assert type(found) is error, found
    assert (found.file, found.line) == (file, line), found
    assert found.remedy
    text = str(found)
    if file is not None:
        assert text.startswith(f"{file}: " if line is None else f"{file}:{line}: ")
    for words in [says] if isinstance(says, str) else says:
        assert words in text
    return found


def complaint(call, error=InputError):
    """What a call is refused with; where is not looked at."""
    with pytest.raises(error) as caught:
        call()
    assert caught.value.remedy
    return str(caught.value)


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def parquet(**columns):
    out = io.BytesIO()
    how = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    pyarrow.parquet.write_table(pyarrow.table(columns), out, **how)
    return out.getvalue()


PARQUET = parquet(qid=["1"], docno=["cafe"], label=[1])
