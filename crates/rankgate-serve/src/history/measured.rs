//! The measurements of a configuration: read from the database, and added to.

use std::collections::HashMap;

use rankgate_history::{Golden, Inputs, Measurement};

use super::scoring::{About, Both, scoring};
use crate::budget::Share;
use crate::column::from_json;
use crate::store::{Session, Stored};

/// All that was measured of a configuration, as far as reports were read.
#[derive(Default)]
pub(super) struct Measured {
    /// The number of the last report.
    last: i64,
    pub(super) rewritten: i64,
    pub(super) all: Vec<Measurement>,
    /// By their number.
    scores: HashMap<i64, (bool, Both)>,
    /// The memory that they take.
    share: Option<Share>,
    /// By what stands in the column.
    abouts: HashMap<String, About>,
    /// Of each ranking a report that has it, always the same one.
    pub(super) reports: HashMap<String, String>,
}

impl Measured {
    /// Nothing, as long as nothing of the project was rewritten since.
    pub(super) fn after(rewritten: i64) -> Self {
        Self { rewritten, ..Self::default() }
    }

    /// Reads what was measured of a configuration since.
    pub(super) fn read(
        &mut self,
        session: &mut dyn Session,
        project: i64,
        (benchmark, configuration): (&str, &str),
        take: impl Fn(&mut Option<Share>, &Both) -> Stored<()>,
    ) -> Stored<()> {
        let sql = "SELECT measured.commit_id, about, scoring, measured.report, sha256 FROM measured \
                   JOIN report ON report.id = measured.report WHERE measured.project = $1 \
                   AND measured.benchmark = $2 AND configuration = $3 AND measured.report > $4";
        let values = [project.into(), benchmark.into(), configuration.into(), self.last.into()];
        let rows = session.query(sql, &values)?;
        let sql = "SELECT judgments FROM rejudged WHERE project = $1 AND benchmark = $2";
        let today = session.one(sql, &[project.into(), benchmark.into()])?.map(|row| row.text(0).to_owned());
        for row in &rows {
            if !self.abouts.contains_key(row.text(1)) {
                self.abouts.insert(row.text(1).to_owned(), from_json(row.text(1))?);
            }
            let (is_anew, (now, golden)) = match self.scores.get(&row.int(2)) {
                Some(known) => known.clone(),
                None => {
                    let (is_anew, scoring) = scoring(session, row.int(2), today.is_some())?;
                    let both = scoring.both();
                    take(&mut self.share, &both)?;
                    self.scores.entry(row.int(2)).or_insert((is_anew, both)).clone()
                }
            };
            let Some(about) = self.abouts.get(row.text(1)).cloned() else { continue };
            let report = self.reports.entry(about.ranking.clone()).or_insert_with(|| row.text(4).to_owned());
            if row.text(4) < report.as_str() {
                row.text(4).clone_into(report);
            }
            self.last = self.last.max(row.int(3));
            self.all.push(Measurement {
                commit: row.text(0).to_owned(),
                ranking: about.ranking,
                scores: now,
                golden: about.golden.zip(golden).map(|(ranking, scores)| Golden { ranking, scores }),
                blessed: false,
                accepted: about.accepted,
                judged: today.as_ref().filter(|_| is_anew).unwrap_or(&about.judgments).clone(),
                inputs: Inputs {
                    queries: about.queries,
                    judgments: about.judgments,
                    corpus: about.corpus,
                    depth: about.depth,
                    definitions: about.definitions,
                },
                gated: about.gated,
                alarms: about.alarms.unwrap_or_default(),
                varies: about.varies,
            });
        }
        Ok(())
    }
}
