//! The command line of a test run: libtest-mimic's arguments, and what libtest takes beyond them.

use std::env;
use std::ffi::OsString;

use libtest_mimic::{Conclusion, FormatSetting, Trial};

/// Options of libtest-mimic whose value is the next word, which is no filter.
const WITH_VALUE: [&str; 6] = ["--test-threads", "--logfile", "--skip", "--color", "--format", "-Z"];

/// A test that no command line selects: no test has an empty name.
const FILTERED_OUT: &str = "";

/// What the command line selects, and how results are printed.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    /// All but filters, which are below.
    mimic: libtest_mimic::Arguments,
    filters: Vec<String>,
}

impl Arguments {
    /// Reads the arguments of this process. It ends with status 2 where one of them is unknown, and after `--help`.
    pub(super) fn from_command_line() -> Self {
        Self::read(env::args_os())
    }

    /// Reads words, of which the first is the program.
    pub(super) fn read(mut words: impl Iterator<Item = OsString>) -> Self {
        let program = words.next().unwrap_or_default();
        let (filters, rest) = split(words);
        let mimic = libtest_mimic::Arguments::from_iter([program].into_iter().chain(rest));
        Self { mimic, filters }
    }

    /// Whether a test is selected. None is ignored, so that `--ignored` selects nothing.
    pub(super) fn selects(&self, name: &str) -> bool {
        (self.filters.is_empty() || self.is_any_of(name, &self.filters))
            && !self.skips(name)
            && !self.mimic.ignored
    }

    /// Whether `--skip` leaves a test out.
    pub(super) fn skips(&self, name: &str) -> bool {
        self.is_any_of(name, &self.mimic.skip)
    }

    /// Whether `--skip` names what begins with this prefix: a part of a name that gates may have as well does not.
    pub(super) fn skips_as(&self, name: &str, prefix: &str) -> bool {
        let named =
            self.mimic.skip.iter().filter(|pattern| pattern.starts_with(prefix) && *pattern != prefix);
        self.is_any_of(name, &named.cloned().collect::<Vec<_>>())
    }

    fn is_any_of(&self, name: &str, patterns: &[String]) -> bool {
        patterns.iter().any(|pattern| match self.mimic.exact {
            true => name == pattern,
            false => name.contains(pattern.as_str()),
        })
    }

    /// Runs the tests that are selected, or lists them.
    pub(super) fn run(&self, trials: Vec<Trial>) -> Conclusion {
        // libtest-mimic counts those that it leaves out itself.
        let arguments = libtest_mimic::Arguments {
            skip: vec![FILTERED_OUT.to_owned()],
            exact: true,
            ..self.mimic.clone()
        };
        let trials = trials.into_iter().map(|trial| match self.selects(trial.name()) {
            true => trial,
            false => Trial::test(FILTERED_OUT, || Ok(())),
        });
        libtest_mimic::run(&arguments, trials.collect())
    }

    /// Whether tests are listed, and none is run.
    pub(super) fn lists(&self) -> bool {
        self.mimic.list
    }

    /// Whether results are all that is printed.
    pub(super) fn is_quiet(&self) -> bool {
        self.mimic.quiet
    }

    /// Whether a program reads standard output.
    pub(super) fn is_json(&self) -> bool {
        self.mimic.format == Some(FormatSetting::Json)
    }

    pub(super) fn test_threads(&self) -> Option<usize> {
        self.mimic.test_threads
    }

    /// Whether all gates are selected that can be decided here.
    pub(super) fn is_whole(&self) -> bool {
        self.filters.is_empty() && self.mimic.skip.is_empty() && !self.mimic.ignored
    }

    pub(super) fn filters(&self) -> &[String] {
        &self.filters
    }

    pub(super) fn is_exact(&self) -> bool {
        self.mimic.exact
    }

    /// What selects tests, as it would be typed.
    pub(super) fn selection(&self) -> String {
        let exact = self.mimic.exact.then(|| "--exact".to_owned());
        let ignored = self.mimic.ignored.then(|| "--ignored".to_owned());
        let skip = self.mimic.skip.iter().map(|pattern| format!("--skip {pattern}"));
        let words: Vec<String> =
            exact.into_iter().chain(ignored).chain(skip).chain(self.filters.iter().cloned()).collect();
        words.join(" ")
    }

    /// The one test that is meant by its whole name.
    pub(super) fn one_test(&self) -> Option<&str> {
        match &self.filters[..] {
            [name] if self.mimic.exact => Some(name),
            _ => None,
        }
    }
}

/// Filters, of which there may be several, and the other words, in libtest-mimic's spelling.
fn split(words: impl Iterator<Item = OsString>) -> (Vec<String>, Vec<OsString>) {
    let (mut filters, mut rest) = (Vec::new(), Vec::new());
    let (mut only_filters, mut is_value) = (false, false);
    for word in words {
        let text = word.to_str().unwrap_or_default();
        let is_option = text.starts_with('-') && !only_filters;
        if std::mem::take(&mut is_value) {
            rest.push(word);
        } else if is_option && text == "--no-capture" {
            rest.push("--nocapture".into());
        } else if is_option {
            is_value = WITH_VALUE.contains(&text);
            only_filters = text == "--";
            if !only_filters {
                rest.push(word);
            }
        } else {
            match word.into_string() {
                Ok(filter) => filters.push(filter),
                Err(word) => rest.push(word),
            }
        }
    }
    (filters, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Arguments {
        Arguments::read(["test"].into_iter().chain(words.split_whitespace()).map(OsString::from))
    }

    #[test]
    fn a_value_of_an_option_is_no_filter() {
        for (words, filters) in [
            ("", &[][..]),
            ("a b --skip c", &["a", "b"]),
            ("--skip a b", &["b"]),
            ("--skip=a b", &["b"]),
            ("--test-threads 2 a --format json -Z unstable-options b --color never", &["a", "b"]),
            ("-Zunstable-options --logfile x a", &["a"]),
            ("--exact a --nocapture -- --b", &["a", "--b"]),
            ("a --no-capture", &["a"]),
        ] {
            assert_eq!(read(words).filters(), filters, "{words}");
        }
    }

    #[test]
    fn tests_are_selected_as_libtest_selects_them() {
        // Each line as the built-in harness of Rust 1.95 decides it for tests of these names.
        for (words, one, two, slower) in [
            ("", true, true, true),
            ("one", true, false, false),
            ("one two", true, true, false),
            ("e o", true, true, true),
            ("--skip one", false, true, true),
            ("--skip one --skip two", false, false, true),
            ("one two --skip tw", true, false, false),
            ("--exact one tw", true, false, false),
            ("--exact --skip tw", true, true, true),
            ("--ignored one", false, false, false),
            ("--include-ignored one", true, false, false),
        ] {
            let arguments = read(words);
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
            assert_eq!(read(words).skips_as("spec::toy.yaml", "spec::"), expected, "{words}");
        }
    }

    #[test]
    fn what_selects_is_shown_as_it_would_be_typed() {
        assert_eq!(read("a --skip b --exact c").selection(), "--exact --skip b a c");
        assert_eq!(read("--ignored").selection(), "--ignored");
    }
}
