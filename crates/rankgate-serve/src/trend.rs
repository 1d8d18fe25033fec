//! Trends and alarms of a benchmark, from its reports.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use rankgate_history::{Commit, History, Measurement, Rules, Timeline, tell};

use crate::app::App;
use crate::problem::{Answer, Problem};
use crate::store::Summary;

/// Lines that are remembered.
const REMEMBERED: usize = 256;

/// A project, a benchmark and a branch.
pub(crate) type Line = (String, String, String);

/// What a trend was made from, and the trend.
type Known = ((i64, i64), BTreeMap<String, String>, Arc<Vec<Timeline>>);

/// Trends, as long as nothing has changed.
#[derive(Default)]
pub(crate) struct Trends(Mutex<HashMap<Line, Known>>);

impl Trends {
    fn known(
        &self,
        line: &Line,
        state: (i64, i64),
        notes: &BTreeMap<String, String>,
    ) -> Option<Arc<Vec<Timeline>>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, acknowledged, told) = all.get(line)?;
        (*of == state && acknowledged == notes).then(|| Arc::clone(told))
    }

    fn remember(&self, line: Line, known: Known) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED {
            all.clear();
        }
        all.insert(line, known);
    }
}

/// The histories of all configurations of a benchmark.
pub(crate) async fn trend(app: &App, line: Line) -> Answer<Arc<Vec<Timeline>>> {
    let (project, benchmark, branch) = (line.0.as_str(), line.1.as_str(), line.2.as_str());
    let of = (project, benchmark, branch);
    let state = app.store.state(of).await?;
    if state.0 == 0 {
        let detail =
            format!("There are no reports of {benchmark} in the project {project} on the branch {branch}.");
        return Err(Problem::missing(detail));
    }
    let notes = app.store.acknowledged(project, benchmark).await?;
    if let Some(told) = app.trends.known(&line, state, &notes) {
        return Ok(told);
    }
    let reports = app.store.line(of).await?;
    let (name, acknowledged) = (benchmark.to_owned(), notes.clone());
    let told = app.compute(move || histories(&name, &reports, &acknowledged)).await?;
    let told = Arc::new(told);
    app.trends.remember(line, (state, notes, Arc::clone(&told)));
    Ok(told)
}

fn histories(
    benchmark: &str,
    reports: &[(Summary, String)],
    acknowledged: &BTreeMap<String, String>,
) -> Answer<Vec<Timeline>> {
    let line: Vec<Commit> = reports.iter().map(|(summary, _)| commit(summary)).collect();
    let mut by_configuration: BTreeMap<String, Vec<Measurement>> = BTreeMap::new();
    for (_, measurements) in reports {
        let measurements: Vec<(String, Measurement)> =
            serde_json::from_str(measurements).map_err(|error| Problem::fault(&error))?;
        for (configuration, one) in measurements {
            by_configuration.entry(configuration).or_default().push(one);
        }
    }
    let told = by_configuration.iter().map(|(configuration, measurements)| {
        let acknowledged = acknowledged.clone();
        tell(
            &History { benchmark, configuration, line: &line, measurements, acknowledged },
            &Rules::default(),
        )
    });
    told.collect::<Result<_, _>>().map_err(|error| Problem::fault(&error))
}

fn commit(summary: &Summary) -> Commit {
    let release = Some(summary.release.clone()).filter(|release| !release.is_empty());
    Commit {
        id: summary.commit.clone(),
        time: summary.time,
        subject: summary.subject.clone(),
        author: summary.author.clone(),
        releases: release.into_iter().collect(),
    }
}
