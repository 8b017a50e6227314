//! `inspect --bounds`: how wrong may a model be?

use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::session::Session;
use hedgerow::capability::{Bounds, Facts};
use hedgerow_io::Source;
use hedgerow_methods::Stored;

/// Facts about the bounds, if they were asked for.
pub(super) fn facts(
    session: &Session,
    args: &InspectArgs,
    stored: &Stored,
) -> Result<Facts, Failure> {
    if !args.bounds {
        return Ok(Facts::new());
    }
    let Some(model) = stored.model.as_bounds() else {
        return Err(Failure::usage(format!(
            "--bounds is for rankers and models of local machines, and this is one of {}",
            stored.method()
        )));
    };
    let mut settings = vec![("eta".to_owned(), args.eta.into())];
    if let Some(dimension) = args.vc_dimension {
        settings.push(("vc_dimension".to_owned(), dimension.into()));
    }
    let failed = |error| match error {
        hedgerow::Error::Parameter { .. } => Failure::Option(error),
        error => Failure::data(&args.file)(error),
    };
    let mut facts = model.bounds(&settings).map_err(failed)?;
    if let Some(file) = &args.training {
        facts.extend(of_training(session, args, file, stored, model)?);
    }
    Ok(facts)
}

/// Bounds that read the training data.
fn of_training(
    session: &Session,
    args: &InspectArgs,
    file: &str,
    stored: &Stored,
    model: &dyn Bounds,
) -> Result<Facts, Failure> {
    let has_classes = stored.model.classes().is_some();
    let encoding = stored.frame.encoding.as_ref();
    let options = input::test_options(&args.data, has_classes, encoding, true);
    let Input { name, loaded, .. } = input::read(session, &Source::from_argument(file), &options)?;
    let failed = Failure::data(&name);
    let prepared = stored
        .frame
        .preprocessing
        .apply(loaded.dataset.samples().view());
    let data = match prepared.and_then(|rows| match rows {
        Some(rows) => loaded.dataset.with_samples(rows),
        None => Ok(loaded.dataset.clone()),
    }) {
        Ok(data) => data,
        Err(error) => return Err(failed(error)),
    };
    match model.bounds_on(&data, args.all_pairs) {
        Some(found) => found.map_err(failed),
        None => Err(Failure::usage(format!(
            "--data: no bound of {} reads its training data",
            stored.method()
        ))),
    }
}
