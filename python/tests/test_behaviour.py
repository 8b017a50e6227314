"""What users rely on beyond the estimator contract."""

import copy
import pickle
import signal
import threading
import time
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hedgerow
from hedgerow._arrays import n_threads

CLASSIFIERS = [hedgerow.SVC(), hedgerow.NuSVC(nu=0.2)]
MACHINES = [*CLASSIFIERS, hedgerow.SVR(), hedgerow.NuSVR(), hedgerow.OneClassSVM()]


def learned(model):
    """All learned attributes that are arrays or numbers."""
    return {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_")
    }


def assert_same(a, b):
    assert learned(a).keys() == learned(b).keys()
    for name, value in learned(a).items():
        np.testing.assert_array_equal(value, learned(b)[name], err_msg=name)
    np.testing.assert_array_equal(a.support_vectors_, b.support_vectors_)


@pytest.mark.parametrize("labels", [("no", "yes"), (-1, 1), (True, False), (3.0, 1.0)])
def test_labels_of_any_kind(two_classes, labels):
    X, y = two_classes
    named = np.asarray(labels)[y]
    model = hedgerow.SVC().fit(X, named)
    np.testing.assert_array_equal(model.classes_, np.unique(named))
    assert model.predict(X).dtype == named.dtype
    assert model.score(X, named) > 0.85
    positive = model.predict(X) == model.classes_[1]
    np.testing.assert_array_equal(model.decision_function(X) > 0, positive)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: type(m).__name__)
def test_pickle_joblib_and_deepcopy(machine, two_classes, tmp_path):
    X, y = two_classes
    model = clone(machine).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    copies = [
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        joblib.load(tmp_path / "model.joblib"),
    ]
    for other in copies:
        assert_same(model, other)
        np.testing.assert_array_equal(model.predict(X), other.predict(X))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_threads_do_not_change_the_model(machine, storage, four_classes):
    X, y = four_classes
    X = storage(X)
    models = [clone(machine).set_params(n_jobs=n).fit(X, y) for n in (1, 2)]
    a, b = (learned(model) for model in models)
    for name, value in a.items():
        np.testing.assert_array_equal(value, b[name], err_msg=name)
    np.testing.assert_array_equal(models[0].predict(X), models[1].predict(X))


def test_number_of_threads():
    assert n_threads(3) == 3
    assert n_threads(None) == 0
    assert n_threads(-1) == joblib.cpu_count()
    assert n_threads(-100) == 1
    assert Parallel(n_jobs=2)(delayed(n_threads)(None) for _ in range(2)) == [1, 1]
    assert Parallel(n_jobs=2, backend="threading")(delayed(n_threads)(None) for _ in range(2)) == [
        1,
        1,
    ]
    with pytest.raises(ValueError, match="n_jobs == 0"):
        n_threads(0)


def long_problem():
    return make_classification(
        n_samples=4000, n_features=20, n_informative=10, flip_y=0.3, random_state=0
    )


def test_other_threads_run_during_a_fit():
    X, y = long_problem()
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    hedgerow.SVC(C=100, n_jobs=1).fit(X, y)
    end = time.perf_counter()
    done.set()
    thread.join()
    inside = [t for t in ticks if start < t < end]
    # With the lock held there would be a single gap as long as the fit.
    gaps = np.diff([start, *inside, end])
    assert len(inside) >= 10
    assert gaps.max() < 0.5 * (end - start)


def test_ctrl_c_ends_the_wait():
    X, y = long_problem()
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    # A process started in the background of a script ignores the signal unless it says otherwise.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            for _ in range(20):
                hedgerow.SVC(C=1e4, n_jobs=1, max_iter=20_000, tol=1e-9, cache_size=1).fit(X, y)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_grid_search_pipeline_and_calibration(two_classes):
    X, y = two_classes
    pipeline = make_pipeline(StandardScaler(), hedgerow.SVC())
    grid = {"svc__C": [0.1, 1, 10], "svc__kernel": ["linear", "rbf(gamma=q50)"]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.8
    assert not hasattr(hedgerow.SVC(), "predict_proba")
    calibrated = CalibratedClassifierCV(hedgerow.SVC(), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (len(X), 2)
    assert cross_val_score(hedgerow.SVR(), X, y.astype(float), cv=3).mean() > 0.2
    gram = hedgerow.kernel(X)
    scores = cross_val_score(hedgerow.SVC(kernel="precomputed"), gram, y, cv=3)
    assert scores.mean() > 0.8


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(machine, bad, two_classes):
    X, y = two_classes
    broken = X.copy()
    broken[3, 1] = bad
    with pytest.raises(ValueError, match="NaN|infinity"):
        clone(machine).fit(broken, y)
    model = clone(machine).fit(X, y)
    with pytest.raises(ValueError, match="NaN|infinity"):
        model.predict(broken)
    with pytest.raises(ValueError):
        clone(machine).fit(sparse.csr_matrix(broken), y)


def test_single_precision_input(two_classes):
    X, y = two_classes
    single = X.astype(np.float32)
    a = hedgerow.SVC().fit(single, y)
    b = hedgerow.SVC().fit(single.astype(np.float64), y)
    assert_same(a, b)
    np.testing.assert_array_equal(
        a.decision_function(single), b.decision_function(np.asfortranarray(single))
    )


def test_names_of_a_data_frame(two_classes, tmp_path):
    X, y = two_classes
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    model = hedgerow.SVC().fit(frame, pd.Series(y))
    assert list(model.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(model.predict(frame), hedgerow.SVC().fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])
    hedgerow.save_model(model, tmp_path / "named.model")
    assert list(hedgerow.load_model(tmp_path / "named.model").feature_names_in_) == list(
        frame.columns
    )


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: type(m).__name__)
def test_model_files(machine, four_classes, tmp_path):
    X, y = four_classes
    model = clone(machine).fit(X, y)
    path = tmp_path / "machine.model"
    hedgerow.save_model(model, path)
    loaded = hedgerow.load_model(path)
    assert type(loaded) is type(model)
    assert [entry.name for entry in tmp_path.iterdir()] == ["machine.model"]
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.dual_coef_, model.dual_coef_)
    np.testing.assert_array_equal(loaded.support_vectors_, model.support_vectors_)
    data = path.read_bytes()
    path.write_bytes(data[:-20])
    with pytest.raises(ValueError):
        hedgerow.load_model(path)
    path.write_bytes(data[:200] + bytes([data[200] ^ 1]) + data[201:])
    with pytest.raises(ValueError, match="checksum"):
        hedgerow.load_model(path)
    with pytest.raises(FileNotFoundError):
        hedgerow.load_model(tmp_path / "nothing")


def test_model_files_keep_text_classes(two_classes, tmp_path):
    X, y = two_classes
    named = np.asarray(["no", "yes"])[y]
    model = hedgerow.SVC().fit(X, named)
    hedgerow.save_model(model, tmp_path / "m")
    loaded = hedgerow.load_model(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_a_solver_that_stops_early_warns(two_classes):
    X, y = two_classes
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = hedgerow.SVC(max_iter=3).fit(X, y)
    assert model.fit_status_ == 1
    assert model.n_iter_ == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hedgerow.SVC().fit(X, y).fit_status_ == 0


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (hedgerow.SVC(C=-1), "parameter C = -1"),
        (hedgerow.SVC(C="1"), "C = 1: must be a number"),
        (hedgerow.SVC(tol=0), "parameter tol = 0"),
        (hedgerow.SVC(kernel="rfb"), "rfb"),
        (hedgerow.SVC(kernel="rbf(gamma=q50"), "position"),
        (hedgerow.SVC(kernel=lambda a, b: 0), "precomputed"),
        (hedgerow.SVC(gamma=-2.0), "gamma"),
        (hedgerow.SVC(gamma=None), "gamma must be"),
        (hedgerow.SVC(kernel="poly", degree=1.5), "degree"),
        (hedgerow.SVC(max_iter=0), "max_iter"),
        (hedgerow.SVC(cache_size=0), "cache_size"),
        (hedgerow.SVC(decision_function_shape="x"), "decision_function_shape"),
        (hedgerow.SVC(class_weight={0: -1.0}), "class weights must be positive"),
        (hedgerow.SVC(random_state="x"), "random_state"),
        (hedgerow.SVC(kernel="precomputed"), "square"),
        (hedgerow.NuSVC(nu=1.5), "nu = 1.5"),
        (hedgerow.SVR(epsilon=-0.1), "epsilon"),
        (hedgerow.OneClassSVM(nu=0.0), "nu = 0"),
    ],
)
def test_wrong_parameters_are_named(machine, message, two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match=message):
        machine.fit(X, y)


def test_infeasible_nu_names_the_limit(two_classes):
    X, y = two_classes
    rare = np.zeros_like(y)
    rare[:5] = 1
    with pytest.raises(ValueError, match="infeasible"):
        hedgerow.NuSVC(nu=0.5).fit(X, rare)


def test_weights_that_cannot_be_used(two_classes):
    X, y = two_classes
    with pytest.raises(ValueError, match="negative"):
        hedgerow.SVC().fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="non-zero"):
        hedgerow.SVR().fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="no row with a positive weight"):
        hedgerow.SVC().fit(X, y, sample_weight=(y == 0).astype(float))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: type(m).__name__)
def test_a_row_of_weight_zero_is_not_there(machine, two_classes):
    X, y = two_classes
    weights = np.ones(len(y))
    weights[::7] = 0
    keep = weights > 0
    a = clone(machine).fit(X, y, sample_weight=weights)
    b = clone(machine).fit(X[keep], y[keep])
    np.testing.assert_array_equal(a.dual_coef_, b.dual_coef_)
    np.testing.assert_array_equal(a.support_, np.flatnonzero(keep)[b.support_])


@pytest.mark.parametrize(
    "machine",
    [
        hedgerow.SVC(),
        hedgerow.NuSVC(nu=0.2),
        hedgerow.SVR(),
        hedgerow.NuSVR(),
        hedgerow.OneClassSVM(),
    ],
    ids=lambda m: type(m).__name__,
)
def test_a_row_of_weight_three_is_there_three_times(machine, two_classes):
    X, y = two_classes
    counts = np.random.RandomState(2).randint(0, 4, len(y))
    # A width that does not depend on the data; kernel values have single precision.
    machine = clone(machine).set_params(gamma="auto", tol=1e-9)
    a = clone(machine).fit(X, y, sample_weight=counts)
    b = clone(machine).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    score = "decision_function" if hasattr(machine, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(a, score)(X), getattr(b, score)(X), atol=2e-5)


def test_rows_in_any_order_of_the_classes(four_classes):
    X, y = four_classes
    order = np.random.RandomState(1).permutation(len(y))
    a = hedgerow.SVC(gamma=0.1, tol=1e-8).fit(X, y)
    b = hedgerow.SVC(gamma=0.1, tol=1e-8).fit(X[order], y[order])
    np.testing.assert_array_equal(np.sort(a.support_), np.sort(order[b.support_]))
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-5)


def test_before_fit_there_is_nothing(two_classes):
    X, _ = two_classes
    for name in ("support_vectors_", "coef_", "classes_"):
        assert not hasattr(hedgerow.SVC(), name)
    with pytest.raises(NotFittedError):
        hedgerow.SVC().predict(X)
    with pytest.raises(NotFittedError):
        hedgerow.save_model(hedgerow.SVC(), "never-written")
