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
    pub(super) canonical: &'static str,
    pub(super) summary: &'static str,
    pub(super) formula: Formula,
    /// The canonical ways to write it, for people.
    pub(super) patterns: &'static [&'static str],
    pub(super) at_beta_one: Option<&'static str>,
    /// Other names for it.
    pub(super) aliases: &'static [&'static str],
    /// Names that take a number after `_` or `.`, as in `trec_eval`.
    pub(super) stems: &'static [&'static str],
    pub(super) suffix: Suffix,
    pub(super) at: CutoffKind,
    /// The parameters it takes, in canonical order.
    pub(super) parameters: &'static [Parameter],
    pub(super) values: Values,
    pub(super) aggregation: Aggregation,
    pub(super) needs: Option<&'static str>,
    /// How much larger it could be if what is not known were relevant.
    pub(super) residual: Option<fn(&JudgedRanking, &Parameters) -> f64>,
    pub(super) requirements: Requirements,
    /// Whether fewer results can score higher.
    pub(super) is_of_length: bool,
    /// What has to be limited beside it.
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
pub(super) enum Values {
    ZeroOrOne,
    Between(f64, f64),
}

impl Values {
    pub(super) const UNBOUNDED: Self = Self::Between(0.0, f64::INFINITY);
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

/// The most usual definition: no cutoff, no parameters, values from 0 to 1, averaged. Each metric names where it differs.
impl Definition {
    pub(super) const fn new(
        name: &'static str,
        summary: &'static str,
        compute: fn(&JudgedRanking, &Parameters) -> f64,
    ) -> Self {
        Self::with(name, summary, Formula::Grades(compute), Requirements::RELEVANCE)
    }

    /// One of the query and its documents.
    pub(super) const fn of_documents(name: &'static str, summary: &'static str, f: OfQuery) -> Self {
        Self::with(name, summary, Formula::Query(f), Requirements::DOCUMENTS)
    }

    const fn with(
        canonical: &'static str,
        summary: &'static str,
        formula: Formula,
        requirements: Requirements,
    ) -> Self {
        Self {
            canonical,
            summary,
            formula,
            patterns: &[],
            at_beta_one: None,
            aliases: &[],
            stems: &[],
            suffix: Suffix::At,
            at: CutoffKind::Nothing,
            parameters: &[],
            values: Values::Between(0.0, 1.0),
            aggregation: Aggregation::Mean,
            needs: None,
            residual: None,
            requirements,
            is_of_length: false,
            counterpart: None,
        }
    }
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
        }
    }

    /// Whether no ranking of some of these documents scores higher than all of them by grade, the highest first.
    pub(super) fn is_highest_by_grade(&self) -> bool {
        self.requirements == Requirements::RELEVANCE && !self.is_of_length
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
    pub fn requirements(&self) -> Requirements {
        self.requirements
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
        let at_beta_one = self.at_beta_one.filter(|_| parameters.beta.get() == 1.0);
        let mut name = at_beta_one.unwrap_or(self.canonical).to_owned();
        let shown: Vec<_> =
            self.parameters.iter().filter_map(|&parameter| parameters.shown(parameter)).collect();
        if !shown.is_empty() {
            name += &format!("({})", shown.join(","));
        }
        match (self.at, parameters.cutoff()) {
            (CutoffKind::Recall, _) => name += &format!("@{}", parameters.recall.get()),
            (_, Some(k)) => name += &format!("@{k}"),
            (_, None) => {}
        }
        name
    }
}
