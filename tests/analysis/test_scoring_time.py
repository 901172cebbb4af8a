"""How long scoring will take: of each kind of network, and in proportion to the text."""

from types import SimpleNamespace

import numpy as np
import pytest

from lmstudio.analysis import scoring_time
from lmstudio.data.layout import BOS, EOS
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, training
from lmstudio.text.segment import SegmentOptions
from tests.operations.families import NETWORKS, network


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    from lmstudio.store.workspace import Workspace

    with Workspace(tmp_path_factory.mktemp("w")) as ws:
        text = "".join(f"第{n}天我爱北京天安门。\n" for n in range(200))
        corpora.import_text(ws, text, name="短文", job=Job())
        made = segmentations.create(ws, "短文", SegmentOptions(by="characters"), job=Job()).new_id
        yield ws, ws.segmentation_folder(made)


@pytest.mark.parametrize("model", NETWORKS)
def test_every_network_is_timed(cut, model):
    assert 0 < scoring_time.scoring_seconds(cut[1], network(model), job=Job()) < 100


def test_it_is_part_of_the_estimate(cut):
    ws, folder = cut
    found = training.estimate(ws, ws.segmentations()[0].id, network("bert"), job=Job())
    assert found.scoring > 0


@pytest.fixture
def clock(monkeypatch):
    """A model that takes a millisecond an id, and the first piece a second longer."""
    now = [0.0]
    monkeypatch.setattr(scoring_time, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def logprobs(piece):
        now[0] += 0.001 * len(piece) + (1.0 if not now[0] else 0.0)
        return np.full(int((piece != BOS).sum()), -1.0)

    return now, SimpleNamespace(context="sentence", logprobs=logprobs)


def test_the_first_piece_does_not_count_and_few_are_enough(clock):
    now, model = clock
    stream = np.array([BOS, 5, 6, EOS] * 25_000)
    assert scoring_time.seconds_an_id(model, stream, 100, Job()) == pytest.approx(0.001)
    assert now[0] < 3
    short = stream[:40]
    now[0] = 0.0
    assert scoring_time.seconds_an_id(model, short, 100, Job()) == pytest.approx(1.04 / 40)
