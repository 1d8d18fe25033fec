//! How far two graders agree, and how much higher one of them grades.

use std::collections::{BTreeMap, BTreeSet};

use crate::Result;
use crate::json::record;
use crate::stats::{Agreed, Agreement, Coefficient, Confidence, Interval, mean_interval};

record! {
    /// Agreement on single documents, claims or answers. It decides nothing.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct Agreeing {
        /// Pairs that both have graded.
        pub pairs: usize,
        /// Their queries.
        pub queries: usize,
        /// The share of equal grades.
        pub exact: Option<WithLimits>,
        /// Cohen's kappa.
        pub kappa: Option<WithLimits>,
        /// The same with quadratic weights.
        pub quadratic_kappa: Option<WithLimits>,
        /// Gwet's AC2 with quadratic weights.
        pub ac2: Option<WithLimits>,
        /// How often people (rows) and the judge (columns) gave which grade, from 0.
        pub confusion: Vec<Vec<u64>>,
    }
}

record! {
    /// A number of agreement, with limits over queries.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct WithLimits {
        /// The number.
        pub value: f64,
        /// Its limits; none where too few queries show them.
        pub interval: Option<Interval>,
    }
}

impl Agreeing {
    /// Of pairs of grades, with the query of each.
    ///
    /// # Errors
    ///
    /// No pair, or a grade beyond `most`.
    pub(crate) fn from_pairs<Q: Ord + Clone>(
        pairs: impl Iterator<Item = (Q, u8, u8)> + Clone,
        most: u8,
        confidence: Confidence,
    ) -> Result<Self> {
        let agreement = Agreement::new(pairs.clone(), most)?;
        let of = |which| agreement.coefficient(which, confidence).map(Into::into);
        Ok(Self {
            pairs: pairs.clone().count(),
            queries: pairs.map(|(query, _, _)| query).collect::<BTreeSet<_>>().len(),
            exact: of(Coefficient::Exact),
            kappa: of(Coefficient::Kappa),
            quadratic_kappa: of(Coefficient::QuadraticKappa),
            ac2: of(Coefficient::Ac2),
            confusion: agreement.confusion(),
        })
    }
}

impl From<Agreed> for WithLimits {
    fn from(agreed: Agreed) -> Self {
        Self { value: agreed.value, interval: agreed.interval.ok() }
    }
}

record! {
    /// How much higher one of two graders grades than the other, such as the judge than people, in grades.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct Bias {
        /// Key and value of a segment; none of all queries.
        pub segment: Option<[String; 2]>,
        /// Queries.
        pub queries: usize,
        /// The mean over queries of the mean difference of their documents; above 0 the first one is lenient.
        pub mean: f64,
        /// Its limits over queries.
        pub interval: Option<Interval>,
    }
}

impl Bias {
    /// Of the mean difference of each query.
    ///
    /// # Errors
    ///
    /// No query.
    pub(crate) fn from_means(
        segment: Option<[String; 2]>,
        rises: &[f64],
        most: u8,
        confidence: Confidence,
    ) -> Result<Self> {
        let range = f64::from(most);
        let estimate = mean_interval(rises, confidence, -range..=range)?;
        Ok(Self { segment, queries: rises.len(), mean: estimate.mean, interval: estimate.interval.ok() })
    }
}

/// By query, by how much its second grades are above its first ones on average.
pub(crate) fn mean_rises<Q: Ord>(pairs: impl Iterator<Item = (Q, u8, u8)>) -> BTreeMap<Q, f64> {
    let mut by_query: BTreeMap<Q, Vec<f64>> = BTreeMap::new();
    for (query, first, second) in pairs {
        by_query.entry(query).or_default().push(f64::from(second) - f64::from(first));
    }
    by_query.into_iter().map(|(query, all)| (query, all.iter().sum::<f64>() / all.len() as f64)).collect()
}
