//! Times rankgate's and elinor's tests on the scores of one file: `stats-peers FILE RESAMPLES`.
//!
//! A line of the file holds the baseline's and the candidate's score of one query. A line of the output holds
//! a name, the seconds taken and the p-value, separated by tabs. Everything runs on one thread.

use std::error::Error;
use std::time::Instant;

use elinor::statistical_tests::bootstrap_test::BootstrapTester;
use elinor::statistical_tests::randomized_tukey_hsd_test::RandomizedTukeyHsdTester;
use rankgate::stats::{Bootstrap, Differences, Engine, PermutationOptions, Stream, permutation_test};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(resamples)) = (arguments.next(), arguments.next()) else {
        return Err("usage: stats-peers FILE RESAMPLES".into());
    };
    let resamples: u64 = resamples.parse()?;
    let (mut baseline, mut candidate) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(file)?.lines() {
        let (old, new) = line.split_once(' ').ok_or("two columns are needed")?;
        baseline.push(old.parse()?);
        candidate.push(new.parse()?);
    }
    rankgate::__private::within(1, || compared(&baseline, &candidate, resamples))
}

fn compared(baseline: &[f64], candidate: &[f64], resamples: u64) -> Result<()> {

    let differences = Differences::new(baseline, candidate)?;
    let options = PermutationOptions {
        engine: Some(Engine::MonteCarlo),
        resamples,
        most_resamples: resamples,
        ..PermutationOptions::default()
    };
    time("permutation rankgate", || {
        Ok(permutation_test(&differences, 0.0, &options)?.p_two_sided())
    })?;
    time("bootstrap rankgate", || {
        let bootstrap = Bootstrap::new(&differences, resamples, &Stream::new(1))?;
        bootstrap.p_two_sided().ok_or_else(|| "no spread".into())
    })?;

    let pairs = || candidate.iter().copied().zip(baseline.iter().copied());
    let resamples = usize::try_from(resamples)?;
    time("permutation elinor", || {
        let tester = RandomizedTukeyHsdTester::new(2).with_n_iters(resamples).with_random_state(1);
        Ok(tester.test(pairs().map(|(new, old)| [new, old]))?.p_values()[0][1])
    })?;
    time("bootstrap elinor", || {
        let tester = BootstrapTester::new().with_n_resamples(resamples).with_random_state(1);
        Ok(tester.test(pairs())?.p_value())
    })?;
    Ok(())
}

fn time(name: &str, work: impl FnOnce() -> Result<f64>) -> Result<()> {
    let start = Instant::now();
    let p = work()?;
    println!("{name}\t{}\t{p}", start.elapsed().as_secs_f64());
    Ok(())
}
