#!/bin/sh
# Makes the models and answers of this directory with the program: sh make.sh path/to/hedgerow
set -eu
program=$1
cd "$(dirname "$0")"
for scheme in ovo ovr dag; do
    "$program" train svm --multiclass "$scheme" --scale standard --quiet three.svm "three-$scheme.model"
    "$program" predict --quiet three.svm "three-$scheme.model" "three-$scheme.txt"
done
awk '$1 != "7"' three.svm > two.svm
"$program" train svm --quiet two.svm two.model
"$program" predict --quiet two.svm two.model two.txt
"$program" train svm -t 0 --scale standard --select mrmr --top 2 --quiet three.svm chosen.model
"$program" predict --quiet three.svm chosen.model chosen.txt
