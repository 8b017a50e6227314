"""The problems of the benchmark: which kernel, C and gamma on which set, and why.

Nothing here is tuned for any program. The values are those customary for the set, or the ones that a grid
search of the set's own publication found; all programs get the same values, tolerance and cache.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    data: str
    cost: float
    gamma: float
    why: str
    quick: bool = False      # in the short run that only proves that everything works


PROBLEMS = {p.data: p for p in [
    Problem("a1a", 1, 0.05, "the values of a9a", quick=True),
    Problem("svmguide1", 2, 2, "found by grid search in the guide that the set comes from; columns to [-1, 1]", quick=True),
    Problem("splice", 10, 0.01, "raw codes 1..4 in 60 columns: gamma near 1 / (columns x variance)", quick=True),
    Problem("dna", 8, 2 ** -6, "grid search of Hsu and Lin, 2002 (one-vs-one comparison)"),
    Problem("satimage", 16, 1, "grid search of Hsu and Lin, 2002; columns to [-1, 1]"),
    Problem("letter", 16, 4, "grid search of Hsu and Lin, 2002; columns to [-1, 1]; 26 classes, 325 pairs"),
    Problem("usps", 10, 2 ** -7, "256 pixels in [-1, 1]: gamma = 2 / columns, C = 10 as customary for digits"),
    Problem("mnist10k", 10, 0.02, "784 pixels in [0, 1]: gamma 0.02 to 0.03 and C 5 to 10 are customary"),
    Problem("a9a", 1, 0.05, "0/1 columns, 14 ones a row: customary C = 1, gamma = 0.05; most support vectors at the bound"),
    Problem("ijcnn1", 32, 2, "customary in large-scale SVM comparisons; few support vectors, many iterations"),
    Problem("covtype20k", 8, 4, "columns to [0, 1]; a narrow kernel suits the wiggly boundary, half of the rows are support vectors"),
    Problem("covtype50k", 8, 4, "as covtype20k: shows the growth with the number of rows"),
]}

LOCAL = Problem("local", 8, 4, "1,000 nearest rows of covtype: one local model, solved many times")
