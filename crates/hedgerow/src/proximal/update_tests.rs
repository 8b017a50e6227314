//! What an update may do, and what it must not.

use super::*;
use crate::data::{ClassLabels, Dataset, Generator, Samples, Target, generate};
use crate::kernel::Kernel;
use crate::{Error, Prediction, Predictor};

fn params() -> CregecParams {
    CregecParams::default().with_kernel(Kernel::rbf(8.0))
}

fn batch(n: usize, seed: u64) -> Dataset {
    generate::checkerboard(n, 2, 0.05, seed).expect("data")
}

fn bytes(model: &ChunkModel) -> Vec<u8> {
    postcard::to_allocvec(model).expect("serialised")
}

fn right(model: &impl Predictor, data: &Dataset) -> usize {
    let Ok(Prediction::Classes(codes)) = model.predict(data.samples().view()) else {
        panic!("classes");
    };
    let truth = data.classes().expect("classes");
    let names = model.classes().expect("classes");
    let told = codes.iter().map(|&code| &names[code as usize]);
    let known = truth.codes().iter();
    let known = known.map(|&code| &truth.names()[code as usize]);
    told.zip(known).filter(|(a, b)| a == b).count()
}

fn together(parts: &[&Dataset]) -> Dataset {
    let mut samples = parts[0].samples().clone();
    for part in &parts[1..] {
        samples.append(part.samples().view()).expect("width");
    }
    let names = parts[0].classes().expect("classes").names().to_vec();
    let code = |labels: &ClassLabels, code: u32| {
        let name = &labels.names()[code as usize];
        names.iter().position(|known| known == name).expect("known") as u32
    };
    let codes = parts
        .iter()
        .flat_map(|part| {
            let labels = part.classes().expect("classes");
            let codes = labels.codes().iter();
            codes.map(|&c| code(labels, c)).collect::<Vec<u32>>()
        })
        .collect();
    let labels = ClassLabels::new(names.clone(), codes).expect("codes");
    Dataset::new(samples, Target::Classes(labels)).expect("data")
}

#[test]
fn the_same_batches_give_the_same_bytes() {
    for params in [
        params(),
        params().with_reservoir(50),
        params().with_revisit(true),
        params().with_order(SubsetOrder::Shuffled),
    ] {
        let run = || {
            let mut model = params.fit(&batch(100, 1)).expect("fit").model;
            for seed in 2..5 {
                model.update(Some(&batch(60, seed)), &[]).expect("update");
            }
            bytes(&model)
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn an_empty_batch_changes_nothing() {
    for params in [
        params(),
        params().with_revisit(true),
        params().with_reservoir(20),
    ] {
        let mut model = params.fit(&batch(100, 1)).expect("fit").model;
        let before = bytes(&model);
        let none = batch(10, 2).select(&[]);
        let told = model.update(Some(&none), &[]).expect("update");
        assert_eq!((told.added, told.accepted, told.removed), (0, 0, 0));
        assert_eq!(bytes(&model), before);
        model.update(None, &[]).expect("update");
        assert_eq!(bytes(&model), before);
    }
}

#[test]
fn accuracy_on_all_rows_does_not_fall_and_chunk_rows_stay() {
    for seed in 0..8 {
        let mut seen = batch(80, 100 + seed);
        let mut model = params().fit(&seen).expect("fit").model;
        for round in 0..4 {
            let more = batch(50, 10 * seed + round);
            let all = together(&[&seen, &more]);
            let before = right(&model, &all);
            let chunk = model.parts().chunks[0].clone();
            let told = model.update(Some(&more), &[]).expect("update");
            assert!(right(&model, &all) >= before);
            let after = &model.parts().chunks[0];
            assert_eq!(after.rows[..chunk.rows.len()], chunk.rows[..]);
            assert_eq!(after.accepted[..chunk.accepted.len()], chunk.accepted[..]);
            assert_eq!(after.rows.len(), chunk.rows.len() + told.accepted);
            assert_eq!(after.score.0 as usize, right(&model, &all));
            assert_eq!(after.tried, chunk.tried + 50);
            seen = all;
        }
    }
}

#[test]
fn repeated_rows_of_the_chunk_are_not_taken_in_for_nothing() {
    let data = batch(100, 3);
    let mut model = params().fit(&data).expect("fit").model;
    let rows: Vec<usize> = model.parts().chunks[0]
        .rows
        .iter()
        .map(|&row| row as usize)
        .collect();
    let again = data.select(&rows);
    let all = together(&[&data, &again]);
    let before = right(&model, &all);
    let told = model.update(Some(&again), &[]).expect("update");
    assert!(told.accepted == 0 || right(&model, &all) > before);
}

#[test]
fn removed_rows_leave_the_chunk() {
    let data = batch(100, 4);
    let mut model = params().fit(&data).expect("fit").model;
    let chunk = model.parts().chunks[0].rows.clone();
    let told = model.update(None, &[chunk[2], 1000]);
    assert!(told.is_err());
    let told = model.update(None, &chunk[2..3]).expect("update");
    assert_eq!((told.removed, told.remembered), (1, 99));
    let after = &model.parts().chunks[0];
    assert!(!after.rows.contains(&chunk[2]));
    assert_eq!(after.rows.len(), after.classes.len());
    // Numbers are those of the first training still.
    assert!(model.update(None, &chunk[2..3]).is_err());
    let strange = Dataset::new(
        Samples::dense(1, 2, vec![0.0; 2]).expect("shape"),
        Target::Classes(ClassLabels::from_numbers(&[7.0])),
    );
    let refused = model.update(Some(&strange.expect("data")), &[]);
    assert!(matches!(refused, Err(Error::UnknownClass { .. })));
}

/// A class that loses all its rows of the chunk is begun with anew; those of the other class stay.
#[test]
fn a_chunk_that_lost_a_class_keeps_the_other() {
    for seed in 0..4 {
        let data = batch(100, seed);
        let mut model = params().fit(&data).expect("fit").model;
        let chunk = model.parts().chunks[0].clone();
        let of = |class: u32| -> Vec<u32> {
            let rows = chunk.rows.iter().zip(&chunk.classes);
            let own = rows.filter(|row| *row.1 == class);
            own.map(|row| *row.0).collect()
        };
        for class in [0, 1] {
            let mut model = model.clone();
            model.update(None, &of(class)).expect("update");
            let after = &model.parts().chunks[0];
            let kept = of(1 - class);
            assert_eq!(after.rows[..kept.len()], kept[..]);
            assert_eq!(after.classes[kept.len()], class);
            let left: Vec<usize> = (0..100)
                .filter(|&row| !of(class).contains(&(row as u32)))
                .collect();
            assert_eq!(after.score.0 as usize, right(&model, &data.select(&left)));
        }
        // Without any row of the chunk it is a selection from the others.
        model.update(None, &chunk.rows).expect("update");
        assert!(model.parts().chunks[0].rows.len() >= 2);
        // Without any row of a class there is nothing to begin with, and nothing is changed.
        let memory = model.parts().memory.clone().expect("memory");
        let gone = memory.numbers.iter().zip(&memory.class_of_row);
        let gone: Vec<u32> = gone.filter(|row| *row.1 == 1).map(|row| *row.0).collect();
        let before = bytes(&model);
        let refused = model.update(None, &gone);
        assert!(matches!(refused, Err(Error::TooFewClasses { .. })));
        assert_eq!(bytes(&model), before);
    }
}

/// Rows of two classes on either side of a line that turns with time.
fn turning(n: usize, angle: f64, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let (x, y) = (generator.normal(), generator.normal());
        values.extend([x, y]);
        labels.push(f64::from(u8::from(x * angle.cos() + y * angle.sin() > 0.0)));
    }
    let samples = Samples::dense(n, 2, values).expect("shape");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(&labels))).expect("data")
}

/// Ten batches whose boundary turns by a quarter: the memory stays bounded, and the accuracy on what
/// is remembered stays near that of a new selection on the same rows.
#[test]
fn a_stream_with_a_moving_boundary_is_followed_in_bounded_memory() {
    const LIMIT: usize = 400;
    let (mut updated, mut anew) = (0.0, 0.0);
    let params = CregecParams::default()
        .with_kernel(Kernel::rbf(0.5))
        .with_order(SubsetOrder::Shuffled)
        .with_reservoir(LIMIT);
    let mut model = params.fit(&turning(300, 0.0, 1)).expect("fit").model;
    for step in 1..=10u32 {
        let angle = f64::from(step) * std::f64::consts::FRAC_PI_2 / 10.0;
        let batch = turning(300, angle, 100 + u64::from(step));
        model.update(Some(&batch), &[]).expect("update");
        let parts = model.parts();
        let chunk = parts.chunks[0].rows.len();
        let memory = parts.memory.as_ref().expect("memory");
        assert!(
            memory.numbers.len() <= LIMIT + chunk,
            "{}",
            memory.numbers.len()
        );
        assert!(chunk < LIMIT / 4);
        let labels = ClassLabels::new(
            model.classes().expect("classes").to_vec(),
            memory.class_of_row.clone(),
        );
        let remembered = Dataset::new(
            memory.samples.clone(),
            Target::Classes(labels.expect("codes")),
        );
        let other = params.fit(&remembered.expect("data")).expect("fit").model;
        let test = turning(2000, angle, 500 + u64::from(step));
        updated += right(&model, &test) as f64 / 2000.0;
        anew += right(&other, &test) as f64 / 2000.0;
    }
    assert!(updated / 10.0 > anew / 10.0 - 0.02, "{updated} {anew}");
}
