"""Editing of rows: what the classes of ``_editors.py`` share, and tools around them."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing, check_X_y
from sklearn.utils.multiclass import check_classification_targets

from . import _hedgerow
from ._arrays import n_threads, native_rows, python_rows
from ._base import Estimator, Parameter


class Editor(BaseEstimator):
    """A method that keeps some rows, and perhaps adds others.

    ``fit_resample`` is that of imbalanced-learn, so that editors can be steps of its pipelines.
    """

    _method: ClassVar[str]
    _parameters: ClassVar[tuple[Parameter, ...]]

    _settings = Estimator._settings
    _seed = Estimator._seed

    def fit(self, X: Any, y: Any) -> Any:
        """Decides which rows stay."""
        self._edit(X, y)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows that stay, in their order, then the new ones; with their labels."""
        added, labels = self._edit(X, y)
        kept_X = _safe_indexing(X, self.sample_indices_)
        kept_y = _safe_indexing(y, self.sample_indices_)
        if added is None:
            return kept_X, kept_y
        return _joined(kept_X, added), _joined(kept_y, labels)

    def _edit(self, X: Any, y: Any) -> tuple[Any, Any]:
        X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.n_features_in_ = X.shape[1]
        self.classes_, codes = np.unique(y, return_inverse=True)
        weights = _class_weights(getattr(self, "class_weight", None), codes, self.classes_)
        keep, opinions, added, facts, converged = _hedgerow.edit_rows(
            self._method,
            native_rows(X),
            codes.astype(np.uint32),
            self._settings() | weights,
            self._seed(),
            n_threads(self.n_jobs),
        )
        if not converged:
            warnings.warn("judgements are rough: a solver stopped early", ConvergenceWarning)
        self.sample_indices_ = np.flatnonzero(keep)
        self.trust_, self.suggested_ = None, None
        if opinions is not None:
            self.trust_, suggested = opinions
            self.suggested_ = self.classes_[suggested]
        self.facts_ = dict(facts)
        gone = set(range(len(self.classes_))) - set(codes[keep].tolist())
        if gone:
            names = ", ".join(repr(self.classes_[code]) for code in sorted(gone))
            warnings.warn(f"no row is left of class {names}", UserWarning)
        if added is None:
            return None, None
        rows, codes = added
        return python_rows(rows), self.classes_[codes]


def _class_weights(weights: Any, codes: Any, classes: Any) -> dict[str, Any]:
    """Factors of the cost, by the code of the class."""
    if weights is None:
        return {}
    if isinstance(weights, str):
        if weights != "balanced":
            raise ValueError(f'class_weight must be a dict or "balanced", not {weights!r}')
        counts = np.bincount(codes)
        factors = len(codes) / (len(counts) * counts)
        return {"class_weights": [f"{code}={factor}" for code, factor in enumerate(factors)]}
    places = {label: code for code, label in enumerate(classes.tolist())}
    known = {places[label]: factor for label, factor in weights.items() if label in places}
    return {"class_weights": [f"{code}={factor}" for code, factor in known.items()]}


def _joined(kept: Any, added: Any) -> Any:
    """New rows or labels under those kept, in the form that those have."""
    if sparse.issparse(kept) or sparse.issparse(added):
        return sparse.vstack([kept, added], format="csr")
    if hasattr(kept, "iloc"):
        import pandas as pd

        if kept.ndim == 1:
            more = pd.Series(added, name=kept.name)
        else:
            more = pd.DataFrame(added, columns=kept.columns)
        return pd.concat([kept, more], ignore_index=True)
    return np.concatenate([np.asarray(kept), np.asarray(added)])


def find_label_issues(
    X: Any, y: Any, editor: Any = None, *, return_scores: bool = False
) -> Any:
    """Rows whose labels look wrong, the most suspicious first.

    Parameters
    ----------
    X : array or sparse matrix
        The rows.
    y : array
        Their labels.
    editor : editor, default=FaLKNR()
        Who judges: any editor that has an opinion of single rows.
    return_scores : bool, default=False
        Also return how well each of all rows' labels is supported, from 0 to 1.

    Returns
    -------
    indices : ndarray of int
        The rows that the editor would remove, by ascending trust.
    scores : ndarray of float
        With ``return_scores``.
    """
    if editor is None:
        from ._editors import FaLKNR

        editor = FaLKNR()
    editor.fit(X, y)
    if editor.trust_ is None:
        raise ValueError(f"{type(editor).__name__} has no opinion of single rows")
    suspicious = np.setdiff1d(np.arange(len(editor.trust_)), editor.sample_indices_)
    order = np.argsort(editor.trust_[suspicious], kind="stable")
    issues = suspicious[order]
    return (issues, editor.trust_) if return_scores else issues


def correct_priors(probabilities: Any, original: Any, resampled: Any) -> Any:
    """Probabilities of a model that was trained on resampled rows, for classes as they were.

    Each column is multiplied by the ratio of the class's share before resampling to that after,
    and rows are made to sum to 1 again.

    Parameters
    ----------
    probabilities : array of shape (n_rows, n_classes)
        What ``predict_proba`` says.
    original, resampled : array of shape (n_classes,)
        Rows of each class before and after resampling, in the order of ``classes_``.
    """
    probabilities = np.asarray(probabilities, dtype=np.float64)
    if probabilities.ndim != 2 or probabilities.shape[1] != len(original):
        raise ValueError("probabilities must have a column for each class size")
    flat = np.ascontiguousarray(probabilities).ravel()
    sizes = [np.asarray(counts, dtype=np.float64).tolist() for counts in (original, resampled)]
    return _hedgerow.correct_priors(flat, *sizes).reshape(probabilities.shape)
