//! A row of the table of metrics.

use std::ops::RangeInclusive;

use super::counterpart::Counterpart;
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};
use super::ranked_query::RankedQuery;
use super::requirements::Requirements;
use crate::Result;

/// A family of built-in metrics: everything there is to know of `nDCG`, `nDCG@10` and
/// `nDCG(gain=exp2)@10` alike.
///
/// [`catalogue`](super::catalogue) lists them all.
#[derive(Debug)]
pub struct Definition {
    canonical: &'static str,
    at_beta_one: Option<&'static str>,
    patterns: &'static [&'static str],
    aliases: &'static [&'static str],
    /// Names that take a number after `_` or `.`, as in `trec_eval`.
    pub(super) stems: &'static [&'static str],
    pub(super) suffix: Suffix,
    summary: &'static str,
    pub(super) formula: Formula,
    pub(super) at: CutoffKind,
    pub(super) parameters: &'static [Parameter],
    values: Values,
    aggregation: Aggregation,
    needs: Option<&'static str>,
    pub(super) residual: Option<fn(&JudgedRanking, &Parameters) -> f64>,
    requirements: Requirements<'static>,
    /// Whether fewer results can score higher.
    is_of_length: bool,
    pub(super) counterpart: Option<Counterpart>,
}

/// What a metric is computed from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Formula {
    /// The grades of a ranking.
    Grades(fn(&JudgedRanking, &Parameters) -> f64),
    /// The query with its documents, of which something may be missing.
    Query(OfQuery),
}

pub(super) type OfQuery = fn(&RankedQuery<'_>, &Parameters) -> Result<f64>;

/// The values that a metric can have for a query.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    ZeroOrOne,
    Between(f64, f64),
    UpToTheCutoff,
}

/// What the number after `@` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutoffKind {
    /// There is none.
    Nothing,
    /// A cutoff, or none for the whole ranking.
    OptionalCutoff,
    /// A cutoff.
    Cutoff,
    /// A level of recall.
    Recall,
}

impl CutoffKind {
    /// Whether a name with (`written`) or without a number after `@` can be of this metric.
    pub(super) fn allows(self, written: bool) -> bool {
        match self {
            Self::Nothing => !written,
            Self::OptionalCutoff => true,
            Self::Cutoff | Self::Recall => written,
        }
    }
}

/// What the number at the end of a `trec_eval` name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suffix {
    /// What others write after `@`: `P_5`, `iprec_at_recall_0.10`.
    At,
    /// The persistence, the dot being the decimal point: `rbp.80`.
    Persistence,
    /// The square of beta: `set_F.4`.
    BetaSquared,
}

/// How the scores of single queries become the score of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregation {
    /// Their mean over all judged queries.
    Mean,
    /// Their sum, as for counts.
    Sum,
    /// Their geometric mean over all judged queries; scores are above 0.
    GeometricMean,
}

/// Definitions are written as a chain, so that each metric says only where it differs from the most
/// usual one: no cutoff, no parameters, values from 0 to 1, averaged.
impl Definition {
    pub(super) const fn new(
        name: &'static str,
        summary: &'static str,
        compute: fn(&JudgedRanking, &Parameters) -> f64,
    ) -> Self {
        Self::with(name, summary, Formula::Grades(compute), true)
    }

    const fn with(name: &'static str, summary: &'static str, formula: Formula, relevance: bool) -> Self {
        Self {
            canonical: name,
            at_beta_one: None,
            patterns: &[],
            aliases: &[],
            stems: &[],
            suffix: Suffix::At,
            summary,
            formula,
            at: CutoffKind::Nothing,
            parameters: &[],
            values: Values::Between(0.0, 1.0),
            aggregation: Aggregation::Mean,
            needs: None,
            residual: None,
            requirements: Requirements {
                relevance,
                documents: matches!(formula, Formula::Query(_)),
                neighbours: false,
                attribute: None,
                unanswerable: false,
                subtopics: false,
            },
            is_of_length: false,
            counterpart: None,
        }
    }

    /// One of documents by their metadata.
    pub(super) const fn of_documents(name: &'static str, summary: &'static str, f: OfQuery) -> Self {
        Self::with(name, summary, Formula::Query(f), false)
    }
}

/// What a definition says besides, each with what it sets.
macro_rules! setters {
    ($($(#[$about:meta])* $name:ident($($given:ident: $type:ty),*) { $($($place:ident).+ = $value:expr),+ })+) => {
        impl Definition {$(
            $(#[$about])*
            pub(super) const fn $name(mut self $(, $given: $type)*) -> Self {
                $(self.$($place).+ = $value;)+
                self
            }
        )+}
    };
}

setters! {
    /// The canonical ways to write it, for people.
    written(patterns: &'static [&'static str]) { patterns = patterns }
    at(at: CutoffKind) { at = at }
    /// The parameters it takes, in canonical order.
    parameters(parameters: &'static [Parameter]) { parameters = parameters }
    /// Other names for it.
    also(aliases: &'static [&'static str]) { aliases = aliases }
    stems(stems: &'static [&'static str], suffix: Suffix) { stems = stems, suffix = suffix }
    named_at_beta_one(name: &'static str) { at_beta_one = Some(name) }
    needing(needs: &'static str) { needs = Some(needs) }
    /// How much larger it could be if what is not known were relevant.
    with_residual(residual: fn(&JudgedRanking, &Parameters) -> f64) { residual = Some(residual) }
    /// Is 0 of a system that does what `useless` says, and has to be limited together with the metric of this name.
    beside(metric: &'static str, useless: &'static str) { counterpart = Some(Counterpart { metric, useless }) }
    /// Can be higher where fewer documents are retrieved.
    of_length() { is_of_length = true }
    /// Says something of retrieval even where no document is relevant.
    regardless_of_relevance() { requirements.relevance = false }
    zero_or_one() { values = Values::ZeroOrOne }
    unbounded() { values = Values::Between(0.0, f64::INFINITY) }
    /// Is of judgments by subtopic.
    of_subtopics() { requirements.subtopics = true }
    /// Is of unanswerable queries, and what is returned for them.
    of_unanswerable() { requirements.unanswerable = true }
    /// Is of a ranking and the true neighbours of its query.
    of_neighbours() { requirements.neighbours = true }
    /// Has values from 0 to this one.
    up_to(largest: f64) { values = Values::Between(0.0, largest) }
    /// Has values from 0 to its cutoff.
    up_to_the_cutoff() { values = Values::UpToTheCutoff }
    /// Is a geometric mean over queries, whose scores are at least this one.
    geometric_from(least: f64) { values = Values::Between(least, 1.0), aggregation = Aggregation::GeometricMean }
    summed() { aggregation = Aggregation::Sum }
}

impl Definition {
    /// The name in canonical spelling, without parameters and cutoff: `nDCG`.
    pub fn name(&self) -> &'static str {
        self.canonical
    }

    /// The canonical ways to write it: `nDCG`, `nDCG@k`, `nDCG(gain=exp2)@k`.
    pub fn patterns(&self) -> &'static [&'static str] {
        self.patterns
    }

    /// What else it may be called, case being ignored: `ndcg_cut_k`.
    pub fn aliases(&self) -> Vec<String> {
        let at = match self.at {
            CutoffKind::Cutoff => "@k",
            CutoffKind::Recall => "@x",
            CutoffKind::Nothing | CutoffKind::OptionalCutoff => "",
        };
        let end = match (self.suffix, self.at) {
            (Suffix::Persistence, _) => ".80",
            (Suffix::BetaSquared, _) => "_b²",
            (Suffix::At, CutoffKind::Recall) => "_x",
            (Suffix::At, _) => "_k",
        };
        let names = self.aliases.iter().map(|name| format!("{name}{at}"));
        names.chain(self.stems.iter().map(|stem| format!("{stem}{end}"))).collect()
    }

    /// The parameters it takes, in canonical order.
    pub fn parameter_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.parameters.iter().map(|parameter| parameter.name())
    }

    /// The values that it can have for a query, whatever its cutoff.
    pub fn range(&self) -> RangeInclusive<f64> {
        match self.values {
            Values::ZeroOrOne => 0.0..=1.0,
            Values::Between(least, largest) => least..=largest,
            Values::UpToTheCutoff => 0.0..=f64::INFINITY,
        }
    }

    /// Whether no ranking of some of these documents scores higher than all of them by grade, the highest first.
    pub(super) fn is_highest_by_grade(&self) -> bool {
        let of_grades = Requirements { relevance: true, ..Requirements::default() };
        self.requirements == of_grades && !self.is_of_length
    }

    /// Whether its values are 0 and 1 only.
    pub(super) fn is_binary(&self) -> bool {
        self.values == Values::ZeroOrOne
    }

    /// How it is aggregated over queries.
    pub fn aggregation(&self) -> Aggregation {
        self.aggregation
    }

    /// What it has to be given besides the grades of a ranking.
    pub fn requirements(&self) -> Requirements<'static> {
        self.requirements
    }

    /// The same with these parameters, which may name an attribute.
    pub(super) fn requirements_with<'a>(&self, parameters: &'a Parameters) -> Requirements<'a> {
        let mut needed: Requirements<'a> = self.requirements;
        needed.attribute = parameters.attribute.as_deref();
        needed
    }

    /// The values that it can have for a query with these parameters.
    pub(super) fn range_with(&self, parameters: &Parameters) -> RangeInclusive<f64> {
        match parameters.cutoff() {
            Some(cutoff) if self.values == Values::UpToTheCutoff => 0.0..=cutoff as f64,
            _ => self.range(),
        }
    }

    /// What it needs of the judgments beyond knowing which documents are relevant.
    pub fn needs(&self) -> Option<&'static str> {
        self.needs
    }

    /// What it measures, in a line.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// Whether documents are relevant to it or not, and not more or less so.
    pub(super) fn is_binary_relevance(&self) -> bool {
        let has = |parameter| self.parameters.contains(&parameter);
        has(Parameter::Rel) && !has(Parameter::Gain)
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.names().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The names that need no number: the canonical one first.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.canonical).chain(self.aliases.iter().copied())
    }

    /// The one name of a metric with these parameters.
    pub(super) fn canonical(&self, parameters: &Parameters) -> String {
        let at_beta_one = self.at_beta_one.filter(|_| parameters.beta.0 == 1.0);
        let mut name = at_beta_one.unwrap_or(self.canonical).to_owned();
        let shown: Vec<_> =
            self.parameters.iter().filter_map(|&parameter| parameters.shown(parameter)).collect();
        if !shown.is_empty() {
            name += &format!("({})", shown.join(","));
        }
        match (self.at, parameters.cutoff()) {
            (CutoffKind::Recall, _) => name += &format!("@{}", parameters.recall.0),
            (_, Some(k)) => name += &format!("@{k}"),
            (_, None) => {}
        }
        name
    }
}
