use hedgerow::kernel::Kernel;
use hedgerow::proximal::CregecParams;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1])?;
    let gamma: f64 = a[2].parse()?;
    let times: usize = a[3].parse()?;
    let mut lines = text.lines();
    lines.next();
    let (mut v, mut l) = (Vec::new(), Vec::new());
    for line in lines {
        let c: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        l.push(*c.last().unwrap());
        v.extend(&c[..c.len() - 1]);
    }
    let data = hedgerow::data::Dataset::new(
        hedgerow::data::Samples::dense(l.len(), v.len() / l.len(), v)?,
        hedgerow::data::Target::Classes(hedgerow::data::ClassLabels::from_numbers(&l)),
    )?;
    let params = CregecParams::default()
        .with_kernel(Kernel::rbf(gamma))
        .with_updatable(false);
    let mut best = f64::INFINITY;
    let mut tried = 0;
    for _ in 0..times {
        let r = params.fit(&data)?.report;
        best = best.min(r.seconds);
        tried = r.iterations;
    }
    println!(
        "{} candidates, best {:.3} ms, {:.0}/s",
        tried,
        1e3 * best,
        tried as f64 / best
    );
    Ok(())
}
