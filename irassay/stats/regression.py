"""Cross-validated regression of ratings on one metric at a time, for all metrics and folds at once."""

from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, Ints, of_unit_size
from irassay.stats.clustered import shuffled_order


@dataclass(frozen=True, eq=False)
class Errors:
    """How far predictions of unseen units were off, fold by fold."""

    rmse: Floats  # [metric, fold] folds of all partitions, one after another
    of_mean: Floats  # [fold] the same when the mean of the training units is predicted
    squared: Floats  # [metric] sum of squared errors over all folds
    squared_of_mean: float
    ratio: float  # test units to training units, on average


def random_folds(units: int, folds: int, partitions: int, seed: int, group: Ints | None = None) -> Ints:
    """[partition, unit] the fold of every unit: its place in a random order, modulo the number of folds.

    Units of a group stay together. With fewer units (or groups) than folds, each is left out once.

    >>> random_folds(4, 2, 1, seed=0).sum().item(), random_folds(3, 10, 10, seed=0).shape
    (2, (1, 3))
    """
    members = np.arange(units) if group is None else group
    count = int(members.max()) + 1
    if count <= folds:
        return members[None].astype(np.int64)
    order = shuffled_order(count, partitions, seed)
    fold = np.empty_like(order)
    np.put_along_axis(fold, order, np.broadcast_to(np.arange(count) % folds, order.shape), axis=1)
    return fold[:, members]


def cross_validated(x: Floats, y: Floats, fold: Ints) -> Errors:
    """The errors of predicting y [unit] from each metric of x [metric, unit] by a line through the other folds.

    A metric that is constant in the training units predicts their mean.
    """
    folds = int(fold.max()) + 1
    x = of_unit_size(x)
    centred = x - x.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True))
    x = np.divide(
        centred, spread, out=np.zeros_like(centred), where=spread > 1e-13 * np.abs(x).max(axis=1, keepdims=True)
    )
    shift = y.mean()
    y = y - shift
    member = (fold[:, None, :] == np.arange(folds)[:, None]).astype(np.float64)  # [partition, fold, unit]
    tested = member.sum(axis=2)
    trained = len(y) - tested
    of_test = member.reshape(-1, len(y)).T  # [unit, partition and fold]

    def training(values: Floats) -> Floats:
        """[..., partition, fold] the mean over the units of all other folds."""
        left = values.sum(axis=-1, keepdims=True) - values @ of_test
        return left.reshape(*left.shape[:-1], *trained.shape) / trained

    mean_x, mean_y = training(x), training(y)
    spread_x = training(x * x) - mean_x**2
    slope = np.divide(training(x * y) - mean_x * mean_y, spread_x, out=np.zeros_like(mean_x), where=spread_x > 1e-12)
    row = np.arange(len(fold))[:, None]
    guess = mean_y[row, fold] + slope[:, row, fold] * (
        x[:, None, :] - mean_x[:, row, fold]
    )  # [metric, partition, unit]
    squares = np.einsum("mpu,pfu->mpf", (guess - y) ** 2, member)
    squares_of_mean = np.einsum("pu,pfu->pf", (mean_y[row, fold] - y) ** 2, member)
    return Errors(
        np.sqrt(squares / tested).reshape(len(x), -1),
        np.sqrt(squares_of_mean / tested).ravel(),
        squares.sum(axis=(1, 2)),
        float(squares_of_mean.sum()),
        float((tested / trained).mean()),
    )
