//! The programs and their letters.

use super::options::{Letter, Program};

const fn letter(name: &'static str, meaning: &'static str) -> Letter {
    Letter { name, meaning }
}

const RELAXATION: Letter = letter(
    "-R",
    "relaxation of cover trees: of no effect, neighbours are exact without one",
);
const SILENT: Letter = letter("-S", "silent: 0 or 1 (0)");
const KERNEL: Letter = letter("-t", "kernel: 0 linear, 1 polynomial, 2 RBF, 3 sigmoid (2)");
const COST: Letter = letter("-c", "penalty C (1)");
const WEIGHT: Letter = letter("-wi", "factor of C for class i, for example -w-1 2 (1)");
const DEGREE: Letter = letter("-d", "degree of the polynomial kernel (3)");
const GAMMA: Letter = letter(
    "-g",
    "gamma; from -1 to 0: that percentile of the distances in each neighbourhood (-0.5 for RBF, otherwise 1)",
);
const COEF0: Letter = letter("-r", "coef0 (0)");
const CACHE: Letter = letter("-m", "kernel cache in MB (100)");
const FOLDS: Letter = letter("-v", "cross-validation with this many folds");

const SELECTION: Letter = letter("-L", "local model selection: 0 or 1 (0)");
const COSTS: Letter = letter(
    "-C",
    "values of C to select from, for example 1:10:100 (-c)",
);
const GAMMAS: Letter = letter(
    "-G",
    "values of gamma to select from, for example -0.1:-0.5:-0.9 (-g)",
);
const SIZES: Letter = letter("-N", "values of k to select from, for example 250:500 (-K)");
const MODELS: Letter = letter("-M", "local models that the selection looks at (10)");

pub(super) static FKNN: Program = Program {
    name: "FkNN",
    files: "training_file [test_file output_label_file]",
    letters: &[
        letter("-K", "number of neighbours (1)"),
        letter("-T", "0 classification, 1 regression (0)"),
        letter(
            "-C",
            "conservative majority rule: 0 or 1 (0); of no effect on rows without a label",
        ),
        RELAXATION,
        letter(
            "-t",
            "kernel: 0 linear, 1 polynomial, 2 RBF (same neighbours as 0), 3 sigmoid (0)",
        ),
        DEGREE,
        letter("-r", "coef0 (1)"),
        letter("-g", "gamma of the polynomial kernel (1)"),
        letter(
            "-s",
            "strategy: 0 majority, 1 number of positive neighbours (0)",
        ),
        FOLDS,
        SILENT,
    ],
};

pub(super) static FKNNSVM: Program = Program {
    name: "FkNNSVM",
    files: "training_file [test_file output_label_file]",
    letters: &[
        letter("-Z", "local machine: 0 C-SVC, 3 epsilon-SVR (0)"),
        RELAXATION,
        letter("-K", "size of neighbourhoods (must be given)"),
        KERNEL,
        COST,
        WEIGHT,
        letter("-p", "epsilon of epsilon-SVR (0.1)"),
        DEGREE,
        GAMMA,
        CACHE,
        COEF0,
        letter("-b", "1: write the probability of the positive class (0)"),
        FOLDS,
        SILENT,
    ],
};

pub(super) static FALK_SVM_TRAIN: Program = Program {
    name: "FaLK-SVM-train",
    files: "input_file [model_file]",
    letters: &[
        KERNEL,
        SELECTION,
        letter(
            "-R",
            "relaxation R of the cover tree that orders the centres, 0 to 32: base 2 for 0, else 2^(1/(R+1)) (0)",
        ),
        letter("-K", "size of neighbourhoods k (1000)"),
        letter("-P", "share of the core: k' = P k (0.5)"),
        DEGREE,
        COEF0,
        COST,
        GAMMA,
        COSTS,
        GAMMAS,
        SIZES,
        MODELS,
        CACHE,
        FOLDS,
        letter("-b", "1: train for probabilities (0)"),
        WEIGHT,
        SILENT,
    ],
};

const PREDICT_LETTERS: &[Letter] = &[
    letter(
        "-T",
        "machine that answers: 0 of the nearest training row, 1 of the nearest centre, 2 a vote of the nearest centres (0)",
    ),
    letter("-K", "centres that vote with -T 2 (3)"),
    letter("-b", "1: write the probability of the positive class (0)"),
    letter(
        "-M",
        "measure to print first: 0 accuracy, 1 precision, 2 recall, 3 F-measure, 4 lift at 20% (0)",
    ),
    SILENT,
];

pub(super) static FALK_SVM_PREDICT: Program = Program {
    name: "FaLK-SVM-predict",
    files: "test_file model_file output_label_file",
    letters: PREDICT_LETTERS,
};

pub(super) static FALK_SVM_TEST: Program = Program {
    name: "FaLK-SVM-test",
    files: "test_file model_file output_label_file",
    letters: PREDICT_LETTERS,
};

pub(super) static FKNNSVM_NR: Program = Program {
    name: "FkNNSVM-nr",
    files: "input_file edited_file",
    letters: &[
        RELAXATION,
        letter(
            "-K",
            "size of neighbourhoods (must be given, unless -N gives several)",
        ),
        SELECTION,
        KERNEL,
        letter(
            "-T",
            "rows whose label has no larger probability are removed (0.5)",
        ),
        COST,
        WEIGHT,
        DEGREE,
        GAMMA,
        COEF0,
        COSTS,
        GAMMAS,
        SIZES,
        MODELS,
        CACHE,
        SILENT,
    ],
};

pub(super) static FALKNR: Program = Program {
    name: "FaLKNR",
    files: "input_file edited_file",
    letters: &[
        KERNEL,
        letter("-K", "size of neighbourhoods k (1000)"),
        letter("-P", "share of the core: k' = P k (0.5)"),
        SELECTION,
        letter(
            "-R",
            "relaxation R of the cover tree that orders the centres, 0 to 32: base 2 for 0, else 2^(1/(R+1)) (3)",
        ),
        DEGREE,
        GAMMA,
        COEF0,
        COST,
        COSTS,
        GAMMAS,
        SIZES,
        MODELS,
        CACHE,
        WEIGHT,
        SILENT,
    ],
};
