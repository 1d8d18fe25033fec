//! Settings of sweeps, asked by the test program: `rankgate tune` reads what retrievers from Rust answered.

use crate::benchmark::Benchmark;
use crate::error::chain;
use crate::session::Subject;
use crate::spec::{Configuration, Sweep};
use crate::words::counted;

use super::env::{Environment, TUNE};
use super::log::Log;

/// Asks every setting of every sweep over a retriever, and keeps the answers; whether that went well. No gate is decided.
pub(super) fn record_settings(subjects: &[Subject], environment: &Environment, log: &Log) -> bool {
    let recorded = record(subjects, environment, log);
    recorded.as_ref().err().into_iter().for_each(|message| log.error(message));
    recorded.is_ok()
}

fn record(subjects: &[Subject], environment: &Environment, log: &Log) -> Result<(), String> {
    if environment.is_nextest {
        return Err(format!("{TUNE} goes with `cargo test`: nextest starts a process for each gate"));
    }
    let mut any = false;
    for subject in subjects {
        let Subject::Benchmark(benchmark) = subject else { continue };
        for configuration in benchmark.spec().configurations.iter().filter(|one| is_swept(one)) {
            any = true;
            let asked = ask(benchmark, configuration, environment)?;
            log.say(&format!(
                "{}: asked {} of {}; `rankgate tune {}` chooses among them",
                benchmark.name(),
                counted(asked as usize, "setting", "settings"),
                configuration.name,
                environment.shown(subject.path()),
            ));
        }
    }
    match any {
        true => Ok(()),
        false => Err(format!("{TUNE} is set, and no configuration with a `retriever` has a `sweep` to ask")),
    }
}

fn is_swept(configuration: &Configuration) -> bool {
    configuration.variant.is_none()
        && configuration.ignore.is_none()
        && configuration.sweep.is_some()
        && configuration.is_from_rust()
}

fn ask(
    benchmark: &Benchmark,
    configuration: &Configuration,
    environment: &Environment,
) -> Result<u64, String> {
    let settings = configuration.sweep.as_ref().map_or(0, Sweep::settings);
    let failed =
        |error: &crate::Error| format!("{}, {}: {}", benchmark.name(), configuration.name, chain(error));
    let queries = benchmark.collection().map_err(|error| failed(&error))?.queries_to_ask().len() as u64;
    let passes = configuration.passes() as u64;
    let questions = settings.saturating_mul(passes).saturating_mul(queries);
    if questions > Sweep::MOST_QUESTIONS && !environment.tunes_whatever_it_takes() {
        return Err(format!(
            "{}, {}: {settings} settings are {questions} questions, which may take long: try coarser steps, or {TUNE}=force",
            benchmark.name(),
            configuration.name
        ));
    }
    benchmark.record_settings(configuration).map_err(|error| failed(&error))?;
    Ok(settings)
}
