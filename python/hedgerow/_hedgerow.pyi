from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__version__: str

CsrParts: TypeAlias = tuple[int, NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64]]
Rows: TypeAlias = NDArray[np.float64] | CsrParts

class Model:
    @staticmethod
    def from_bytes(data: bytes) -> Model: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Model: ...
    def with_feature_names(self, names: list[str]) -> Model: ...
    def predict_codes(self, rows: Rows, threads: int) -> NDArray[np.int64]: ...
    def decision_values(self, rows: Rows, threads: int) -> NDArray[np.float64]: ...
    def predict_values(self, rows: Rows, threads: int) -> NDArray[np.float64]: ...
    def probabilities(self, rows: Rows, threads: int) -> NDArray[np.float64]: ...
    def count_work(self, rows: Rows, threads: int) -> tuple[float, int]: ...
    def explain(self, rows: Rows, top: int, threads: int) -> list[dict[str, Any]]: ...
    def centre_rows(self) -> NDArray[np.int64] | None: ...
    def facts(self) -> dict[str, Any]: ...
    def hyperplanes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def coefficients(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]: ...
    def support_vectors(self) -> NDArray[np.float64] | tuple[Any, ...] | None: ...
    @property
    def method(self) -> str: ...
    @property
    def has_probabilities(self) -> bool: ...
    @property
    def ranks_levels(self) -> bool: ...
    def level_values(self, rows: Rows, threads: int) -> NDArray[np.float64]: ...
    @property
    def kernel(self) -> str | None: ...
    @property
    def n_features(self) -> int: ...
    @property
    def chosen(self) -> list[int] | None: ...
    @property
    def feature_weights(self) -> list[float] | None: ...
    @property
    def feature_names(self) -> list[str] | None: ...
    @property
    def classes(self) -> list[float | str]: ...
    @property
    def parameters(self) -> list[tuple[str, str]]: ...
    @property
    def report(self) -> tuple[bool, int, float] | None: ...

Targets: TypeAlias = (
    tuple[NDArray[np.uint32], list[float | str]]
    | tuple[NDArray[np.uint32], list[float | str], bool]
    | NDArray[np.float64]
    | None
)

def fit(
    method: str,
    rows: Rows,
    targets: Targets,
    weights: NDArray[np.float64] | None,
    values: dict[str, Any],
    seed: int,
    threads: int,
    search: dict[str, Any] | None = None,
    isotonic: bool = False,
    metric: NDArray[np.float64] | float | None = None,
) -> tuple[
    Model, NDArray[np.int64] | None, tuple[int, dict[str, list[Any]]] | None
]: ...
def race_methods(
    rows: Rows,
    targets: Targets,
    wishes: dict[str, Any],
    threads: int,
) -> tuple[Model, dict[str, Any]]: ...
def learn_metric(
    rows: Rows,
    targets: Targets,
    weights: NDArray[np.float64] | None,
    groups: list[int] | None,
    values: dict[str, Any],
    threads: int,
) -> tuple[list[float], list[int], int, float, float]: ...
def update(
    model: Model, rows: Rows, targets: Targets, threads: int
) -> tuple[Model, dict[str, Any]]: ...
def rank_features(
    rows: Rows,
    codes: NDArray[np.uint32],
    selector: str,
    wanted: int | None,
    threads: int,
) -> tuple[list[int], list[float], list[tuple[str, float]], bool]: ...
def kernel_matrix(
    queries: Rows, rows: Rows, kernel: str, seed: int, threads: int
) -> NDArray[np.float64]: ...
def read_svmlight(
    path: str | PathLike[str], min_features: int, storage: str, threads: int
) -> tuple[
    NDArray[np.float64] | tuple[Any, ...],
    NDArray[np.float64] | list[str],
    NDArray[np.uint64] | None,
]: ...
def auc(positive: NDArray[np.bool_], scores: NDArray[np.float64]) -> float: ...
def mauc(levels: NDArray[np.uint32], scores: NDArray[np.float64]) -> float: ...
def edit_rows(
    method: str,
    rows: Rows,
    codes: NDArray[np.uint32],
    values: dict[str, Any],
    seed: int,
    threads: int,
) -> tuple[
    NDArray[np.bool_],
    tuple[NDArray[np.float64], NDArray[np.uint32]] | None,
    tuple[Any, NDArray[np.uint32]] | None,
    list[tuple[str, float]],
    bool,
]: ...
def correct_priors(
    probabilities: NDArray[np.float64], original: list[float], resampled: list[float]
) -> NDArray[np.float64]: ...
