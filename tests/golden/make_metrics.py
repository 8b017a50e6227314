"""Prints the numbers that crates/hedgerow/tests/{metrics,statistics}.rs compare with.

Needs scikit-learn and scipy; run it without arguments.
"""

import numpy as np
from scipy import special, stats
from sklearn import metrics

TRUTH = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
PREDICTED = [0, 1, 0, 2, 1, 1, 0, 2, 2, 1, 2, 0]
PROBABILITIES = np.array(
    [
        [0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.9, 0.05, 0.05], [0.25, 0.25, 0.5],
        [0.1, 0.8, 0.1], [0.2, 0.6, 0.2], [0.5, 0.3, 0.2], [0.05, 0.05, 0.9],
        [0.1, 0.2, 0.7], [0.2, 0.5, 0.3], [0.0, 0.1, 0.9], [1.0, 0.0, 0.0],
    ]
)
POSITIVE = [0, 0, 1, 1, 0, 1, 0, 1, 1, 0]
SCORES = [0.1, 0.4, 0.35, 0.8, 0.4, 0.9, 0.2, 0.4, 0.35, 0.35]
REAL = [3.0, -0.5, 2.0, 7.0, 4.2]
REAL_PREDICTED = [2.5, 0.0, 2.0, 8.0, 3.9]
FIRST = [81.2, 79.9, 83.1, 80.0, 82.4, 79.5, 81.8, 82.2, 80.9, 81.1]
SECOND = [80.1, 79.2, 83.4, 78.9, 81.2, 79.9, 80.0, 81.9, 80.1, 80.4]


def show(name, *values):
    print(name, *(repr(float(v)) for v in np.ravel(values)))


def main():
    show("accuracy", metrics.accuracy_score(TRUTH, PREDICTED))
    show("balanced", metrics.balanced_accuracy_score(TRUTH, PREDICTED))
    show("precision", metrics.precision_score(TRUTH, PREDICTED, average=None))
    show("recall", metrics.recall_score(TRUTH, PREDICTED, average=None))
    show("f1", metrics.f1_score(TRUTH, PREDICTED, average=None))
    show("f2 macro", metrics.fbeta_score(TRUTH, PREDICTED, beta=2, average="macro"))
    show("precision macro", metrics.precision_score(TRUTH, PREDICTED, average="macro"))
    clipped = np.clip(PROBABILITIES[np.arange(12), TRUTH], 1e-15, 1 - 1e-15)
    show("log loss (clip 1e-15)", -np.log(clipped).mean())
    show("log loss sklearn, rows without 0", metrics.log_loss(TRUTH[:11], PROBABILITIES[:11], labels=[0, 1, 2]))
    show("brier", ((PROBABILITIES - np.eye(3)[TRUTH]) ** 2).sum(axis=1).mean())
    show("binary brier", metrics.brier_score_loss(POSITIVE, SCORES))
    show("auc", metrics.roc_auc_score(POSITIVE, SCORES))
    show("average precision", metrics.average_precision_score(POSITIVE, SCORES))
    fpr, tpr, thresholds = metrics.roc_curve(POSITIVE, SCORES, drop_intermediate=False)
    show("fpr", fpr)
    show("tpr", tpr)
    show("thresholds", thresholds)
    show("mse", metrics.mean_squared_error(REAL, REAL_PREDICTED))
    show("mae", metrics.mean_absolute_error(REAL, REAL_PREDICTED))
    show("r2", metrics.r2_score(REAL, REAL_PREDICTED))
    show("corr2", np.corrcoef(REAL, REAL_PREDICTED)[0, 1] ** 2)
    show("paired t", *stats.ttest_rel(FIRST, SECOND))
    welch = stats.ttest_ind(FIRST, SECOND, equal_var=False)
    show("welch t", welch.statistic, welch.pvalue, welch.df)
    show("wilcoxon exact", *stats.wilcoxon([1.1, -0.3, 2.5, 0.7, -1.9, 3.3, 0.2, 1.4], method="exact"))
    table = np.array([[9.0, 7.0, 8.0], [6.0, 5.0, 6.0], [9.5, 7.5, 7.5], [8.0, 9.0, 7.0], [7.0, 6.0, 5.0], [8.5, 7.0, 7.5]])
    show("friedman", *stats.friedmanchisquare(*table.T))
    print("special")
    show("erf", [special.erf(x) for x in (0.1, 0.5, 1.0, 2.0, 3.5)])
    show("erfc", [special.erfc(x) for x in (-1.0, 0.5, 3.0, 6.0, 10.0)])
    show("normal cdf", [special.ndtr(x) for x in (-8.0, -3.0, -1.96, 0.5, 2.0)])
    show("normal quantile", [special.ndtri(p) for p in (1e-10, 0.001, 0.025, 0.3, 0.975)])
    show("ln gamma", [special.gammaln(x) for x in (0.1, 0.5, 1.5, 10.0, 123.4)])
    show("gamma lower", [special.gammainc(a, x) for a, x in ((0.5, 0.2), (3, 2.5), (10, 12), (50, 40))])
    show("gamma upper", [special.gammaincc(a, x) for a, x in ((0.5, 30), (3, 2.5), (10, 25), (50, 90))])
    show("beta", [special.betainc(a, b, x) for a, b, x in ((0.5, 0.5, 0.3), (2, 3, 0.5), (10, 0.5, 0.9), (40, 60, 0.35))])
    show("t", [2 * stats.t.sf(t, df) for t, df in ((2.262, 9), (0.5, 3), (12.0, 20), (1e-3, 5), (4.5, 1))])
    show("chi2", [stats.chi2.sf(x, df) for x, df in ((17.43, 4), (14.31, 4), (3.84, 1), (100, 10))])
    show("f", [stats.f.sf(x, a, b) for x, a, b in ((3.5, 4, 56), (0.2, 2, 10), (25, 3, 40), (1, 1, 1))])
    show("range q/sqrt2 .05", [stats.studentized_range.ppf(0.95, k, np.inf) / 2**0.5 for k in (2, 3, 5, 10, 20)])
    show("range q/sqrt2 .10", [stats.studentized_range.ppf(0.90, k, np.inf) / 2**0.5 for k in (3, 6)])


if __name__ == "__main__":
    main()
