//! What to say beside a verdict.

use std::fmt;

use crate::words::counted;

/// Something that a reader of a verdict should know. Units are given by their position.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// There are fewer than 25 units.
    FewUnits {
        /// How many there are.
        units: usize,
    },
    /// The verdict rests on one unit: without it the claim is not shown.
    OneUnitDecides {
        /// Its position.
        unit: usize,
        /// The two-sided p-value without it, adjusted as the verdict's.
        p: f64,
    },
    /// A gain counts an unseen unit with a typical loss; with one that loses all that can be lost
    /// it is not shown.
    TypicalLoss {
        /// How much the unseen unit loses, per query.
        typical: f64,
        /// How much a query can lose at all; nothing where scores have no range.
        most: Option<f64>,
        /// The two-sided p-value with a unit that loses that.
        p: f64,
    },
    /// A claim in the candidate's favour counts no unseen unit, as `robustness: none` asks for.
    NoUnseenQuery,
    /// A claim in the candidate's favour rests on the units that people graded: with one more among them that loses a typical
    /// amount it is not shown.
    OneMoreLoss {
        /// How much that unit would lose, per query.
        loss: f64,
        /// How many units people graded.
        units: usize,
        /// The two-sided p-value with it.
        p: f64,
    },
}

impl Warning {
    /// A word for programs, such as `few-units`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::FewUnits { .. } => "few-units",
            Self::OneUnitDecides { .. } => "one-unit-decides",
            Self::TypicalLoss { .. } => "typical-loss",
            Self::NoUnseenQuery => "no-unseen-query",
            Self::OneMoreLoss { .. } => "one-more-loss",
        }
    }

    /// The position of the one unit that the warning is about, if it is about one.
    ///
    /// ```
    /// use rankgate::stats::Warning;
    ///
    /// assert_eq!(Warning::OneUnitDecides { unit: 3, p: 0.2 }.unit(), Some(3));
    /// assert_eq!(Warning::FewUnits { units: 3 }.unit(), None);
    /// ```
    pub fn unit(&self) -> Option<usize> {
        match *self {
            Self::OneUnitDecides { unit, .. } => Some(unit),
            _ => None,
        }
    }

    /// The warning in words, about units that are called so: one of them, and several.
    ///
    /// ```
    /// use rankgate::stats::Warning;
    ///
    /// assert_eq!(Warning::FewUnits { units: 1 }.to_string(), "only 1 query");
    /// assert_eq!(Warning::FewUnits { units: 7 }.text("group", "groups"), "only 7 groups");
    /// ```
    pub fn text(&self, one: &str, many: &str) -> String {
        let counted = |units| counted(units, one, many);
        match *self {
            Self::FewUnits { units } => format!("only {}", counted(units)),
            Self::OneUnitDecides { p, .. } => {
                format!("the verdict rests on one {one}: without it p is {p:.3}")
            }
            Self::TypicalLoss { typical, most, p } => {
                let most = most.map_or("everything".to_owned(), |most| most.to_string());
                format!(
                    "it counts one unseen {one} that loses {typical:.2}; with one that loses {most}, p is {p:.3} (`robustness: strict`)"
                )
            }
            Self::NoUnseenQuery => format!(
                "decided by one test alone (`robustness: none`): losses in {many} unlike these are not counted"
            ),
            Self::OneMoreLoss { loss, units, p } => format!(
                "it rests on the {} that people graded: with one more that loses {loss:.2}, p is {p:.3}",
                counted(units)
            ),
        }
    }
}

/// About queries.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text("query", "queries"))
    }
}
