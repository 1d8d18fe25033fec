//! Runs that stand beside reports, and old rankings scored anew under today's judgments.

use std::collections::{BTreeMap, HashMap};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use rankgate::Qrels;
use rankgate_history::{Rescorer, Scores, StoredRanking};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::evaluate::{InputSource, evidence, extent};
use super::{PathParams, json_of, object, project, sent_to};
use crate::access::Caller;
use crate::app::App;
use crate::audit;
use crate::body::receive;
use crate::column::{from_json, to_json};
use crate::compute::{computing_body, computing_long};
use crate::contents;
use crate::gzip::{compressed, decompressed};
use crate::hash::sha256;
use crate::history::{About, Scoring};
use crate::names::checked_text;
use crate::problem::{Answer, Problem};
use crate::records::{self, Right};
use crate::store::{Row, Session, Store, Stored};
use crate::trail;
use crate::work::{checked_memory, memory_of_rows, most_queries};

#[derive(Serialize)]
struct StoredRun {
    /// Its fingerprint, by which reports know it.
    ranking: String,
    sha256: String,
    /// Whether there was none of this ranking yet.
    new: bool,
}

/// Keeps a run as a test run wrote it beside its report; one of each ranking.
pub(crate) async fn keep(
    State(app): State<App>,
    caller: Caller,
    PathParams(project): PathParams<String>,
    request: Request,
) -> Answer<Response> {
    let body = sent_to(&app, &caller, &project, request).await?;
    let kept = computing_body(&app, caller.key(), body, move |app, body| {
        let bytes = body.decoded()?;
        let limits = &app.settings.limits;
        let (queries, rows) = extent(&bytes, most_queries(limits));
        checked_memory(limits, memory_of_rows(queries, rows))?;
        let (ranking, sha256) = (StoredRanking::parse("the run", &bytes)?.ranking(), sha256(&bytes));
        let (gzip, size, now, actor) = (body.into_gzip()?, bytes.len(), app.now(), caller.actor());
        let kept = StoredRun { ranking, sha256, new: false };
        let new = app.store.write(move |session| {
            let id = records::project_or_new(session, &project, now)?;
            if records::has_run(session, id, &kept.ranking)? {
                return Ok(kept);
            }
            contents::add(session, (id, now), (&kept.sha256, size), gzip, None)?;
            let sql = "UPDATE blob SET ranking = $3 WHERE project = $1 AND sha256 = $2";
            session.execute(sql, &[id.into(), (&kept.sha256).into(), (&kept.ranking).into()])?;
            audit::add(session, (id, now), &actor, "push", &trail::run(&kept.sha256))?;
            Ok(StoredRun { new: true, ..kept })
        })?;
        Ok(new)
    });
    let kept = kept.await?;
    json_of(if kept.new { StatusCode::CREATED } else { StatusCode::OK }, &kept)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RescoreRequest<'a> {
    benchmark: String,
    #[serde(borrow)]
    judgments: Option<&'a RawValue>,
    judgments_sha256: Option<String>,
    /// The smallest share of a ranking's queries that is enough: nine in ten where it is left out.
    evidence: Option<f64>,
}

#[derive(Serialize)]
struct RescoreResult {
    benchmark: String,
    /// The fingerprint of the judgments.
    judgments: String,
    /// States that are told under them from now on.
    rescored: usize,
    /// Those that stay as they were, and why.
    refused: Vec<Refused>,
}

#[derive(Serialize)]
struct Refused {
    configuration: String,
    ranking: String,
    why: String,
}

/// Scores all rankings of a benchmark anew, whose runs are kept. What cannot be scored anew stays as it was.
pub(crate) async fn rescore(
    State(app): State<App>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    request: Request,
) -> Answer<Response> {
    caller.may(&name, Right::Acknowledge)?;
    let body = receive(request, &app, &caller).await?;
    let own = caller.clone();
    let done = computing_long(&app, &own, body, move |app, body, bounds| {
        let body = body.into_decoded()?;
        let asked: RescoreRequest<'_> = object(&body)?;
        checked_text("/benchmark", &asked.benchmark, 255)?;
        let own = project(app, &caller, &name)?;
        let given = InputSource { app, caller: &caller, project: Some(&name), bounds };
        let judgments = given.bytes("judgments", asked.judgments, asked.judgments_sha256.as_deref())?;
        let anew =
            Rescoring::new(&app.store, (own.id, &asked.benchmark), &judgments, app.settings.limits.body)?;
        anew.check_coverage(evidence(asked.evidence)?.share())?;
        let (sha256, size) = (sha256(&judgments), judgments.len());
        let gzip = compressed(&judgments)?;
        let (benchmark, judged, now, actor) =
            (asked.benchmark, anew.judged.clone(), app.now(), caller.actor());
        let answered = RescoreResult {
            benchmark: benchmark.clone(),
            judgments: anew.judged.clone(),
            rescored: anew.scored.len(),
            refused: anew.refused,
        };
        app.store.write(move |session| {
            contents::add(session, (own.id, now), (&sha256, size), gzip, None)?;
            let sql = "INSERT INTO rejudged (project, benchmark, sha256, judgments) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT (project, benchmark) DO UPDATE SET sha256 = excluded.sha256, \
                       judgments = excluded.judgments";
            let texts = [&benchmark, &sha256, &judged].map(Into::into);
            session.execute(sql, &[&[own.id.into()], &texts[..]].concat())?;
            let sql = "DELETE FROM rescored WHERE scoring IN \
                       (SELECT scoring FROM measured WHERE project = $1 AND benchmark = $2)";
            session.execute(sql, &[own.id.into(), (&benchmark).into()])?;
            keep_scores(session, own.id, anew.scored)?;
            audit::add(session, (own.id, now), &actor, "rescore", &trail::rescore(&benchmark, &sha256))?;
            records::rewrite(session, own.id)
        })?;
        app.hooks.changed(&name);
        Ok(answered)
    });
    json_of(StatusCode::OK, &done.await?)
}

pub(crate) fn keep_scores(session: &mut dyn Session, project: i64, scored: Vec<(i64, String)>) -> Stored<()> {
    for (scoring, scores) in scored {
        let sql = "INSERT INTO rescored (scoring, project, scores) VALUES ($1, $2, $3)";
        session.execute(sql, &[scoring.into(), project.into(), scores.into()])?;
    }
    Ok(())
}

/// What rankings of a benchmark are under other judgments.
pub(crate) struct Rescoring {
    judged: String,
    /// By the number of the scores of their day.
    pub(crate) scored: Vec<(i64, String)>,
    refused: Vec<Refused>,
    /// The ranking of which they judge the smallest share of queries.
    least: Option<Coverage>,
}

/// How many of the queries that a ranking was scored on are judged.
struct Coverage {
    configuration: String,
    judged: usize,
    queries: usize,
}

impl Coverage {
    fn share(&self) -> f64 {
        self.judged as f64 / self.queries.max(1) as f64
    }
}

impl Rescoring {
    /// Whether enough of what each ranking was scored on is judged: a loss on queries without judgments would be gone, and its
    /// alarm with it.
    fn check_coverage(&self, share: f64) -> Answer<()> {
        // A share that was made of a decimal fraction is off by rounding.
        let Some(least) = self.least.as_ref().filter(|least| least.share() < share - 1e-9) else {
            return Ok(());
        };
        let Coverage { configuration, judged, queries } = least;
        // Rounded down, so that what is sent is enough.
        let enough = (least.share() * 1e4).floor() / 1e4;
        let detail = format!(
            "these judgments are of {judged} of the {queries} queries that a ranking of {configuration} was scored on, and \
             {} are needed: the others would not count any more, nor would what was lost on them; send the judgments of all \
             queries, or `\"evidence\": {enough}` beside these",
            (share * *queries as f64 - 1e-9).ceil()
        );
        Err(Problem::at("/judgments", detail))
    }

    pub(crate) fn new(
        store: &Store,
        (project, benchmark): (i64, &str),
        judgments: &[u8],
        limit: usize,
    ) -> Answer<Self> {
        let rejudging = Rescorer::new(Qrels::parse("judgments", judgments)?)?;
        let (rows, runs) = store.read(|session| {
            let sql = "SELECT measured.scoring, MIN(configuration), MIN(about), MIN(scores) FROM measured \
                       JOIN scoring ON scoring.id = measured.scoring \
                       WHERE measured.project = $1 AND benchmark = $2 \
                       GROUP BY measured.scoring ORDER BY measured.scoring";
            let rows = session.query(sql, &[project.into(), benchmark.into()])?;
            let sql = "SELECT ranking, sha256 FROM blob WHERE project = $1 AND ranking IS NOT NULL";
            Ok((rows, session.query(sql, &[project.into()])?))
        })?;
        if rows.is_empty() {
            return Err(Problem::missing(format!("nothing was measured of {benchmark} in this project")));
        }
        let runs: BTreeMap<&str, &str> = runs.iter().map(|row| (row.text(0), row.text(1))).collect();
        let mut known: HashMap<String, Result<Scores, String>> = HashMap::new();
        let judged = rejudging.judgments();
        let mut anew = Self { judged, scored: Vec::new(), refused: Vec::new(), least: None };
        for row in &rows {
            let (configuration, about): (&str, About) = (row.text(1), from_json(row.text(2))?);
            let then: Scoring = from_json(row.text(3))?;
            let groups = then.groups();
            let mut scores = |ranking: &str| -> Answer<Result<Scores, String>> {
                let key = to_json(&(ranking, &about.definitions, then.metrics(), groups.is_some()));
                if let Some(known) = known.get(&key) {
                    return Ok(known.clone());
                }
                let scored = match runs.get(ranking) {
                    None => Err("its run was not pushed".to_owned()),
                    Some(sha256) => {
                        let gzip = store.read(|session| contents::blob(session, project, sha256))?;
                        let bytes = decompressed(&gzip.unwrap_or_default(), limit)?;
                        let run = StoredRanking::parse(&format!("the run {sha256}"), &bytes);
                        let of = (&then.metrics()[..], about.definitions.as_str());
                        run.and_then(|run| rejudging.scores(&run, of, groups.as_ref()))
                            .map_err(|error| error.to_string())
                    }
                };
                known.insert(key, scored.clone());
                Ok(scored)
            };
            let golden = match about.golden.as_ref().filter(|golden| **golden != about.ranking) {
                Some(golden) => Some(scores(golden)?.ok()),
                None => None,
            };
            match scores(&about.ranking)? {
                Ok(now) => {
                    let (judged, queries) = then.covered_by(&now);
                    let own = Coverage { configuration: configuration.to_owned(), judged, queries };
                    if anew.least.as_ref().is_none_or(|least| own.share() < least.share()) {
                        anew.least = Some(own);
                    }
                    anew.scored.push((row.int(0), to_json(&Scoring::rescored(now, golden))));
                }
                Err(why) => {
                    let (configuration, ranking) = (configuration.to_owned(), about.ranking);
                    anew.refused.push(Refused { configuration, ranking, why });
                }
            }
        }
        Ok(anew)
    }
}

impl Rescoring {
    /// Scores of the day that are not those of run and judgments, of rankings that were measured under the very judgments
    /// that they were scored under anew.
    pub(crate) fn contradictions(&self, session: &mut dyn Session) -> Stored<Vec<String>> {
        let mut wrong = Vec::new();
        for (scoring, anew) in &self.scored {
            let sql = "SELECT MIN(about), MIN(scores), MIN(report), MIN(configuration) FROM measured \
                       JOIN scoring ON scoring.id = measured.scoring WHERE scoring.id = $1";
            let Some(row) = session.one(sql, &[(*scoring).into()])? else { continue };
            let about: About = from_json(row.text(0))?;
            if about.judgments != self.judged {
                continue;
            }
            let then: Scoring = from_json(row.text(1))?;
            if let Some(why) = then.contradiction(&from_json(anew)?) {
                let (report, name) = (row.int(2), row.text(3));
                wrong.push(format!(
                    "report {report}: its run scores otherwise under its judgments ({name}): {why}"
                ));
            }
        }
        Ok(wrong)
    }
}

/// Judgments that benchmarks are told under: project, benchmark, the hash of the judgments.
pub(crate) fn rejudged(session: &mut dyn Session) -> Stored<Vec<Row>> {
    session.query("SELECT project, benchmark, sha256 FROM rejudged ORDER BY project, benchmark", &[])
}

/// What is done of a run without a store.
#[cfg(any(fuzzing, test))]
pub(crate) fn read(body: &[u8]) -> Answer<()> {
    Ok(StoredRanking::parse("the run", body).map(drop)?)
}
