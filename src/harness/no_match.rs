//! Why a command line selects no gate, and what was meant by it.

use std::collections::BTreeSet;

use crate::gate::encode_filter;
use crate::words::counted;
use crate::yaml::nearest;

use super::arguments::Arguments;

/// What there is to select from.
pub(super) struct Gates<'a> {
    /// The names of all gates.
    pub(super) gates: Vec<&'a str>,
    /// The specs: file, name and number of gates.
    pub(super) specs: Vec<(String, &'a str, usize)>,
    /// The name of the test target.
    pub(super) target: &'a str,
    /// The name of the package.
    pub(super) package: &'a str,
    /// What runs all of them.
    pub(super) command: String,
}

impl Gates<'_> {
    /// Why no gate was run. Where results are all that is printed, only of filters that are sure to mean something else.
    pub(super) fn explain(&self, arguments: &Arguments) -> Option<String> {
        if self.gates.is_empty() || self.gates.iter().any(|name| arguments.selects(name)) {
            return None;
        }
        let filters = arguments.filters();
        let why = filters.iter().find_map(|filter| self.target(filter).or_else(|| self.file(filter)));
        let why = why.or_else(|| (!arguments.is_quiet()).then(|| self.no_name(arguments)))?;
        Some(format!("note: no gate was run: {why}"))
    }

    fn target(&self, filter: &str) -> Option<String> {
        let stem =
            filter.rsplit(['/', '\\']).next().and_then(|file| file.strip_suffix(".rs")).unwrap_or(filter);
        let is = |name: &str| name.replace('-', "_") == stem.replace('-', "_");
        let what = match () {
            () if is(self.target) => "this test target",
            () if is(self.package) => "this package",
            () => return None,
        };
        let (gates, command) = (counted(self.gates.len(), "gate", "gates"), &self.command);
        Some(format!(
            "`{filter}` is {what}, and a filter looks for gates by their names; `{command}` runs all {gates}"
        ))
    }

    fn file(&self, filter: &str) -> Option<String> {
        let is_yaml = filter.ends_with(".yaml") || filter.ends_with(".yml");
        let mut specs = self.specs.iter().filter(|(file, ..)| is_yaml && file.ends_with(filter));
        let (_, name, gates) = specs.next()?;
        let (gates, command) = (counted(*gates, "gate", "gates"), &self.command);
        Some(format!(
            "`{filter}` is a file, and a filter looks for gates by their names; `{command} -- {name}::` runs its {gates}"
        ))
    }

    fn no_name(&self, arguments: &Arguments) -> String {
        let names = || self.gates.iter().copied();
        let part = |filter: &String| names().find(|name| name.contains(filter.as_str()));
        if arguments.is_exact()
            && let Some(name) = arguments.filters().iter().find_map(part)
        {
            return format!("with `--exact` a filter is a whole name, such as `{name}`");
        }
        let mut encoded = arguments.filters().iter().map(|filter| (filter, encode_filter(filter)));
        if let Some((filter, name)) = encoded.find(|(_, name)| part(name).is_some()) {
            return format!("`{filter}` is written `{name}` in the names of gates");
        }
        let parts: BTreeSet<&str> = names().flat_map(parts).collect();
        let near = |filter: &String| Some((filter.clone(), nearest(filter, parts.iter().copied())?));
        match arguments.filters().iter().find_map(near) {
            Some((filter, near)) => format!("no gate has `{filter}` in its name; did you mean `{near}`?"),
            None => format!(
                "`{}` selects none of {}; `{} -- --list` shows them",
                arguments.selection(),
                counted(self.gates.len(), "gate", "gates"),
                self.command
            ),
        }
    }
}

/// What people type of a name: `toy`, `words`, `nDCG@3`, `toy::words`, the whole.
fn parts(name: &str) -> Vec<&str> {
    let plain = name.split('[').next().unwrap_or(name);
    let beginnings = plain.match_indices("::").map(|(at, _)| &plain[..at]);
    plain.split("::").chain(beginnings).chain([plain, name]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(words: &str) -> Option<String> {
        let gates = Gates {
            gates: vec![
                "toy::words::nDCG@3",
                "toy::words::RR@3[category=money]",
                "more::words-vs-old::nDCG@3",
            ],
            specs: vec![
                ("benchmarks/toy.yaml".to_owned(), "toy", 2),
                ("benchmarks/more.yml".to_owned(), "more", 1),
            ],
            target: "its-retrieval",
            package: "my-search",
            command: "cargo test --test its-retrieval".to_owned(),
        };
        let arguments = Arguments::read(["test"].into_iter().chain(words.split_whitespace()).map(Into::into));
        gates.explain(&arguments).map(|text| text.strip_prefix("note: no gate was run: ").unwrap().to_owned())
    }

    #[test]
    fn what_was_meant_is_said() {
        let all = "and a filter looks for gates by their names; `cargo test --test its-retrieval";
        for (words, expected) in [
            ("its-retrieval", format!("`its-retrieval` is this test target, {all}` runs all 3 gates")),
            ("its_retrieval", format!("`its_retrieval` is this test target, {all}` runs all 3 gates")),
            (
                "tests/its-retrieval.rs",
                format!("`tests/its-retrieval.rs` is this test target, {all}` runs all 3 gates"),
            ),
            ("parser my-search", format!("`my-search` is this package, {all}` runs all 3 gates")),
            ("toy.yaml", format!("`toy.yaml` is a file, {all} -- toy::` runs its 2 gates")),
            (
                "benchmarks/more.yml",
                format!("`benchmarks/more.yml` is a file, {all} -- more::` runs its 1 gate"),
            ),
            ("-q toy.yaml", format!("`toy.yaml` is a file, {all} -- toy::` runs its 2 gates")),
            (
                "--exact nDCG@3",
                "with `--exact` a filter is a whole name, such as `toy::words::nDCG@3`".into(),
            ),
            ("ndcg", "no gate has `ndcg` in its name; did you mean `nDCG@3`?".into()),
            ("toy::wrds", "no gate has `toy::wrds` in its name; did you mean `toy::words`?".into()),
            (
                "parser",
                "`parser` selects none of 3 gates; `cargo test --test its-retrieval -- --list` shows them"
                    .into(),
            ),
            (
                "--ignored",
                "`--ignored` selects none of 3 gates; `cargo test --test its-retrieval -- --list` shows them"
                    .into(),
            ),
        ] {
            assert_eq!(explain(words), Some(expected), "{words}");
        }
    }

    #[test]
    fn nothing_is_said_where_gates_are_selected_or_results_alone_are_wanted() {
        for words in ["", "toy", "parser toy", "--skip toy", "-q parser"] {
            assert_eq!(explain(words), None, "{words}");
        }
    }
}
