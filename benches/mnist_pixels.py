"""Draws which pixels of MNIST a ranking chose.

    hedgerow select qpfs --rate 0.5 mnist.train.svm.gz ranking.csv
    python benches/mnist_pixels.py ranking.csv docs/src/img/mnist-pixels.svg
"""

import csv
import sys

SIDE, CELL, GAP = 28, 8, 40


def panel(ranking, count, left):
    """Pixels among the first `count`, darker for better ranks."""
    parts = [f'<text x="{left}" y="20" font-size="14">best {count} pixels</text>']
    size = SIDE * CELL
    parts.append(f'<rect x="{left}" y="30" width="{size}" height="{size}" fill="#f4f4f4" stroke="#999"/>')
    for place, pixel in enumerate(ranking[:count]):
        x, y = left + pixel % SIDE * CELL, 30 + pixel // SIDE * CELL
        shade = round(40 + 130 * place / count)
        parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="rgb({shade},{shade + 30},{shade + 60})"/>')
    return parts


def main():
    source, target = sys.argv[1:3]
    with open(source, newline="") as file:
        ranking = [int(row["index"]) - 1 for row in csv.DictReader(file)]
    width = 2 * SIDE * CELL + GAP + 20
    height = SIDE * CELL + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" role="img"><title>Pixels of MNIST chosen by QPFS</title>'
    ]
    parts += panel(ranking, 100, 10) + panel(ranking, 350, 10 + SIDE * CELL + GAP)
    parts.append("</svg>")
    with open(target, "w") as out:
        out.write("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
