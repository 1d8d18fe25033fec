//! The command line of a test run, as libtest-mimic reads it.

use libtest_mimic::{Conclusion, FormatSetting, Trial};

/// What the command line selects, and how results are printed.
#[derive(Clone, Debug)]
pub(super) struct Arguments(libtest_mimic::Arguments);

impl Arguments {
    /// Reads the arguments of this process. It ends with status 2 where one of them is unknown, and after `--help`.
    pub(super) fn from_command_line() -> Self {
        Self(libtest_mimic::Arguments::from_args())
    }

    /// Those that are typed so.
    #[cfg(test)]
    pub(super) fn read(words: &str) -> Self {
        Self(libtest_mimic::Arguments::from_iter(["test"].into_iter().chain(words.split_whitespace())))
    }

    /// Whether a test is selected, as libtest-mimic selects. None is ignored, so that `--ignored` selects nothing.
    pub(super) fn selects(&self, name: &str) -> bool {
        let is_named = self.0.filter.as_ref().is_none_or(|filter| self.matches(name, filter));
        is_named && !self.skips(name) && !self.0.ignored
    }

    /// Whether `--skip` leaves a test out.
    pub(super) fn skips(&self, name: &str) -> bool {
        self.0.skip.iter().any(|pattern| self.matches(name, pattern))
    }

    /// Whether `--skip` names what begins with this prefix: a part of a name that gates may have as well does not.
    pub(super) fn skips_as(&self, name: &str, prefix: &str) -> bool {
        let mut named =
            self.0.skip.iter().filter(|pattern| pattern.starts_with(prefix) && *pattern != prefix);
        named.any(|pattern| self.matches(name, pattern))
    }

    fn matches(&self, name: &str, pattern: &str) -> bool {
        if self.0.exact { name == pattern } else { name.contains(pattern) }
    }

    /// Runs the tests that are selected, or lists them.
    pub(super) fn run(&self, trials: Vec<Trial>) -> Conclusion {
        libtest_mimic::run(&self.0, trials)
    }

    /// Whether tests are listed, and none is run.
    pub(super) fn lists(&self) -> bool {
        self.0.list
    }

    /// Whether results are all that is printed.
    pub(super) fn is_quiet(&self) -> bool {
        self.0.quiet
    }

    /// Whether a program reads standard output.
    pub(super) fn is_json(&self) -> bool {
        self.0.format == Some(FormatSetting::Json)
    }

    pub(super) fn test_threads(&self) -> Option<usize> {
        self.0.test_threads
    }

    /// Whether all gates are selected that can be decided here.
    pub(super) fn is_whole(&self) -> bool {
        self.0.filter.is_none() && self.0.skip.is_empty() && !self.0.ignored
    }

    pub(super) fn filter(&self) -> Option<&str> {
        self.0.filter.as_deref()
    }

    /// What selects tests, as it would be typed.
    pub(super) fn selection(&self) -> String {
        let exact = self.0.exact.then(|| "--exact".to_owned());
        let ignored = self.0.ignored.then(|| "--ignored".to_owned());
        let skip = self.0.skip.iter().map(|pattern| format!("--skip {pattern}"));
        let words: Vec<String> =
            exact.into_iter().chain(ignored).chain(skip).chain(self.0.filter.clone()).collect();
        words.join(" ")
    }

    /// The one test that is meant by its whole name.
    pub(super) fn one_test(&self) -> Option<&str> {
        self.filter().filter(|_| self.0.exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_selected_as_libtest_selects_them() {
        // Each line as the built-in harness of Rust 1.95 decides it for tests of these names.
        for (words, one, two, slower) in [
            ("", true, true, true),
            ("one", true, false, false),
            ("e", true, false, true),
            ("--skip one", false, true, true),
            ("--skip one --skip two", false, false, true),
            ("o --skip tw", true, false, true),
            ("--exact one", true, false, false),
            ("--exact --skip tw", true, true, true),
            ("--ignored one", false, false, false),
            ("--include-ignored one", true, false, false),
        ] {
            let arguments = Arguments::read(words);
            let selected = ["one", "two", "slower"].map(|name| arguments.selects(name));
            assert_eq!(selected, [one, two, slower], "{words}");
        }
    }

    #[test]
    fn what_fails_beside_the_gates_is_skipped_by_its_own_name() {
        for (words, expected) in [
            ("--skip spec::toy", true),
            ("--skip toy --skip spec::toy.yaml", true),
            ("--exact --skip spec::toy.yaml", true),
            ("--exact --skip spec::toy", false),
            ("--skip spec", false),
            ("--skip spec::", false),
            ("--skip toy", false),
            ("spec::toy", false),
        ] {
            assert_eq!(Arguments::read(words).skips_as("spec::toy.yaml", "spec::"), expected, "{words}");
        }
    }

    #[test]
    fn what_selects_is_shown_as_it_would_be_typed() {
        assert_eq!(Arguments::read("--skip b --exact c").selection(), "--exact --skip b c");
        assert_eq!(Arguments::read("--ignored").selection(), "--ignored");
    }
}
