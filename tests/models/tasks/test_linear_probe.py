"""Probes are the logistic regression of scikit-learn."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from lmstudio.models.tasks import linear_probe


def vectors(classes, n=300, width=12, seed=1):
    """Vectors on very different scales, and classes that they tell only in part."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(n, width)) * 10.0 ** draw.integers(-3, 3, width)
    x[:, 0] = 5.0  # tells nothing
    standard = (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1)
    scores = standard @ draw.normal(size=(width, classes)) + 2 * draw.normal(size=(n, classes))
    return x.astype(np.float32), scores.argmax(1)


@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0], ids=str)
@pytest.mark.parametrize("classes", [2, 3, 7], ids=str)
def test_it_equals_scikit_learn(classes, penalty):
    x, y = vectors(classes)
    exact = torch.from_numpy(x.astype(float))
    made = linear_probe.fit(exact, torch.from_numpy(y), penalty=penalty, near=1e-9, steps=1000)
    standard = StandardScaler().fit_transform(x.astype(float))
    peer = LogisticRegression(C=1 / penalty, tol=1e-9, max_iter=10_000).fit(standard, y)
    shares = torch.softmax(made.logits(exact), 1).numpy()
    np.testing.assert_allclose(shares, peer.predict_proba(standard), atol=1e-5)
    np.testing.assert_array_equal(made.classes(exact), peer.predict(standard))


def test_where_it_stops_by_default_it_says_the_same():
    x, y = vectors(5, n=600)
    made = linear_probe.fit(torch.from_numpy(x[:400]), torch.from_numpy(y[:400]))
    scaler = StandardScaler().fit(x[:400].astype(float))
    peer = LogisticRegression(max_iter=1000).fit(scaler.transform(x[:400]), y[:400])
    said = made.classes(torch.from_numpy(x[400:])).numpy()
    assert (said == peer.predict(scaler.transform(x[400:]))).mean() > 0.98


def test_classes_that_are_not_seen_are_not_answered():
    x, y = vectors(3)
    made = linear_probe.fit(torch.from_numpy(x), torch.from_numpy(np.array([2, 5, 9])[y]))
    assert made.seen.tolist() == [2, 5, 9]
    assert set(made.classes(torch.from_numpy(x)).tolist()) == {2, 5, 9}


def test_of_one_class_it_says_that():
    x, _ = vectors(2)
    made = linear_probe.fit(torch.from_numpy(x), torch.full((len(x),), 4))
    assert set(made.classes(torch.from_numpy(x)).tolist()) == {4}


def test_it_can_be_stopped_at_every_step():
    def stop():
        raise InterruptedError

    x, y = vectors(3)
    with pytest.raises(InterruptedError):
        linear_probe.fit(torch.from_numpy(x), torch.from_numpy(y), check=stop)
