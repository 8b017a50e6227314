"""Features chosen by QPFS, then H-LSVM or a linear SVM, on mnist, 3 or not: error against the number of features.

    python benches/pipeline.py DATA_FOLDER [--program target/release/hedgerow] [--sizes 100,200,300,400,500,600,784]

The document (its Table 6.2, on mnist8m) tells 10 % errors up to 400 features and 1.4 % from 500 on, with parameters that were chosen
once for all features. Here each line of the table is one command: `train h-lsvm --select qpfs --top M …`.
Prints a CSV table that the example `line_chart` draws.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import hlsvm

METHODS = {
    "H-LSVM: default": ["h-lsvm"],
    "H-LSVM: document's lambda and rho": ["h-lsvm", "--lambda", "1e-4", "--holdout", "0.2"],
    "linear SVM": ["linear-svm"],
}
DOCUMENT = {50: 10.17, 100: 10.04, 200: 10.04, 400: 9.86, 500: 1.44, 600: 1.46, 784: 1.43}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--program", default="target/release/hedgerow")
    parser.add_argument("--sizes", default="100,200,300,400,500,600,784")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        train, test = hlsvm.prepare(args.data, "mnist3", work)
        (work / "train").write_text("".join(train))
        (work / "test").write_text("".join(test))
        print(",".join(["features", *METHODS, "document (mnist8m)"]), flush=True)
        for size in map(int, args.sizes.split(",")):
            cells = []
            for words in METHODS.values():
                chosen = ["--select", "qpfs", "--top", str(size)] if size < 780 else []
                hlsvm.run(args.program, "train", *words, *chosen, str(work / "train"), str(work / "model"))
                told = hlsvm.run(args.program, "predict", str(work / "test"), str(work / "model"), str(work / "out"))
                cells.append(f"{100 * (1 - told['metrics']['accuracy']):.2f}")
            print(",".join([str(size), *cells, str(DOCUMENT.get(size, ""))]), flush=True)


if __name__ == "__main__":
    main()
