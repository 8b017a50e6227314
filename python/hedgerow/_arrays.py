"""Arrays in the form that the native module takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from ._hedgerow import Rows


def native_rows(X: Any) -> Rows:
    """A checked float64 matrix as C-ordered array, or the parts of a canonical CSR matrix."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    X = X.tocsr()
    if not X.has_canonical_format:
        # Sorting in place would change the caller's matrix.
        X = X.copy()
        X.sum_duplicates()
    return (
        int(X.shape[1]),
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        np.ascontiguousarray(X.indices, dtype=np.uint32),
        np.ascontiguousarray(X.data, dtype=np.float64),
    )


def python_rows(parts: Any) -> Any:
    """What the native module returns as array or ``scipy.sparse.csr_matrix``."""
    if isinstance(parts, np.ndarray):
        return parts
    n_features, indptr, indices, data = parts
    shape = (len(indptr) - 1, n_features)
    return sparse.csr_matrix((data, indices, indptr), shape=shape)


def n_threads(n_jobs: int | None) -> int:
    """The number of threads that ``n_jobs`` asks for; 0 lets the native module choose.

    ``None`` is 1 inside a joblib worker, so that workers do not start a thread a core each.
    """
    if n_jobs is None:
        backend, _ = joblib.parallel.get_active_backend()
        return 1 if (getattr(backend, "nesting_level", 0) or 0) > 0 else 0
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning: give a number of threads, or -1 for all")
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, joblib.cpu_count() + 1 + int(n_jobs))
