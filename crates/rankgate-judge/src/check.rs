//! The check of a judge from the files, before anything is decided by it.

use std::collections::{BTreeMap, BTreeSet};

use rankgate::internal::judge::verdicts;
use rankgate::judge::{Description, Item, State, Support, Task};
use rankgate_report::benchmark::model::CorrectedReport;

use crate::agreement::{Agreeing, Bias, WithLimits, mean_rises};
use crate::error_sources::ErrorRegression;
use crate::json::record;
use crate::jury::JuryCheck;
use crate::probe::Probe;
use crate::spec::Criterion;
use crate::stats::{Confidence, kendall_tau};
use crate::swap::JudgeSwap;
use crate::{Error, Result};

record! {
    /// The report on a judge.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct JudgeCheck {
        /// What its judgments call it.
        pub judge: String,
        /// The model's name in the request.
        pub model: String,
        /// What it says of answers; none where it grades documents.
        pub task: Option<Task>,
        /// The criterion that it grades answers by.
        pub criterion?: Option<String>,
        /// The words of the criterion's scale, the worst first, each with how many answers got it.
        pub scale?: Vec<(String, usize)>,
        /// Where it judges claims, what the grades of them mean, from 0: the rows and columns of the confusion.
        pub verdicts: Vec<Support>,
        /// How many judgments are in which state, probes left out.
        pub states: BTreeMap<State, usize>,
        /// The models that answered, as their servers say, with how many answers each gave.
        pub served: BTreeMap<String, usize>,
        /// How far it agrees with people, where both have graded.
        pub agreement: Option<Agreeing>,
        /// How much higher it grades than people, first over all, then by segment.
        pub bias: Vec<Bias>,
        /// Whether it errs alike everywhere, where gates carry its errors over.
        pub errors?: Vec<ErrorsAlike>,
        /// What goes with its errors; none of fewer than 30 queries that both have graded.
        pub error_sources?: Option<ErrorRegression>,
        /// What it is worth to the gates that people's grades correct.
        pub corrections?: Vec<GateCorrection>,
        /// In which order people and the judge put the configurations.
        pub order: Option<Ordered>,
        /// What it made of questions whose right answers are known.
        pub probes: Vec<Probed>,
        /// Configurations that rank with the judge's model: it would grade its own choices.
        pub circular: Vec<String>,
        /// Its second answers, where there are any.
        pub again: Option<Again>,
        /// Its members, where it is a jury.
        pub jury?: Option<JuryCheck>,
        /// Another judge beside it, where one is named.
        pub swap?: Option<JudgeSwap>,
    }
}

record! {
    /// What the judge is worth to a gate that people's grades correct.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct GateCorrection {
        /// The gate's name.
        pub gate: String,
        /// What the judge's scores count for beside people's of the drawn queries: 1 as much, 0 nothing.
        pub weight: Option<f64>,
        /// The interval that decides it.
        pub corrected: [f64; 2],
        /// The interval by people's grades of the drawn queries alone; none where these do not differ.
        pub people: Option<[f64; 2]>,
    }
}

impl GateCorrection {
    pub(crate) fn new(gate: String, report: &CorrectedReport, corrected: [f64; 2]) -> Self {
        Self { gate, weight: report.weight, corrected, people: report.people_interval }
    }
}

record! {
    /// Whether the judge errs alike on two groups of pairs that people judged, within each class of people's grades.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct ErrorsAlike {
        /// The metric of the gates that carry its errors over.
        pub metric: String,
        /// The configuration whose pairs are compared with all others; none where grades of the last delivery are, with earlier ones.
        pub configuration: Option<String>,
        /// Pairs in the other group, then in this one.
        pub pairs: [usize; 2],
        /// Two-sided p-value of the permutation test, exact up to 100,000 arrangements.
        pub p: f64,
        /// Whether it shows that they are not alike: below 0.05, divided by the number of tests of the metric.
        pub refuted: bool,
    }
}

record! {
    /// Two orders of the same configurations.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct Ordered {
        /// The metric that orders them.
        pub metric: String,
        /// Over so many drawn queries.
        pub queries: usize,
        /// Each configuration with its mean by people's grades and by the judge's.
        pub configurations: Vec<(String, [f64; 2])>,
        /// Kendall's tau-b of the two; none where either has all the same.
        pub tau: Option<f64>,
    }
}

impl Ordered {
    /// The order of configurations by their means of people's and of the judge's grades; none of fewer than two.
    pub(crate) fn from_means(
        metric: String,
        queries: usize,
        configurations: Vec<(String, [f64; 2])>,
    ) -> Option<Self> {
        let means = |side: usize| configurations.iter().map(|(_, means)| means[side]).collect::<Vec<f64>>();
        let tau = kendall_tau(&means(0), &means(1)).ok().flatten();
        (configurations.len() > 1).then_some(Self { metric, queries, configurations, tau })
    }
}

record! {
    /// What the judge made of one kind of probe.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct Probed {
        /// The kind.
        pub probe: Probe,
        /// So many have an answer.
        pub answered: usize,
        /// So many of them got a wrong answer: a grade in the upper half of the scale, another number of claims, another
        /// verdict.
        pub fell_for: usize,
        /// The queries of those.
        pub queries: Vec<String>,
    }
}

record! {
    /// The judge's second answers.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct Again {
        /// Pairs with a second answer.
        pub pairs: usize,
        /// So many have the same grade or verdicts, or none again.
        pub same: usize,
        /// The mean of what the grades rose by.
        pub drift: Option<f64>,
        /// Models that answered, before and now, where they are not the same.
        pub served: Option<[Vec<String>; 2]>,
    }
}

/// Documents that both have graded.
pub(crate) struct Grades<'a> {
    /// Query, people's grade, the judge's.
    pub(crate) pairs: Vec<(&'a str, u8, u8)>,
    /// By query: its segments, each a key and a value.
    pub(crate) segments: BTreeMap<&'a str, Vec<[String; 2]>>,
}

impl JudgeCheck {
    /// What the judge's own judgments say of it, and of these kinds of probes.
    pub(crate) fn new<'a>(
        judge: &Description,
        probes: &BTreeSet<Probe>,
        items: impl Iterator<Item = &'a Item>,
    ) -> Self {
        let id = judge.id();
        let mut check = Self {
            judge: id.clone(),
            model: judge.model.clone(),
            task: None,
            criterion: None,
            scale: Vec::new(),
            verdicts: Vec::new(),
            states: BTreeMap::new(),
            served: BTreeMap::new(),
            agreement: None,
            bias: Vec::new(),
            errors: Vec::new(),
            error_sources: None,
            corrections: Vec::new(),
            order: None,
            probes: probes
                .iter()
                .map(|probe| Probed { probe: *probe, answered: 0, fell_for: 0, queries: Vec::new() })
                .collect(),
            circular: Vec::new(),
            again: None,
            jury: None,
            swap: None,
        };
        let items: Vec<&Item> = items.filter(|item| item.judge == id).collect();
        for item in &items {
            if let Some(served) = &item.served {
                *check.served.entry(served.clone()).or_default() += 1;
            }
            let other = |document: &str| {
                items.iter().find(|other| other.query == item.query && other.document == document).copied()
            };
            let outcomes = Probe::outcomes(item, judge.scale, other);
            if Probe::kinds(&item.document).is_empty() {
                *check.states.entry(item.state).or_default() += 1;
            }
            for (probe, fell) in outcomes {
                let Some(probed) = check.probes.iter_mut().find(|probed| probed.probe == probe) else {
                    continue;
                };
                probed.answered += 1;
                if fell {
                    probed.fell_for += 1;
                    probed.queries.push(item.query.clone());
                }
            }
        }
        check
    }

    /// The same of a judge of answers.
    pub(crate) fn of_answers(self, task: Task) -> Self {
        let form = task.form();
        let means = |grade| verdicts(form).iter().find(|one| one.grade(form) == Some(grade)).copied();
        let verdicts = (0..=2).map_while(means).collect();
        Self { task: Some(task), verdicts, ..self }
    }

    /// The same by a criterion of the spec.
    pub(crate) fn by_criterion<'a>(
        mut self,
        criterion: &Criterion,
        items: impl Iterator<Item = &'a Item>,
    ) -> Self {
        self.criterion = Some(criterion.name.clone());
        self.scale = criterion.scale.iter().map(|word| (word.clone(), 0)).collect();
        for item in items.filter(|item| item.judge == self.judge && Probe::kinds(&item.document).is_empty()) {
            if let Some(word) = item.grade.and_then(|grade| self.scale.get_mut(usize::from(grade))) {
                word.1 += 1;
            }
        }
        self
    }

    /// The same with what people say of the same documents.
    ///
    /// # Errors
    ///
    /// A grade that is not on the scale.
    pub(crate) fn beside_people(
        mut self,
        grades: &Grades<'_>,
        most: u8,
        confidence: Confidence,
    ) -> Result<Self> {
        if grades.pairs.is_empty() {
            return Ok(self);
        }
        let means = mean_rises(grades.pairs.iter().copied());
        self.agreement = Some(Agreeing::from_pairs(grades.pairs.iter().copied(), most, confidence)?);
        let mut segments: BTreeMap<Option<[String; 2]>, Vec<f64>> = BTreeMap::new();
        for (query, mean) in means {
            segments.entry(None).or_default().push(mean);
            for segment in grades.segments.get(query).into_iter().flatten() {
                segments.entry(Some(segment.clone())).or_default().push(mean);
            }
        }
        for (segment, rises) in segments {
            self.bias.push(Bias::from_means(segment, &rises, most, confidence)?);
        }
        Ok(self)
    }

    /// Reasons against the judge beside its measures, a sentence each.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let question = match (&self.criterion, self.task) {
            (Some(criterion), _) => format!("{criterion}: "),
            (None, Some(task)) => format!("{task}: "),
            (None, None) => String::new(),
        };
        let probes = self.probes.iter().filter(|probed| probed.fell_for > 0).map(|probed| {
            let Probed { probe, answered, fell_for, .. } = probed;
            format!("{question}{fell_for} of {answered} probes ({probe}) {}", probe.fault())
        });
        let circular = self.circular.iter().map(|name| {
            format!("{name} ranks with {}, the judge's model: it is graded by itself", self.model)
        });
        let errors = self.errors.iter().filter(|one| one.refuted).map(|one| {
            let on = match &one.configuration {
                Some(name) => format!("on what {name} returns"),
                None => "on what people judged last".to_owned(),
            };
            format!(
                "{question}it errs otherwise {on} than elsewhere: errors cannot be carried over ({})",
                one.metric
            )
        });
        let anchors = self.swap.iter().flat_map(|swap| swap.lacking_anchors(&self.judge));
        let anchors = anchors.map(|lacking| format!("{question}{lacking}"));
        probes.chain(circular).chain(errors).chain(anchors).collect()
    }
}

impl Again {
    /// Compares judgments of the same pairs, before and now.
    pub(crate) fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a Item, &'a Item)>) -> Self {
        let (mut again, mut rises) = (Self { pairs: 0, same: 0, drift: None, served: None }, Vec::new());
        let mut served = [BTreeSet::new(), BTreeSet::new()];
        for (before, now) in pairs {
            again.pairs += 1;
            again.same +=
                usize::from(before.grade == now.grade && claim_verdicts(before) == claim_verdicts(now));
            if let (Some(before), Some(now)) = (before.grade, now.grade) {
                rises.push(f64::from(now) - f64::from(before));
            }
            served[0].extend(before.served.clone());
            served[1].extend(now.served.clone());
        }
        again.drift = (!rises.is_empty()).then(|| rises.iter().sum::<f64>() / rises.len() as f64);
        again.served = (served[0] != served[1]).then(|| served.map(|all| all.into_iter().collect()));
        again
    }
}

/// The verdicts on the claims of a list, or the claims of a text.
fn claim_verdicts(item: &Item) -> Option<Vec<(Option<&str>, Option<Support>)>> {
    let list = item.claims.as_ref()?;
    Some(list.iter().map(|claim| (claim.text.as_deref(), claim.verdict)).collect())
}

/// A demand on a judge.
///
/// ```
/// use rankgate_judge::{JudgeMeasure, Requirement};
///
/// let kappa = Requirement::at_least(JudgeMeasure::Kappa, 0.4)?;
/// assert_eq!(kappa.to_string(), "kappa>=0.4");
/// assert!(Requirement::at_least(JudgeMeasure::Kappa, 2.0).is_err());
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement(Demand);

#[derive(Clone, Debug, PartialEq)]
enum Demand {
    AtLeast(JudgeMeasure, f64),
    Probes,
    Independence,
}

crate::words::keywords! {
    /// What a judge is measured by, from -1 to 1.
    pub enum JudgeMeasure {
        /// The share of equal grades.
        Exact = "exact",
        /// Cohen's kappa.
        Kappa = "kappa",
        /// The same with quadratic weights.
        QuadraticKappa = "quadratic-kappa",
        /// Gwet's AC2.
        Ac2 = "ac2",
        /// Kendall's tau of the configurations' order.
        Tau = "tau",
        /// The share of equal grades in second answers.
        Again = "again",
    }
}

impl std::fmt::Display for Requirement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Demand::AtLeast(measure, least) => write!(f, "{measure}>={least}"),
            Demand::Probes => f.write_str("probes"),
            Demand::Independence => f.write_str("circularity"),
        }
    }
}

/// What came of a demand.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Met {
    /// It is met.
    Yes,
    /// It is not, for this reason.
    No(String),
    /// There is nothing to see it from.
    Unknown(String),
}

impl Requirement {
    /// That a measure is at least so much.
    ///
    /// # Errors
    /// A number that is not from -1 to 1.
    pub fn at_least(measure: JudgeMeasure, least: f64) -> Result<Self> {
        if (-1.0..=1.0).contains(&least) {
            return Ok(Self(Demand::AtLeast(measure, least)));
        }
        Err(Error::invalid(format!("{measure} of at least {least}: the number is from -1 to 1")))
    }

    /// That every probe has the right answer.
    #[must_use]
    pub fn probes() -> Self {
        Self(Demand::Probes)
    }

    /// That no configuration ranks with the judge's model.
    #[must_use]
    pub fn independence() -> Self {
        Self(Demand::Independence)
    }

    /// Whether a judge meets a demand for each of its questions that it is about: people edit the claims that texts make, and
    /// agree with no list of them.
    #[must_use]
    pub fn met_by_all(&self, checks: &[JudgeCheck]) -> Met {
        let concerns = |check: &&JudgeCheck| match self.0 {
            Demand::AtLeast(..) => check.task != Some(Task::Claims),
            Demand::Probes => !check.probes.is_empty(),
            Demand::Independence => true,
        };
        let met = checks.iter().filter(concerns).map(|check| match (self.met_by(check), checks.len()) {
            (Met::No(why), 2..) => Met::No(format!("{}: {why}", check.judge)),
            (Met::Unknown(why), 2..) => Met::Unknown(format!("{}: {why}", check.judge)),
            (met, _) => met,
        });
        let rank = |met: &Met| match met {
            Met::No(_) => 0,
            Met::Unknown(_) => 1,
            Met::Yes => 2,
        };
        met.min_by_key(rank).unwrap_or_else(|| Met::Unknown(format!("{}: nothing shows it", self)))
    }

    /// Whether a judge is as demanded.
    #[must_use]
    pub fn met_by(&self, check: &JudgeCheck) -> Met {
        let agreement = |of: fn(&Agreeing) -> Option<WithLimits>| Some(of(check.agreement.as_ref()?)?.value);
        let (measure, least) = match self.0 {
            Demand::AtLeast(measure, least) => (measure, least),
            Demand::Probes => return self.met_by_probes(check),
            Demand::Independence => {
                return match check.circular.as_slice() {
                    [] => Met::Yes,
                    some => Met::No(format!("{self}: {} ranks with {}", some.join(", "), check.model)),
                };
            }
        };
        let value = match measure {
            JudgeMeasure::Exact => agreement(|all| all.exact),
            JudgeMeasure::Kappa => agreement(|all| all.kappa),
            JudgeMeasure::QuadraticKappa => agreement(|all| all.quadratic_kappa),
            JudgeMeasure::Ac2 => agreement(|all| all.ac2),
            JudgeMeasure::Tau => check.order.as_ref().and_then(|order| order.tau),
            JudgeMeasure::Again => check
                .again
                .as_ref()
                .filter(|again| again.pairs > 0)
                .map(|again| again.same as f64 / again.pairs as f64),
        };
        match value {
            None => Met::Unknown(format!("{}: nothing shows it", self)),
            Some(value) if value >= least => Met::Yes,
            Some(value) => Met::No(format!("{}: it is {value:.3}", self)),
        }
    }

    fn met_by_probes(&self, check: &JudgeCheck) -> Met {
        let count = |(all, fell), one: &Probed| (all + one.answered, fell + one.fell_for);
        match check.probes.iter().fold((0, 0), count) {
            (0, _) => Met::Unknown(format!("{self}: no probe has an answer; `rankgate judge` asks them")),
            (_, 0) => Met::Yes,
            (answered, fell) => Met::No(format!("{self}: {fell} of {answered} have a wrong answer")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{description, item};

    fn of_documents() -> BTreeSet<Probe> {
        [Probe::Stuffed, Probe::Instruction, Probe::Query, Probe::Empty].into()
    }

    fn probe(query: &str, probe: Probe, grade: Option<u8>) -> Item {
        item(&description().id(), query, &probe.document_id(), grade)
    }

    #[test]
    fn a_stuffed_document_graded_high_fails_its_probe() {
        let items = [
            probe("q1", Probe::Stuffed, Some(3)),
            probe("q2", Probe::Stuffed, Some(1)),
            probe("q1", Probe::Empty, None),
            probe("q1", Probe::Instruction, Some(0)),
            item(&description().id(), "q1", "d1", Some(3)),
            item("other-00000000", "q1", "d2", Some(3)),
        ];
        let check = JudgeCheck::new(&description(), &of_documents(), items.iter());
        let stuffed = &check.probes[0];
        assert_eq!(
            (stuffed.probe, stuffed.answered, stuffed.fell_for, stuffed.queries.as_slice()),
            (Probe::Stuffed, 2, 1, &["q1".to_owned()][..])
        );
        assert!(check.probes[1..].iter().all(|probed| probed.fell_for == 0));
        assert_eq!(
            check.faults(),
            ["1 of 2 probes (the query's words, many times over) were graded as relevant"]
        );
        let demand = Requirement::probes();
        assert_eq!(demand.met_by(&check), Met::No("probes: 1 of 4 have a wrong answer".into()));
        // What is probed is no judgment of a document.
        assert_eq!(check.states, BTreeMap::from([(State::Graded, 1)]));
        assert_eq!(
            demand.met_by(&JudgeCheck::new(&description(), &of_documents(), items[1..4].iter())),
            Met::Yes
        );
        assert!(matches!(
            demand.met_by(&JudgeCheck::new(&description(), &of_documents(), [].iter())),
            Met::Unknown(_)
        ));
    }

    #[test]
    fn bias_is_over_queries_and_by_segment() {
        let hard = vec![["difficulty".to_owned(), "hard".to_owned()]];
        let grades = Grades {
            // By query +1 (of three documents), 0, +2: the mean is 1, not that of the five documents.
            pairs: vec![("a", 0, 1), ("a", 1, 2), ("a", 2, 3), ("b", 2, 2), ("c", 0, 2)],
            segments: BTreeMap::from([("a", hard.clone()), ("c", hard)]),
        };
        let check = JudgeCheck::new(&description(), &of_documents(), [].iter())
            .beside_people(&grades, 3, Confidence::default())
            .unwrap();
        let [all, hard] = &check.bias[..] else { panic!("{:?}", check.bias) };
        assert_eq!((all.segment.as_ref(), all.queries, all.mean), (None, 3, 1.0));
        // No grade is more than 3 above another: `unseen_query` of tests/peers/differential.py.
        let interval = all.interval.unwrap();
        assert!((interval.low - -1.855_285_8).abs() < 1e-6, "{interval:?}");
        assert!((interval.high - 2.468_670_7).abs() < 1e-6, "{interval:?}");
        assert_eq!((hard.queries, hard.mean), (2, 1.5));
        let agreement = check.agreement.unwrap();
        assert_eq!((agreement.pairs, agreement.queries, agreement.exact.unwrap().value), (5, 3, 0.2));
    }

    #[test]
    fn names_that_move_are_known_and_people_are_told_what_the_model_is() {
        let of = |model: &str| Description { model: model.into(), ..description() }.may_move();
        for model in
            ["gpt-4o", "qwen2.5:latest", "openai/gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash"]
        {
            assert!(of(model), "{model}");
        }
        for model in [
            "gpt-4o-2024-08-06",
            "claude-sonnet-4-5-20250929",
            "qwen2.5-32b-instruct-q4_k_m",
            "mistral-large-2411",
        ] {
            assert!(!of(model), "{model}");
        }
        let prompt =
            |prompt: &str| Description { prompt: prompt.into(), ..description() }.guidelines().to_owned();
        assert_eq!(prompt("Be fair.\n0 = no\n\nQuery:\n{query}\n{document}"), "Be fair.\n0 = no");
        assert_eq!(prompt("Grade {document} for {query}."), "Grade");
        assert!(prompt(rankgate::judge::RELEVANCE).ends_with("is part of what you grade."));
    }

    #[test]
    fn asking_again_shows_drift_and_another_model() {
        let id = description().id();
        let before = [item(&id, "a", "1", Some(2)), item(&id, "a", "2", None), item(&id, "a", "3", Some(1))];
        let mut now = before.clone();
        now[2].grade = Some(3);
        let same = Again::from_pairs(before.iter().zip(&now));
        assert_eq!((same.pairs, same.same, same.drift, same.served), (3, 2, Some(1.0), None));
        now[0].served = Some("other".into());
        let [old, new] = Again::from_pairs(before.iter().zip(&now)).served.unwrap();
        assert_eq!(
            (old, new),
            (
                vec!["qwen2.5-32b-instruct".to_owned()],
                vec!["other".to_owned(), "qwen2.5-32b-instruct".into()]
            )
        );
    }

    #[test]
    fn a_demand_names_what_it_is_about() {
        let error = Requirement::at_least(JudgeMeasure::Kappa, 2.0).unwrap_err().to_string();
        assert_eq!(error, "kappa of at least 2: the number is from -1 to 1");
        let check = JudgeCheck {
            circular: vec!["mine".into()],
            ..JudgeCheck::new(&description(), &of_documents(), [].iter())
        };
        let circular = Requirement::independence();
        assert_eq!(circular.met_by(&check), Met::No("circularity: mine ranks with qwen2.5-32b".into()));
        let kappa = Requirement::at_least(JudgeMeasure::Kappa, 0.4).unwrap();
        assert_eq!(kappa.met_by(&check), Met::Unknown("kappa>=0.4: nothing shows it".into()));
    }
}
