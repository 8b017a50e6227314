//! Tuning and inspecting models of local machines.

use crate::common;

use common::Folder;

fn spirals(folder: &Folder) {
    folder.ok("generate noisy-spirals --rows 600 train.svm");
}

const QUICK: &str = "--models 3 --folds 4 --grid neighbours=30,60 --grid cost=1,10";

#[test]
fn tune_compares_on_neighbourhoods_and_trains() {
    let folder = Folder::new("tune-local");
    spirals(&folder);
    let run = folder.ok(&format!(
        "tune falk-svm {QUICK} --grid gamma=-0.5,-0.1 train.svm best"
    ));
    for word in ["neighbours", "rbf(gamma=q50)", "rbf(gamma=q10)", "<- best"] {
        assert!(run.out.contains(word), "{word} is not in {}", run.out);
    }
    assert!(folder.has("best"));
    let result = folder.json(&format!("tune falk-svm {QUICK} train.svm best"));
    assert_eq!(result["search"], "local");
    assert_eq!(result["neighbourhoods"], 3);
    let points = result["points"].as_array().expect("points");
    let best = &result["best"];
    assert!(points.contains(best));
    let told = &result["parameters"];
    assert_eq!(told["neighbours"], best["neighbours"]);
    assert_eq!(told["kernel"], best["kernel"]);
    let inspected = folder.json("inspect best");
    assert_eq!(inspected["parameters"]["kernel"], best["kernel"]);
}

#[test]
fn the_same_search_on_any_number_of_threads() {
    let folder = Folder::new("tune-local-threads");
    spirals(&folder);
    folder.ok(&format!("tune falk-svm --threads 1 {QUICK} train.svm one"));
    folder.ok(&format!(
        "tune falk-svm --threads 3 {QUICK} train.svm three"
    ));
    assert_eq!(folder.bytes("one"), folder.bytes("three"));
}

#[test]
fn whole_models_are_compared_on_request() {
    let folder = Folder::new("tune-ordinary");
    spirals(&folder);
    let result = folder.json(
        "tune falk-svm --ordinary -K 60 --grid cost=1,10 --grid core=0.25,0.5 --svg h.svg train.svm",
    );
    assert_eq!(result["points"].as_array().map(Vec::len), Some(4));
    assert!(folder.has("h.svg"));
}

#[test]
fn options_that_do_not_belong_are_refused() {
    let folder = Folder::new("tune-local-refused");
    spirals(&folder);
    for (line, word) in [
        ("tune falk-svm --metric auc train.svm", "--ordinary"),
        ("tune falk-svm --grid core=0.1,0.2 train.svm", "--ordinary"),
        (
            "tune falk-svm --grid neighbours=1,20 train.svm",
            "at least 2",
        ),
        ("tune falk-svm --grid nonsense=1 train.svm", "nonsense"),
        ("tune falk-svm --models 0 train.svm", "models"),
        ("tune svm --inner-half train.svm", "--inner-half"),
        ("inspect --bounds train.svm", "--bounds"),
    ] {
        let run = folder.run(line);
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        assert!(run.err.contains(word), "{line}: {}", run.err);
    }
}

#[test]
fn regressions_are_tuned_by_their_error() {
    let folder = Folder::new("tune-local-svr");
    let rows: Vec<String> = (0..200)
        .map(|i| {
            let x = f64::from(i) / 30.0;
            format!("{} 1:{x}", x.sin())
        })
        .collect();
    folder.write("train.svm", rows.join("\n"));
    let result = folder.json(&format!(
        "tune falk-svr -p 0.01 {QUICK} --grid gamma=0.000001,1 train.svm"
    ));
    assert_eq!(result["metric"], "mean_squared_error");
    assert_eq!(result["best"]["kernel"], "rbf(gamma=1)");
}

#[test]
fn inspect_bounds_the_risk_or_says_why_not() {
    let folder = Folder::new("inspect-bounds");
    spirals(&folder);
    folder.ok("train falk-svm -K 30 train.svm local");
    folder.ok("train falk-svm -K 400 train.svm wide");
    let local = folder.json("inspect --bounds local");
    assert!(local["risk_bound"].is_null());
    let needed = local["bound_needs_neighbours"].as_u64().expect("a number");
    assert!((30..400).contains(&needed), "{needed}");
    let wide = folder.json("inspect --bounds wide");
    let bound = wide["risk_bound"].as_f64().expect("a bound");
    let surer = folder.json("inspect --bounds --eta 0.001 wide");
    assert!(surer["risk_bound"].as_f64().expect("a bound") > bound);
    let plain = folder.json("inspect wide");
    assert!(plain.get("risk").is_none());
}

#[test]
fn inspect_draws_the_covering() {
    let folder = Folder::new("inspect-covering");
    spirals(&folder);
    folder.ok("train falk-svm -K 30 train.svm m");
    folder.ok("inspect --svg covering.svg m");
    let svg = folder.read("covering.svg");
    let facts = folder.json("inspect m");
    let centres = facts["centres"].as_u64().expect("a number") as usize;
    assert!(svg.contains(&format!("{centres} centres")));
    // A bold and a thin circle a centre.
    assert!(svg.matches("<circle").count() >= 2 * centres);
    folder.ok("train svm train.svm exact");
    let run = folder.run("inspect --svg c.svg exact");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("svm"), "{}", run.err);
}
