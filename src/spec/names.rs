//! The names that gates may name: configurations.

use std::collections::HashSet;

use super::scores::ScorePlan;
use crate::error::Quoted;
use crate::mapping::Reader;
use crate::yaml::{Problem, Span, all_of};

/// Why a name is not known here that is known elsewhere.
type Elsewhere<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The names of a spec's configurations, unless they could not be read.
pub(crate) struct Names<'a> {
    configurations: Option<(&'a [String], HashSet<&'a str>)>,
    /// The columns of scores, unless one could not be read.
    pub(super) columns: Option<&'a [ScorePlan]>,
    /// Why a name that is known elsewhere is not known here.
    elsewhere: Option<&'a Elsewhere<'a>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(names: Option<&'a [String]>) -> Self {
        let configurations = names.map(|names| (names, names.iter().map(String::as_str).collect()));
        Self { configurations, columns: Some(&[]), elsewhere: None }
    }

    /// The same with columns of scores.
    pub(crate) fn with_columns(self, columns: Option<&'a [ScorePlan]>) -> Self {
        Self { columns, ..self }
    }

    /// The same with a reason for names that are known elsewhere.
    pub(crate) fn or_elsewhere(self, elsewhere: &'a Elsewhere<'a>) -> Self {
        Self { elsewhere: Some(elsewhere), ..self }
    }

    /// The names in the order of the file.
    pub(crate) fn all(&self) -> Option<&'a [String]> {
        self.configurations.as_ref().map(|(names, _)| *names)
    }

    /// The name, if there is such a configuration; if there is not, that is reported.
    pub(crate) fn check(&self, name: &str, at: Span, reader: &mut Reader<'_>) -> Option<String> {
        self.check_or(name, &[], at, reader)
    }

    /// The same where `others` could have been meant as well.
    pub(crate) fn check_or(
        &self,
        name: &str,
        others: &[&str],
        at: Span,
        reader: &mut Reader<'_>,
    ) -> Option<String> {
        let (all, known) = self.configurations.as_ref()?;
        if known.contains(name) {
            return Some(name.to_owned());
        }
        if let Some(why) = self.elsewhere.and_then(|elsewhere| elsewhere(name)) {
            return reader.refuse(at, why);
        }
        let problem = Problem::new(at, format!("no configuration is called {}", Quoted(name)));
        let all = || all.iter().map(String::as_str);
        let problem = reader.suggest(problem, name, all().chain(others.iter().copied()));
        reader.report(problem.unwrap_or_else(|problem| {
            let help = if all().len() == 1 { "there is only" } else { "there are" };
            problem.help(format!("{help} {}", all_of(all())))
        }));
        None
    }
}
