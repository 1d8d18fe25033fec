//! What users of trec_eval, ir_measures and ranx type first: where it is no command line of this program, the one that
//! does the same.
//!
//! Sources: `trec_eval` 10, `trec_eval -h`; `ir_measures` 0.4, `ir_measures -h`; and what other commands call their inputs.

use std::ffi::OsString;
use std::path::Path;

use crate::shell::quoted;
use crate::specs::is_spec;

const PER_QUERY: &str = "--per-query";

/// Commands that score runs.
const SCORING: [&str; 3] = ["eval", "compare", "power"];

/// What to type in place of words that clap refused; `commands` are the names that it knows.
pub(crate) fn advice(words: &[OsString], commands: &[String]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    let command = words.first().copied().filter(|first| commands.iter().any(|name| name == first));
    match command {
        Some(name) if SCORING.contains(&name) => {
            let line = Translation::new(&words[1..]);
            if line.foreign.is_empty() {
                return None;
            }
            let typed = line.typed(name);
            Some(format!("{}:{}\ntype: {typed}", line.belongs(), line.explained()))
        }
        Some(_) => None,
        None => without_command(&words),
    }
}

/// `rankgate qrels run`: files where a command is expected, or behind the name of another tool.
fn without_command(words: &[&str]) -> Option<String> {
    let name = words.first().copied().filter(|word| !word.starts_with('-') && !Path::new(word).exists());
    let why = match name.and_then(quoted) {
        Some(name) => format!("no command is called {name}"),
        None => "no command is named".to_owned(),
    };
    other_command(&why, if name.is_some() { &words[1..] } else { words })
}

/// The command for the files among the words, which none is named for.
fn other_command(why: &str, words: &[&str]) -> Option<String> {
    let line = Translation::new(words);
    let files: Vec<&str> = line.files.iter().copied().filter(|name| Path::new(name).exists()).collect();
    let [first, more @ ..] = &files[..] else { return None };
    if is_spec(Path::new(first)) || (more.is_empty() && has_specs(Path::new(first))) {
        let specs: Option<Vec<String>> = files.iter().map(|name| quoted(name)).collect();
        return Some(format!("{why}\ntype: rankgate run {}", specs?.join(" ")));
    }
    if more.is_empty() {
        return None;
    }
    let mut text = format!("{why}{}\ntype: {}", line.explained(), line.typed("eval"));
    if more.len() > 1 {
        text += &format!("\nor:   {}", line.typed("compare"));
    }
    Some(text)
}

fn has_specs(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|all| all.flatten().any(|entry| is_spec(&entry.path())))
}

/// What options with a whole name become: those names, whether a value follows, and what it is here.
const NAMED: &[(&[&str], bool, Meaning)] = &[
    (&["--qrels", "--qrel", "--judgments"], true, Meaning::Judgments),
    (&["--run", "--runs", "--results"], true, Meaning::Run),
    (&["--measures", "--measure"], true, Meaning::Metrics),
    (&["--by_query", "--by-query"], false, Meaning::PerQuery),
    (&["--no_summary", "--no-summary"], false, Meaning::Nothing(MEANS)),
    (&["--places", "-p"], true, Meaning::Nothing("left out: --format json has all digits")),
    (&["--provider"], true, Meaning::Nothing("left out: each metric is computed here")),
    (&["--output_format", "--output", "-o"], true, Meaning::Format),
    (&["--json"], false, Meaning::FormatOf("json")),
    (&["--csv"], false, Meaning::FormatOf("csv")),
    (&["--latex"], false, Meaning::FormatOf("latex")),
    (&["--k", "-k", "--k_values", "--k-values", "--cutoff", "--cutoffs"], true, Meaning::Nothing(CUTOFF)),
];

const MEANS: &str = "left out: the means are always printed";
const CUTOFF: &str = "left out: a cutoff is part of a metric's name, as in nDCG@10";

/// What an option of another tool is here.
#[derive(Clone, Copy)]
enum Meaning {
    Judgments,
    Run,
    Metrics,
    PerQuery,
    Format,
    /// The format whose name it is.
    FormatOf(&'static str),
    /// Nothing, for a reason.
    Nothing(&'static str),
}

/// Words of another tool's command line in the options of `rankgate eval`.
struct Translation<'a> {
    /// Options that are none of ours, or mean something else, and what they are here.
    foreign: Vec<(String, &'static str)>,
    /// The options to type.
    options: Vec<String>,
    /// Judgments, runs and, at the end, metrics.
    files: Vec<&'a str>,
}

impl<'a> Translation<'a> {
    fn new(words: &[&'a str]) -> Self {
        let mut line = Self { foreign: Vec::new(), options: Vec::new(), files: Vec::new() };
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let (name, own_value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            if let Some((_, has_value, meaning)) = NAMED.iter().find(|(names, ..)| names.contains(&name)) {
                let value = if *has_value { own_value.or_else(|| words.next()) } else { None };
                line.option(name, value.unwrap_or_default(), *meaning);
                continue;
            }
            let Some(letters) = letters(word) else {
                // Options of ours stay, with their values where those are written behind `=`.
                if word.starts_with("--") {
                    line.options.push(word.to_owned())
                } else {
                    line.files.push(word)
                }
                continue;
            };
            for (at, letter) in letters.char_indices() {
                // `-l2`: the value may follow at once.
                let rest = &letters[at + 1..];
                if "lmMNRT".contains(letter) {
                    let value = if rest.is_empty() { words.next().unwrap_or_default() } else { rest };
                    line.with_value(letter, value);
                    break;
                }
                line.flag(letter);
            }
        }
        line
    }

    fn option(&mut self, name: &str, value: &'a str, meaning: Meaning) {
        let here = match meaning {
            Meaning::Judgments => {
                self.files.insert(0, value);
                "the first file"
            }
            Meaning::Run => {
                self.files.push(value);
                "a file behind the judgments"
            }
            Meaning::Metrics => {
                self.options.extend(["-m".to_owned(), value.to_owned()]);
                "-m"
            }
            Meaning::PerQuery => {
                self.options.push(PER_QUERY.to_owned());
                PER_QUERY
            }
            Meaning::Format => {
                let known = ["json", "csv", "latex", "trec_eval"].contains(&value);
                self.format(if known { value } else { "csv" })
            }
            Meaning::FormatOf(format) => self.format(format),
            Meaning::Nothing(why) => why,
        };
        self.foreign.push((format!("{name} {value}").trim_end().to_owned(), here));
    }

    fn format(&mut self, format: &str) -> &'static str {
        self.options.extend(["--format".to_owned(), format.to_owned()]);
        "--format"
    }

    fn with_value(&mut self, letter: char, value: &str) {
        let option = format!("-{letter} {value}");
        match letter {
            'm' => self.options.extend(["-m".to_owned(), value.to_owned()]),
            'l' => {
                self.foreign.push((option, "--relevant-from"));
                self.options.extend(["--relevant-from".to_owned(), value.to_owned()]);
            }
            'M' => self.foreign.push((option, CUTOFF)),
            'N' => self.foreign.push((option, "left out: no metric here depends on the size of the corpus")),
            _ => self.foreign.push((option, "left out: the form of a file is recognised")),
        }
    }

    fn flag(&mut self, letter: char) {
        let option = format!("-{letter}");
        match letter {
            'q' => {
                self.foreign.push((option, "--per-query (here -q is --quiet)"));
                self.options.push(PER_QUERY.to_owned());
            }
            'c' => self.foreign.push((option, "left out: means are over all judged queries")),
            'n' => self.foreign.push((option, MEANS)),
            'J' => self.foreign.push((option, "left out: Judged@10 says how much is judged")),
            _ => self.foreign.push((option, "left out")),
        }
    }

    fn belongs(&self) -> String {
        let names: Vec<String> = self
            .foreign
            .iter()
            .map(|(option, _)| format!("`{}`", option.split(' ').next().unwrap_or_default()))
            .collect();
        let rest = if names.len() == 1 { "is another tool's" } else { "are other tools'" };
        format!("{} {rest}", names.join(", "))
    }

    fn explained(&self) -> String {
        let width = self.foreign.iter().map(|(option, _)| option.len()).max().unwrap_or_default();
        self.foreign.iter().map(|(option, here)| format!("\n  {option:width$}  {here}")).collect()
    }

    /// The command line.
    fn typed(&self, command: &str) -> String {
        let options = self.options.iter().map(String::as_str);
        let options = options.filter(|option| command == "eval" || *option != PER_QUERY);
        let words = self.files.iter().copied().chain(options);
        // What a terminal cannot show stands as a blank to fill.
        let words: Vec<String> = words.map(|word| quoted(word).unwrap_or_else(|| "...".to_owned())).collect();
        format!("rankgate {command} {}", words.join(" "))
    }
}

/// `qc` of `-qc`: letters that are options of trec_eval, one of them at least.
fn letters(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('-')?;
    letters.starts_with(|first: char| "acDJlmMnNqRTZ".contains(first)).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advised(words: &[&str]) -> Option<String> {
        let commands = ["eval", "compare", "run"].map(str::to_owned);
        advice(&words.iter().map(OsString::from).collect::<Vec<_>>(), &commands)
    }

    #[test]
    fn options_of_trec_eval_are_translated() {
        for (typed, meant) in [
            (&["eval", "-q", "-c", "qrels", "run"][..], "rankgate eval qrels run --per-query"),
            (&["eval", "-qcl2", "qrels", "run"], "rankgate eval qrels run --per-query --relevant-from 2"),
            (
                &["eval", "-m", "map", "-l", "2", "my qrels", "run"],
                "rankgate eval 'my qrels' run -m map --relevant-from 2",
            ),
            (&["compare", "-c", "-q", "qrels", "a", "b"], "rankgate compare qrels a b"),
            (
                &["eval", "--qrels", "qrels", "--run=run", "--measures", "ndcg@10", "--by_query"],
                "rankgate eval qrels run -m ndcg@10 --per-query",
            ),
            (
                &["eval", "qrels", "run", "nDCG@10", "-n", "-p", "4", "-o", "json"],
                "rankgate eval qrels run nDCG@10 --format json",
            ),
            (&["eval", "--json", "qrels", "run"], "rankgate eval qrels run --format json"),
            (&["compare", "qrels", "a", "b", "-k", "10", "--provider=ranx"], "rankgate compare qrels a b"),
            (
                &["eval", "-M", "1000", "qrels", "run", "--format=json"],
                "rankgate eval qrels run --format=json",
            ),
        ] {
            let text = advised(typed).unwrap();
            assert_eq!(text.rsplit_once("\ntype: ").unwrap().1, meant, "{text}");
        }
        assert_eq!(
            advised(&["eval", "-q", "-l", "2", "qrels", "run"]).unwrap(),
            "`-q`, `-l` are other tools':\n  -q    --per-query (here -q is --quiet)\n  -l 2  --relevant-from\ntype: rankgate \
             eval qrels run --per-query --relevant-from 2"
        );
    }

    #[test]
    fn nothing_is_said_of_what_is_ours() {
        for typed in [&["eval", "--perquery", "qrels", "run"][..], &["run", "-c"], &["nosuch", "file"], &[]] {
            assert_eq!(advised(typed), None, "{typed:?}");
        }
    }
}
