//! How many queries a suite of several collections takes.

use crate::gate::Expect;
use crate::json::record;
use crate::planning::Planning;
use crate::stats::{Allocation, Differences, Exhausted, PairedT, SuitePlanner};
use crate::{Error, Result, SCHEMA};

/// One collection of a suite, with the differences of the two runs that are planned from.
#[derive(Clone, Debug)]
pub struct PlannedCollection {
    /// The name of its benchmark.
    pub benchmark: String,
    /// Of the weighted mean; all together are 1.
    pub share: f64,
    /// Second run minus first, by query or by group of queries.
    pub differences: Differences,
}

record! {
    /// What the collections of a suite could show together; its JSON form is stable: fields are added, and `schema` counts
    /// changes that break a reader.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct SuitePlan {
        /// The version of the JSON form.
        pub schema: u32,
        /// The name of the suite.
        pub suite: String,
        /// The metric's canonical name.
        pub metric: String,
        /// The sides, as they were given: folders of runs, or patterns of their paths.
        pub runs: [String; 2],
        /// Of the two-sided test that is planned for, between 0 and 1.
        pub confidence: f64,
        /// The probability with which a true difference is to be shown.
        pub power: f64,
        /// The expectation: `improvement` by default.
        pub expect: Expect,
        /// The margin, tolerance or smallest gain, where there is one.
        pub limit?: Option<f64>,
        /// What each collection may lose at most, where that has to be shown as well.
        pub harm_at_most?: Option<f64>,
        /// The collections, in the order of the suite. Numbers of queries below are in the same order.
        pub collections: Vec<CollectionSpread>,
        /// The smallest true drop or gain of the weighted mean that these queries show, or margin that they keep where nothing
        /// is lost, with the power; the same in every collection. Null where there is none.
        pub minimum_detectable_effect: Option<f64>,
        /// Whether finding `minimum_detectable_effect` would have taken more work than a plan may; it is null then.
        pub exhausted?: bool,
        /// How many queries it takes for an effect.
        pub needed: Vec<SuiteNeeded>,
    }
}

record! {
    /// How much the differences of two runs vary in one collection.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct CollectionSpread {
        /// The name of its benchmark.
        pub benchmark: String,
        /// Of the weighted mean; all together are 1.
        pub share: f64,
        /// Judged queries.
        pub queries: usize,
        /// How many groups they are in, where they are grouped; numbers of queries that are needed are numbers of groups
        /// then.
        pub groups?: Option<usize>,
        /// Standard deviation of the differences; where queries are grouped, of the groups' per query.
        pub standard_deviation: f64,
    }
}

record! {
    /// An effect and how many queries of each collection it takes.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct SuiteNeeded {
        /// A true drop or gain in every collection, or a margin, in the metric's own units.
        pub effect: f64,
        /// The probability with which the queries of today show it; null where finding it would have taken more work than a
        /// plan may.
        pub power: Option<f64>,
        /// About how many queries of each collection show it where all collections grow or shrink alike; null where no number
        /// does.
        pub proportional: Option<Vec<u64>>,
        /// The same where no collection shrinks and those grow whose queries add most to the power.
        pub optimal: Option<Vec<u64>>,
        /// Whether finding one of them would have taken more work than a plan may; it is null then.
        pub exhausted?: bool,
    }
}

impl Planning {
    /// Plans from the differences of two runs in each collection of a suite, by simulating the rule of a suite's gate on
    /// queries like theirs ([`SuitePlanner`]). With `harm_at_most` no collection may lose so much, which each has to show.
    ///
    /// # Errors
    ///
    /// No collection, one whose only query does not show how much queries vary, a power or an effect out of range.
    ///
    /// ```
    /// use rankgate_offline::{PlannedCollection, Planning};
    /// use rankgate::stats::Differences;
    ///
    /// let collection = |benchmark: &str, after: &[f64]| {
    ///     let differences = Differences::new(&vec![0.5; after.len()], after)?.within(&(0.0..=1.0));
    ///     Ok::<_, rankgate::Error>(PlannedCollection { benchmark: benchmark.to_owned(), share: 0.5, differences })
    /// };
    /// let collections = [collection("shop", &[0.5, 0.75, 0.25, 0.5])?, collection("help", &[0.5, 1.0, 0.5])?];
    /// let planning = Planning::new("nDCG@10".parse()?).effects([0.1]);
    /// let plan = planning.of_suite("search", ["old", "new"], &collections, None)?;
    /// assert_eq!(plan.collections[0].queries, 4);
    /// assert!(plan.minimum_detectable_effect.unwrap() > 0.7); // so few show next to nothing
    /// let needed = plan.needed[0].proportional.as_ref().unwrap();
    /// assert!(needed.iter().sum::<u64>() > 50, "{needed:?}");
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn of_suite(
        &self,
        suite: &str,
        runs: [&str; 2],
        collections: &[PlannedCollection],
        harm_at_most: Option<f64>,
    ) -> Result<SuitePlan> {
        self.metric.check_arithmetic()?;
        let settings = self.settings();
        let of_planner: Vec<(&Differences, f64)> =
            collections.iter().map(|one| (&one.differences, one.share)).collect();
        let spreads = collections.iter().map(CollectionSpread::new).collect::<Result<Vec<_>>>()?;
        let planner = SuitePlanner::new(&of_planner, self.expect, harm_at_most, &settings)?;
        let today: Vec<u64> = collections.iter().map(|one| one.differences.len() as u64).collect();
        let detectable = planner.as_ref().map_or(Ok(None), |planner| planner.detectable(&today));
        let needed = |effect: f64| {
            let Some(planner) = &planner else {
                let exhausted = false;
                return Ok(SuiteNeeded { effect, power: None, proportional: None, optimal: None, exhausted });
            };
            let [proportional, optimal] = [Allocation::Proportional, Allocation::Optimal]
                .map(|allocation| planner.units_needed(effect, &today, allocation));
            let power = planner.power(effect, &today).ok();
            Ok(SuiteNeeded {
                effect,
                power,
                exhausted: power.is_none() || proportional == Err(Exhausted) || optimal == Err(Exhausted),
                proportional: proportional.unwrap_or_default(),
                optimal: optimal.unwrap_or_default(),
            })
        };
        Ok(SuitePlan {
            schema: SCHEMA,
            suite: suite.to_owned(),
            metric: self.metric.to_string(),
            runs: runs.map(str::to_owned),
            confidence: self.confidence.level(),
            power: self.power,
            expect: self.expect.into(),
            limit: self.expect.limit(),
            harm_at_most,
            collections: spreads,
            minimum_detectable_effect: detectable.unwrap_or_default(),
            exhausted: detectable == Err(Exhausted),
            needed: self.needed(needed)?,
        })
    }
}

impl CollectionSpread {
    fn new(collection: &PlannedCollection) -> Result<Self> {
        let PlannedCollection { benchmark, share, differences } = collection;
        let t = PairedT::new(differences).ok_or_else(|| {
            Error::invalid(format!(
                "{benchmark}: one query, or one group of them, does not show how much queries vary"
            ))
        })?;
        Ok(Self {
            benchmark: benchmark.clone(),
            share: *share,
            queries: differences.queries(),
            groups: Some(differences.len()).filter(|groups| *groups != differences.queries()),
            standard_deviation: t.standard_deviation(),
        })
    }
}
