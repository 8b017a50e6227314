from os import PathLike
from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str

CsrParts: TypeAlias = tuple[int, NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64]]
Rows: TypeAlias = NDArray[np.float64] | CsrParts

class Settings(TypedDict):
    method: str
    kernel: str
    cost: float
    nu: float
    epsilon: float
    tolerance: float
    cache_bytes: int
    shrinking: bool
    max_iterations: int | None
    seed: int
    threads: int

class SelectionSettings(TypedDict):
    neighbours: list[int]
    costs: list[float]
    kernels: list[str]
    models: int
    folds: int
    inner_half: bool
    centres: bool
    balance: bool

class LocalSettings(TypedDict):
    method: str
    kernel: str
    neighbours: int
    core: float
    simple_cover: bool
    assign: str
    voters: int
    cost: float
    epsilon: float
    probability: bool
    tolerance: float
    max_iterations: int | None
    seed: int
    threads: int
    selection: SelectionSettings | None

TreeSettings = TypedDict(
    "TreeSettings",
    {
        "lambda": float | None,
        "lambda_search": int,
        "holdout": float,
        "min_share": float | None,
        "max_depth": int | None,
        "impurity": str,
        "balanced": bool,
        "frame": str,
        "threshold": str,
        "multiclass": str,
        "trees": int,
        "row_share": float,
        "feature_share": float,
        "probability": bool,
        "single": bool,
        "tolerance": float,
        "max_passes": int,
        "seed": int,
        "threads": int,
    },
)

class LinearSettings(TypedDict):
    method: str
    cost: float
    bias: float | None
    one_vs_one: bool
    tolerance: float
    max_iterations: int
    seed: int
    loss: str
    solver: str
    regularised_bias: bool
    regulariser: float | None
    balanced: bool
    bias_treatment: str
    bias_rate: float
    batch: int
    stop: str
    ridge: float
    threads: int

Candidate: TypeAlias = tuple[int, float, str, float, float]
Chosen: TypeAlias = tuple[int, float, str, tuple[int, list[Candidate]] | None]

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
    def centres(self) -> tuple[NDArray[np.int64], int] | None: ...
    def tree_shape(self) -> tuple[int, int, int] | None: ...
    def path_costs(self, rows: Rows, threads: int) -> tuple[float, int]: ...
    def hyperplanes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def coefficients(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]: ...
    def support_vectors(self) -> NDArray[np.float64] | tuple[Any, ...] | None: ...
    @property
    def method(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    @property
    def n_features(self) -> int: ...
    @property
    def chosen(self) -> list[int] | None: ...
    @property
    def feature_names(self) -> list[str] | None: ...
    @property
    def classes(self) -> list[float | str]: ...
    @property
    def parameters(self) -> list[tuple[str, str]]: ...
    @property
    def report(self) -> tuple[bool, int, float] | None: ...

def fit_classifier(
    rows: Rows,
    codes: NDArray[np.uint32],
    names: list[float | str],
    weights: NDArray[np.float64] | None,
    settings: Settings,
) -> tuple[Model, NDArray[np.int64]]: ...
def fit_regressor(
    rows: Rows,
    targets: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    settings: Settings,
) -> tuple[Model, NDArray[np.int64]]: ...
def fit_one_class(
    rows: Rows, weights: NDArray[np.float64] | None, settings: Settings
) -> tuple[Model, NDArray[np.int64]]: ...
def fit_local(
    rows: Rows,
    targets: NDArray[np.uint32] | NDArray[np.float64],
    names: list[float | str],
    weights: NDArray[np.float64] | None,
    settings: LocalSettings,
) -> tuple[Model, Chosen]: ...
def fit_tree(
    rows: Rows,
    codes: NDArray[np.uint32],
    names: list[float | str],
    weights: NDArray[np.float64] | None,
    settings: TreeSettings,
) -> Model: ...
def fit_linear(
    rows: Rows,
    codes: NDArray[np.uint32],
    names: list[float | str],
    weights: NDArray[np.float64] | None,
    settings: LinearSettings,
) -> Model: ...
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
