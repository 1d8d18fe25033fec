//! How much of what a gate rests on has to be there.

/// How much evidence a gate needs: what a spec, a suite or a gate says of it.
///
/// A gate rests on queries that are judged, that both sides answered, and on results that the corpus has. Where a
/// smaller share of any of these is there, the gate is errored: what is left may say anything.
///
/// ```
/// use rankgate::gate::Evidence;
///
/// let of_spec = Evidence::default().at_least(0.5).queries(162);
/// assert_eq!(Evidence::default().share(), 0.9);
/// assert_eq!(Evidence::default().or(of_spec).share(), 0.5);
/// assert_eq!(Evidence::default().at_least(0.8).or(of_spec).share(), 0.8);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The smallest share of what should be there, from 0 to 1; `None`: nothing is said here.
    pub at_least: Option<f64>,
    /// How many judged queries there should be; `None`: nothing is said here.
    pub queries: Option<usize>,
    /// How many results of a query are enough where a metric looks at more; 1: however few there are. `None`: nothing is
    /// said here, and lists go on to the metric's cutoff.
    pub depth: Option<usize>,
}

impl Evidence {
    /// The share that is needed where nobody says another.
    pub const AT_LEAST: f64 = 0.9;

    /// With the smallest share of what should be there, from 0 to 1.
    #[must_use]
    pub fn at_least(self, share: f64) -> Self {
        Self { at_least: Some(share), ..self }
    }

    /// With the number of judged queries that there should be.
    #[must_use]
    pub fn queries(self, queries: usize) -> Self {
        Self { queries: Some(queries), ..self }
    }

    /// With the number of results of a query that are enough where a metric looks at more; 1: however few there are.
    #[must_use]
    pub fn depth(self, depth: usize) -> Self {
        Self { depth: Some(depth), ..self }
    }

    /// This, and where it says nothing what `other` says.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            at_least: self.at_least.or(other.at_least),
            queries: self.queries.or(other.queries),
            depth: self.depth.or(other.depth),
        }
    }

    /// The share that is needed.
    #[must_use]
    pub fn share(self) -> f64 {
        self.at_least.unwrap_or(Self::AT_LEAST)
    }
}
