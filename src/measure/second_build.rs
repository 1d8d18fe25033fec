//! A second build of a configuration, to see whether it ranks as the first did.

use std::fmt;
use std::time::Duration;

use crate::gate::Repetition;
use crate::run::Run;
use crate::spec::{Configuration, ConfigurationSource};

/// Builds that take less are repeated where the spec does not say which are.
const REPEATED_WITHIN: Duration = Duration::from_secs(10);

/// What a second build answered.
#[derive(Clone, Debug)]
pub(crate) enum SecondBuild {
    Answered(Run),
    /// None was made, and why.
    Skipped(OneBuild),
}

/// Why no second build was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OneBuild {
    /// The spec asks for the answers of one build.
    Spec,
    /// Building takes long, and the spec does not ask for it.
    Slow { seconds: u64 },
    /// A service runs elsewhere.
    Service,
}

impl fmt::Display for OneBuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spec => f.write_str("of one build, as the spec asks"),
            Self::Slow { seconds } => write!(
                f,
                "of one build: it took {seconds} s, and a second one is made by itself where that takes less than \
                 {} s. `deterministic: builds` makes it always, `deterministic: answers` says that one is enough",
                REPEATED_WITHIN.as_secs()
            ),
            Self::Service => {
                f.write_str("of one running service: what differs from start to start was not seen")
            }
        }
    }
}

/// Why no second build is made of a configuration whose first one took so long, if none is.
pub(super) fn one_build(
    configuration: &Configuration,
    of: Option<Repetition>,
    took: Duration,
) -> Option<OneBuild> {
    match (&configuration.source, of) {
        (ConfigurationSource::Http(_), _) => Some(OneBuild::Service),
        (_, Some(Repetition::Answers)) => Some(OneBuild::Spec),
        (_, Some(Repetition::Builds)) => None,
        (_, None) if took >= REPEATED_WITHIN => Some(OneBuild::Slow { seconds: took.as_secs() }),
        (_, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Registry, Spec};

    #[test]
    fn builds_that_take_ten_seconds_are_repeated_on_request_alone() {
        let text = "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n      - {id: q1, text: a, relevant: \
                    [d1]}\nconfigurations:\n  mine: {retriever: mine}\ndeterministic: true\n";
        let mut registry = Registry::new();
        registry.retriever("mine");
        let spec = Spec::parse("toy.yaml".as_ref(), text, &registry).unwrap();
        let slow = OneBuild::Slow { seconds: 10 };
        for (of, milliseconds, expected) in [
            (None, 9_999, None),
            (None, 10_000, Some(slow)),
            (Some(Repetition::Builds), 10_000, None),
            (Some(Repetition::Answers), 1, Some(OneBuild::Spec)),
        ] {
            let found = one_build(&spec.configurations[0], of, Duration::from_millis(milliseconds));
            assert_eq!(found, expected, "{of:?} {milliseconds}");
        }
    }
}
