//! Who answers the queries of a new benchmark, and the files that it takes.

/// Who answers queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A retriever in Rust, in a test.
    Rust,
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

const OF_RUST: [File; 5] = [
    ("tests/retrieval.rs", include_str!("starter/tests/retrieval.rs")),
    ("golden/first/before.run", include_str!("starter/golden/first/before.run")),
    ("golden/first/before.snap", include_str!("starter/golden/first/before.snap")),
    ("golden/first/words.run", include_str!("starter/golden/first/words.run")),
    ("golden/first/words.snap", include_str!("starter/golden/first/words.snap")),
];

/// How the spec of Rust names its retriever.
const RETRIEVER: &str = "{retriever: words}        # a retriever in Rust, registered in tests/retrieval.rs";

/// What it says of `cargo test`, and what others say.
const OF_CARGO: [(&str, &str); 2] = [
    ("Each gate is a test of `cargo test`.", "`rankgate run` decides each gate."),
    ("RANKGATE_BLESS=1 cargo test writes it", "`rankgate bless` writes it"),
];

impl Kind {
    /// The files: path and contents.
    pub(super) fn files(self) -> Vec<(&'static str, String)> {
        let own: &[File] = match self {
            Self::Rust => &OF_RUST,
            Self::Python => &[("benchmarks/search.py", include_str!("starter/kinds/search.py"))],
            Self::Http => &[("benchmarks/server.py", include_str!("starter/kinds/server.py"))],
            Self::Runs => &[("benchmarks/runs/words.run", include_str!("starter/kinds/words.run"))],
        };
        let files = OF_ALL.iter().chain(own).map(|(path, text)| (*path, (*text).to_owned()));
        [(SPEC.0, self.spec())].into_iter().chain(files).collect()
    }

    fn spec(self) -> String {
        let replaced = self.replaced();
        replaced.into_iter().fold(SPEC.1.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    /// What the spec says in place of words about Rust.
    fn replaced(self) -> Vec<(&'static str, &'static str)> {
        let mut all = OF_CARGO.to_vec();
        match self {
            Self::Rust => return Vec::new(),
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
                (RETRIEVER, "{run: runs/words.run}     # rankings in TREC format, written anew before each `rankgate run`"),
                ("deterministic: true                 # build and ask twice, and fail when rankings differ\n", ""),
            ]),
        }
        all
    }

    /// What to type next, where the specs are in this folder.
    pub(super) fn steps(self, benchmarks: &str) -> Vec<String> {
        let first = match self {
            Self::Http => format!(
                "\nIn another shell: python3 {benchmarks}/server.py\nThen, in this one: export \
                 SEARCH_URL=http://127.0.0.1:8765/search"
            ),
            Self::Rust | Self::Python | Self::Runs => String::new(),
        };
        let mut steps = vec![first];
        steps.retain(|step| !step.is_empty());
        steps.push(format!("\nAccept what is measured today, once: rankgate bless {benchmarks}/first.yaml"));
        steps.push(format!("Then, whenever something changed:    rankgate run {benchmarks}/first.yaml"));
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spec_has_all_that_is_replaced_in_it_and_each_is_a_spec() {
        for kind in [Kind::Rust, Kind::Python, Kind::Http, Kind::Runs] {
            for (from, _) in kind.replaced() {
                assert!(SPEC.1.contains(from), "{kind:?}: {from}");
            }
            let spec = kind.spec();
            assert_eq!(spec.contains("cargo test writes it"), kind == Kind::Rust, "{spec}");
            assert_eq!(spec.contains("{retriever: words}"), kind == Kind::Rust, "{spec}");
        }
    }
}
