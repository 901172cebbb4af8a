"""Vectors in; their two main directions, and where they lie along them, out: PCA.

Hotelling 1933. By the covariance of the D dimensions, so that a hundred thousand vectors take no
more than a product of matrices.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pca:
    """The plane of the largest variance."""

    places: np.ndarray  # (n, 2) float32
    shares: tuple[float, float]  # of the variance, along each axis; 0 where there is none
    mean: np.ndarray  # (D,)
    axes: np.ndarray  # (D, 2)

    def place(self, vectors: np.ndarray) -> np.ndarray:
        """(m, 2) float32: where other vectors (m, D) lie in the same plane."""
        return ((vectors - self.mean) @ self.axes).astype(np.float32)


def pca(vectors: np.ndarray) -> Pca:
    """The plane of `vectors` (n, D), n >= 1. The largest weight of each axis is positive."""
    x = np.asarray(vectors, np.float32)
    mean = x.mean(axis=0, dtype=np.float64).astype(np.float32)
    x = x - mean
    variances, directions = np.linalg.eigh((x.T @ x).astype(np.float64) / len(x))  # rising
    width = min(2, len(variances))
    axes = np.zeros((len(mean), 2))
    axes[:, :width] = directions[:, ::-1][:, :width]
    largest = np.abs(axes).argmax(axis=0)
    axes *= np.where(axes[largest, [0, 1]] < 0, -1, 1)
    variances = np.pad(np.maximum(variances, 0)[::-1], (0, 2 - width))
    total = float(variances.sum()) or 1.0
    shares = float(variances[0]) / total, float(variances[1]) / total
    axes = axes.astype(np.float32)
    return Pca((x @ axes).astype(np.float32), shares, mean, axes)
