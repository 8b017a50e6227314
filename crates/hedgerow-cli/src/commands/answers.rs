//! The answers of `predict`, as lines or as a table.

use crate::args::PredictArgs;
use crate::failure::Failure;
use crate::table::exact;
use hedgerow::data::{ClassName, SamplesView};
use hedgerow::machines::largest;
use hedgerow::{Prediction, Predictor, ScoreMatrix};
use hedgerow_io::{DataFormat, IoError, OutputFile};
use hedgerow_methods::Prepared;
use std::io::{BufWriter, Write};
use std::path::Path;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Labels,
    Scores,
    Probabilities,
}

/// Predictions with their scores.
pub(super) struct Answer {
    pub(super) prediction: Prediction,
    /// Decision values or probabilities.
    pub(super) scores: ScoreMatrix,
    form: Form,
}

impl Answer {
    /// With the code of a class and its share, if the data have other shares than the training.
    pub(super) fn of(
        model: &Prepared,
        view: SamplesView<'_>,
        args: &PredictArgs,
        prior: Option<(usize, f64)>,
    ) -> hedgerow::Result<Self> {
        if args.with_probabilities() {
            let scores = match prior {
                Some((code, share)) => model.probabilities_with_prior(view, code, share)?,
                None => model.probabilities(view)?,
            };
            // As svm-predict -b 1 does, and where another share was told: the most probable class.
            // Otherwise asking for probabilities does not change the answer.
            let prediction = if args.most_probable() || prior.is_some() {
                let codes = (0..scores.n_rows()).map(|i| largest(scores.row(i)));
                Prediction::Classes(codes.collect())
            } else {
                model.predict(view)?
            };
            return Ok(Self {
                prediction,
                scores,
                form: Form::Probabilities,
            });
        }
        let (prediction, scores) = model.predict_with_scores(view)?;
        Ok(Self {
            prediction,
            scores,
            form: if args.scores {
                Form::Scores
            } else {
                Form::Labels
            },
        })
    }

    /// Writes a table if the ending of the path tells one, otherwise lines.
    pub(super) fn write(
        &self,
        path: &str,
        classes: Option<&[ClassName]>,
        names: Option<(&str, &[String])>,
    ) -> Result<(), Failure> {
        let path = Path::new(path);
        let failed = |source| IoError::Write {
            path: path.to_path_buf(),
            source,
        };
        let mut out = BufWriter::new(OutputFile::create(path)?);
        let classes = classes.unwrap_or_default();
        match DataFormat::of_path(path) {
            Some(DataFormat::Csv) => self.write_table(&mut out, classes, names, ','),
            Some(DataFormat::Tsv) => self.write_table(&mut out, classes, names, '\t'),
            _ => self.write_lines(&mut out, classes),
        }
        .map_err(failed)?;
        let out = out
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        Ok(out.finish()?)
    }

    /// A header, then the name of the row, its label and all scores or probabilities.
    fn write_table(
        &self,
        out: &mut impl Write,
        classes: &[ClassName],
        names: Option<(&str, &[String])>,
        delimiter: char,
    ) -> std::io::Result<()> {
        let cell = |text: &str| cell(text, delimiter);
        let prefix = match self.form {
            Form::Probabilities => "probability",
            Form::Labels | Form::Scores => "score",
        };
        let mut head: Vec<String> = names.iter().map(|(name, _)| cell(name)).collect();
        let real = matches!(self.prediction, Prediction::Real(_));
        head.push(if real { "prediction" } else { "label" }.to_owned());
        if !real {
            let columns = self.scores.columns.iter();
            head.extend(columns.map(|column| cell(&format!("{prefix} {column}"))));
        }
        let delimiter = delimiter.to_string();
        writeln!(out, "{}", head.join(&delimiter))?;
        let labels: Vec<String> = classes.iter().map(|name| cell(&name.to_string())).collect();
        for i in 0..self.prediction.len() {
            let mut row: Vec<String> = names.iter().map(|(_, all)| cell(&all[i])).collect();
            match &self.prediction {
                Prediction::Classes(codes) => {
                    row.push(labels[codes[i] as usize].clone());
                    row.extend(self.scores.row(i).iter().map(|&value| exact(value)));
                }
                Prediction::Real(values) => row.push(exact(values[i])),
            }
            writeln!(out, "{}", row.join(&delimiter))?;
        }
        Ok(())
    }

    fn write_lines(&self, out: &mut impl Write, classes: &[ClassName]) -> std::io::Result<()> {
        let names: Vec<String> = classes.iter().map(ToString::to_string).collect();
        let columns = self.scores.columns.join(" ");
        let head = match self.form {
            Form::Scores => Some(columns),
            Form::Probabilities => Some(format!("labels {columns}")),
            Form::Labels => None,
        };
        if let Some(head) = head {
            writeln!(out, "{head}")?;
        }
        for i in 0..self.prediction.len() {
            if self.form != Form::Scores {
                match &self.prediction {
                    Prediction::Classes(codes) => {
                        out.write_all(names[codes[i] as usize].as_bytes())?;
                    }
                    Prediction::Real(values) => out.write_all(exact(values[i]).as_bytes())?,
                }
            }
            if self.form != Form::Labels {
                for (at, &value) in self.scores.row(i).iter().enumerate() {
                    if at > 0 || self.form == Form::Probabilities {
                        out.write_all(b" ")?;
                    }
                    out.write_all(exact(value).as_bytes())?;
                }
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// A cell, in quotes if it has to be.
fn cell(text: &str, delimiter: char) -> String {
    if text.contains([delimiter, '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
