"""Draws the least trusted digits of USPS with their nearest rows.

    hedgerow clean falknr --report report.csv ../shared/data/usps.train.csv.gz clean.csv
    python benches/mislabelled_digits.py ../shared/data/usps.train.csv.gz report.csv docs/src/img/usps-suspicious.svg
"""

import csv
import gzip
import sys

SIDE, CELL, SHOWN, LEVELS = 16, 4, 9, 5
SIZE, STEP_X, STEP_Y, LEFT, TOP = SIDE * CELL, SIDE * CELL + 12, SIDE * CELL + 28, 8, 34


def digit(pixels, x, y, caption):
    """A small picture, one path a shade of grey."""
    low, high = min(pixels), max(pixels)
    shades = [round((p - low) / (high - low) * (LEVELS - 1)) if high > low else 0 for p in pixels]
    parts = [f'<rect x="{x}" y="{y}" width="{SIZE}" height="{SIZE}" fill="#fff" stroke="#bbb"/>']
    for level in range(1, LEVELS):
        runs = []
        for row in range(SIDE):
            line, column = shades[row * SIDE:(row + 1) * SIDE], 0
            while column < SIDE:
                end = column
                while end < SIDE and line[end] == level:
                    end += 1
                if end > column:
                    runs.append(f"M{x + column * CELL} {y + row * CELL}h{(end - column) * CELL}v{CELL}h-{(end - column) * CELL}z")
                column = max(end, column + 1)
        grey = round(255 * (1 - level / (LEVELS - 1)))
        if runs:
            parts.append(f'<path d="{"".join(runs)}" fill="rgb({grey},{grey},{grey})"/>')
    parts.append(f'<text x="{x}" y="{y + SIZE + 14}">{caption}</text>')
    return parts


def main():
    data, report, target = sys.argv[1:4]
    with gzip.open(data, "rt") as file:
        rows = list(csv.reader(file))[1:]
    pixels = lambda number: [float(v) for v in rows[number - 1][:-1]]
    with open(report, newline="") as file:
        finds = list(csv.DictReader(file))[:SHOWN]
    width, height = LEFT + SHOWN * STEP_X, TOP + 4 * STEP_Y
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11" role="img"><title>The least trusted digits of USPS and their nearest rows</title>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{LEFT}" y="20" font-size="13">Top: the least trusted rows with their labels. '
        'Below: nearest row of the same label, two nearest of others.</text>',
    ]
    for place, find in enumerate(finds):
        x = LEFT + place * STEP_X
        parts += digit(pixels(int(find["row"])), x, TOP, f'label {find["label"]}')
        same = int(find["nearest_same"].split()[0].split(":")[0])
        shown = [(same, find["label"])]
        shown += [(int(word.split(":")[0]), word.split(":")[1]) for word in find["nearest_other"].split()[:2]]
        for line, (number, label) in enumerate(shown, 1):
            parts += digit(pixels(number), x, TOP + line * STEP_Y, f"label {label}")
    parts.append("</svg>")
    with open(target, "w") as out:
        out.write("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
