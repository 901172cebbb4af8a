"""TensorBoard's own reader sees the points of our event files, and forgets those given up."""

import math

import pytest

from lmstudio.formats.tensorboard import EventFile

pytest.importorskip("tensorboard")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of another library


def read(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    return EventAccumulator(str(folder)).Reload()


def points(reader, tag):
    return [(event.step, event.value) for event in reader.Scalars(tag)]


def test_it_reads_every_point(tmp_path):
    with EventFile(tmp_path, began=1_700_000_000) as file:
        for step in (0, 1, 200, 2**40):
            file.add(step, {"valid/loss": 2.5, "train/learning_rate": 1e-9 * step}, when=1e9 + step)
        file.add(2**40 + 1, {"valid/loss": math.nan, "train/learning_rate": 1e300})
        file.add_text("settings", "## 设置\n`{}`")
    reader = read(tmp_path)
    assert reader.Tags()["scalars"] == ["valid/loss", "train/learning_rate"]
    assert points(reader, "valid/loss")[:4] == [(0, 2.5), (1, 2.5), (200, 2.5), (2**40, 2.5)]
    assert math.isnan(points(reader, "valid/loss")[4][1])
    assert points(reader, "train/learning_rate")[-1][1] == math.inf
    assert points(reader, "train/learning_rate")[1][1] == pytest.approx(1e-9)
    assert [event.wall_time for event in reader.Scalars("valid/loss")[:2]] == [1e9, 1e9 + 1]
    (text,) = reader.Tensors("settings")
    assert text.tensor_proto.string_val == ["## 设置\n`{}`".encode()]
    assert reader.SummaryMetadata("settings").plugin_data.plugin_name == "text"


def test_points_after_the_step_that_is_gone_on_from_are_forgotten(tmp_path):
    with EventFile(tmp_path, began=1) as file:
        for step in (10, 20, 30):
            file.add(step, {"loss": 1.0})
    with EventFile(tmp_path, began=2, first_step=20) as file:
        file.add(25, {"loss": 0.5})
    assert points(read(tmp_path), "loss") == [(10, 1.0), (20, 1.0), (25, 0.5)]
