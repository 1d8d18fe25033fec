//! Who answers the queries of a new benchmark, and the files that it takes.

/// Who answers queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A retriever in Rust, in a test.
    Rust,
    /// A retriever in Python, in the process of pytest.
    Pytest,
    /// A program.
    Python,
    /// A service.
    Http,
    /// Run files.
    Runs,
}

/// Path and contents of a file.
type File = (&'static str, &'static str);

const SPEC: File = ("benchmarks/first.yaml", include_str!("starter/benchmarks/first.yaml"));

const OF_ALL: [File; 4] = [
    ("benchmarks/data/first/corpus.jsonl", include_str!("starter/benchmarks/data/first/corpus.jsonl")),
    ("benchmarks/data/first/queries.jsonl", include_str!("starter/benchmarks/data/first/queries.jsonl")),
    ("benchmarks/data/first/qrels/test.tsv", include_str!("starter/benchmarks/data/first/qrels/test.tsv")),
    ("benchmarks/runs/before.run", include_str!("starter/benchmarks/runs/before.run")),
];

/// What is blessed already where a test runs the gates.
const GOLDEN: [File; 2] = [
    ("golden/first/before.run", include_str!("starter/golden/first/before.run")),
    ("golden/first/words.run", include_str!("starter/golden/first/words.run")),
];

/// Where a retriever of pytest is registered.
pub(super) const CONFTEST: &str = "benchmarks/conftest.py";

/// How the spec of Rust names its retriever.
const RETRIEVER: &str = "{retriever: words}        # a retriever in Rust, registered in tests/retrieval.rs";

/// What it says of `cargo test`.
const OF_CARGO: [&str; 3] = [
    "Each gate is a test of `cargo test`.",
    "RANKGATE_BLESS=1 cargo test writes it",
    " Retrievers in Rust need an optimized build: `cargo test --release`.",
];

impl Kind {
    /// The files: path and contents.
    pub(super) fn files(self) -> Vec<(&'static str, String)> {
        let own: &[File] = match self {
            Self::Rust => &[("tests/retrieval.rs", include_str!("starter/tests/retrieval.rs"))],
            Self::Pytest => &[(CONFTEST, include_str!("starter/kinds/conftest.py"))],
            Self::Python => &[("benchmarks/search.py", include_str!("starter/kinds/search.py"))],
            Self::Http => &[("benchmarks/server.py", include_str!("starter/kinds/server.py"))],
            Self::Runs => &[("benchmarks/runs/words.run", include_str!("starter/kinds/words.run"))],
        };
        let golden: &[File] = if self.has_golden() { &GOLDEN } else { &[] };
        let files = OF_ALL.iter().chain(own).chain(golden).map(|(path, text)| (*path, (*text).to_owned()));
        [(self.spec_path(), self.spec())].into_iter().chain(files).collect()
    }

    /// Whether a test runs the gates, which passes from the start.
    fn has_golden(self) -> bool {
        matches!(self, Self::Rust | Self::Pytest)
    }

    /// The path of the spec; pytest collects files of this ending.
    fn spec_path(self) -> &'static str {
        if self == Self::Pytest { "benchmarks/first.rankgate.yaml" } else { SPEC.0 }
    }

    fn spec(self) -> String {
        let replaced = self.replaced();
        replaced.into_iter().fold(SPEC.1.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    /// What the spec says in place of words about Rust.
    fn replaced(self) -> Vec<(&'static str, &'static str)> {
        let runner = match self {
            Self::Rust => return Vec::new(),
            Self::Pytest => ["Each gate is a test of pytest.", "pytest --rankgate-bless writes it", ""],
            Self::Python | Self::Http | Self::Runs => {
                ["`rankgate run` decides each gate.", "`rankgate bless` writes it", ""]
            }
        };
        let mut all: Vec<_> = OF_CARGO.into_iter().zip(runner).collect();
        match self {
            Self::Rust => {}
            Self::Pytest => all.extend([
                (RETRIEVER, "{retriever: words}        # a retriever in Python, registered in conftest.py"),
                ("[first.yaml, second.yaml]", "[first.rankgate.yaml, second.rankgate.yaml]"),
            ]),
            Self::Python => all.extend([
                (RETRIEVER, "{command: [python3, search.py]}    # a program that answers JSON lines"),
                ("  # python: {command: [python3, search.py]}                # a program that answers JSON lines\n", ""),
            ]),
            Self::Http => all.push((
                RETRIEVER,
                "                        # a service; ${SEARCH_URL} comes from the environment\n    \
                 http: {url: \"${SEARCH_URL}\", body: {q: \"{text}\", limit: \"{depth}\"}, hits: /hits, id: /id, score: /score}",
            )),
            Self::Runs => all.extend([
                (RETRIEVER, "{run: runs/words.run}     # rankings in TREC format; write them before each `rankgate run`"),
                ("deterministic: true                 # build and run twice, and fail if the rankings differ\n", ""),
            ]),
        }
        all
    }

    /// What to type next, where the specs are in this folder.
    pub(super) fn steps(self, benchmarks: &str) -> Vec<String> {
        if self == Self::Pytest {
            return vec![
                format!("\nThen: pytest {benchmarks}"),
                format!("Put your search into {benchmarks}/conftest.py. If it gets worse, a test fails."),
            ];
        }
        let first = match self {
            Self::Http => format!(
                "\nIn another shell: python3 {benchmarks}/server.py\nThen, in this one: export \
                 SEARCH_URL=http://127.0.0.1:8765/search"
            ),
            Self::Rust | Self::Pytest | Self::Python | Self::Runs => String::new(),
        };
        let mut steps = vec![first];
        steps.retain(|step| !step.is_empty());
        steps.push(format!("\nAccept today's rankings once:     rankgate bless {benchmarks}/first.yaml"));
        steps.push(format!("After every change of the search: rankgate run {benchmarks}/first.yaml"));
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spec_has_all_that_is_replaced_in_it_and_each_is_a_spec() {
        for kind in [Kind::Rust, Kind::Pytest, Kind::Python, Kind::Http, Kind::Runs] {
            for (from, _) in kind.replaced() {
                assert!(SPEC.1.contains(from), "{kind:?}: {from}");
            }
            let spec = kind.spec();
            for word in ["cargo", "Rust"] {
                assert_eq!(spec.contains(word), kind == Kind::Rust, "{spec}");
            }
            assert_eq!(spec.contains("pytest"), kind == Kind::Pytest, "{spec}");
            assert_eq!(spec.contains("{retriever: words}"), kind.has_golden(), "{spec}");
        }
    }
}
