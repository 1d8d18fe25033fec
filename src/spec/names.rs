//! The names that gates may name: configurations, variants and stages.

use std::collections::{HashMap, HashSet};

use super::scores::ScorePlan;
use crate::error::Quoted;
use crate::mapping::Reader;
use crate::yaml::{Problem, Span, all_of};

/// Why a name is not known here that is known elsewhere.
type Elsewhere<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What to write for stages under a variant.
const INSTEAD: &str = "for the stages under a variant write a spec whose collection has the variant's queries and their \
                       judgments: `rankgate variants SPEC --format jsonl` prints the queries";

/// The names of a spec's configurations and of its variants, unless they could not be read.
pub(crate) struct Names<'a> {
    configurations: Option<(&'a [String], HashSet<&'a str>)>,
    variants: Option<&'a [String]>,
    /// The stages of each configuration that has any.
    stages: HashMap<&'a str, Vec<&'a str>>,
    /// The configurations that stages are fused into.
    of_stages: &'a [String],
    /// The columns of scores, unless one could not be read.
    pub(super) columns: Option<&'a [ScorePlan]>,
    /// Why a name that is known elsewhere is not known here.
    elsewhere: Option<&'a Elsewhere<'a>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(names: Option<&'a [String]>, variants: Option<&'a [String]>) -> Self {
        let configurations = names.map(|names| (names, names.iter().map(String::as_str).collect()));
        Self { configurations, variants, stages: HashMap::new(), of_stages: &[], columns: Some(&[]), elsewhere: None }
    }

    /// The same with the stages of configurations, each with its configuration.
    pub(crate) fn with_stages(mut self, stages: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        stages.for_each(|(configuration, stage)| self.stages.entry(configuration).or_default().push(stage));
        self
    }

    /// The same with the configurations that stages are fused into.
    pub(crate) fn with_fusions_of_stages(self, of_stages: &'a [String]) -> Self {
        Self { of_stages, ..self }
    }

    /// The same with columns of scores.
    pub(crate) fn with_columns(self, columns: Option<&'a [ScorePlan]>) -> Self {
        Self { columns, ..self }
    }

    /// The same with a reason for names that are known elsewhere.
    pub(crate) fn or_elsewhere(self, elsewhere: &'a Elsewhere<'a>) -> Self {
        Self { elsewhere: Some(elsewhere), ..self }
    }

    /// Whether a variant is called so.
    pub(crate) fn is_variant(&self, name: &str) -> bool {
        self.variants.is_some_and(|variants| variants.iter().any(|known| known == name))
    }

    /// Whether it is the name of a stage: `mine@candidates`.
    pub(crate) fn is_stage(&self, name: &str) -> bool {
        let parts = name.split_once('@');
        parts.is_some_and(|(one, stage)| self.stages.get(one).is_some_and(|stages| stages.contains(&stage)))
    }

    /// The name of a configuration under a variant or of one of its stages, if there are both; what there is not is reported.
    fn check_derived(&self, name: &str, at: Span, reader: &mut Reader<'_>) -> Option<String> {
        let (configuration, derived) = name.split_once('@')?;
        self.check(configuration, at, reader)?;
        let stages = self.stages.get(configuration).map_or(&[][..], Vec::as_slice);
        if stages.contains(&derived) {
            return Some(name.to_owned());
        }
        let variants = self.variants?;
        if self.is_variant(derived) {
            return self.check_of_stages(configuration, (name, at), reader).then(|| name.to_owned());
        }
        // `mine@typos@fused` or `mine@fused@typos`: a stage under a variant.
        let of_both = derived.split_once('@').filter(|(one, other)| {
            let is_stage = |name: &&str| stages.contains(name);
            is_stage(one) && self.is_variant(other) || is_stage(other) && self.is_variant(one)
        });
        if of_both.is_some() {
            let message = format!(
                "{} is a stage under a variant, and stages are measured without variants",
                Quoted(name)
            );
            reader.report(Problem::new(at, message).help(INSTEAD));
            return None;
        }
        let message = match stages.is_empty() {
            true => format!("no variant is called {}", Quoted(derived)),
            false => format!("{} has no stage {}", Quoted(configuration), Quoted(derived)),
        };
        let all = || stages.iter().copied().chain(variants.iter().map(String::as_str));
        let problem = reader.suggest(Problem::new(at, message), derived, all()).unwrap_or_else(|problem| {
            problem.help(match all().count() {
                0 => format!(
                    "declare it, as in `variants: {{{derived}: {{kind: typos}}}}`, or under {} as in `stages: [{derived}]`",
                    Quoted(configuration)
                ),
                1 => format!("there is only {}", all_of(all())),
                _ => format!("there are {}", all_of(all())),
            })
        });
        reader.report(problem.help(
            "what stands behind an `@` is a variant or a stage; only behind `golden@` is it what a run was tagged with",
        ));
        None
    }

    /// Whether a configuration can be measured under a variant: no stage is fused into it, which is reported otherwise.
    fn check_of_stages(
        &self,
        configuration: &str,
        (shown, at): (&str, Span),
        reader: &mut Reader<'_>,
    ) -> bool {
        let is_of_stages = self.of_stages.iter().any(|one| one == configuration);
        if is_of_stages {
            let message =
                format!("{} is fused from a stage, and stages are measured without variants", Quoted(shown));
            reader.report(Problem::new(at, message).help(INSTEAD));
        }
        !is_of_stages
    }

    /// The name of a configuration that is measured under variants, if there is one; if there is not, that is reported.
    pub(super) fn check_under_variants(
        &self,
        name: &str,
        at: Span,
        reader: &mut Reader<'_>,
    ) -> Option<String> {
        let name = self.check(name, at, reader)?;
        self.check_of_stages(&name, (&name, at), reader).then_some(name)
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
        if name.contains('@') {
            return self.check_derived(name, at, reader);
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
