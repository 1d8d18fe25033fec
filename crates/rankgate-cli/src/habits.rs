//! What users of trec_eval, ir_measures and ranx type first: where it is no command line of this program, the one that
//! does the same.
//!
//! Source: `trec_eval` 10, `trec_eval -h`.

use std::ffi::OsString;
use std::path::Path;

use crate::shell::quoted;
use crate::specs::is_spec;

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
            Some(format!("{} trec_eval's:{}\ntype: {typed}", line.belongs(), line.explained()))
        }
        Some(_) => None,
        None => without_command(&words),
    }
}

/// `rankgate qrels run`: files where a command is expected.
fn without_command(words: &[&str]) -> Option<String> {
    let line = Translation::new(words);
    let files: Vec<&str> = line.files.iter().copied().filter(|name| Path::new(name).exists()).collect();
    let [first, more @ ..] = &files[..] else { return None };
    if is_spec(Path::new(first)) || (more.is_empty() && has_specs(Path::new(first))) {
        let specs: Option<Vec<String>> = files.iter().map(|name| quoted(name)).collect();
        return Some(format!("no command is named\ntype: rankgate run {}", specs?.join(" ")));
    }
    if more.is_empty() {
        return None;
    }
    let mut text = format!("no command is named{}\ntype: {}", line.explained(), line.typed("eval"));
    if more.len() > 1 {
        text += &format!("\nor:   {}", line.typed("compare"));
    }
    Some(text)
}

fn has_specs(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|all| all.flatten().any(|entry| is_spec(&entry.path())))
}

/// Words of trec_eval's command line in the options of `rankgate eval`.
struct Translation<'a> {
    /// Options of trec_eval that are none of ours, or mean something else, and what they are here.
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

    fn with_value(&mut self, letter: char, value: &str) {
        let option = format!("-{letter} {value}");
        match letter {
            'm' => self.options.extend(["-m".to_owned(), value.to_owned()]),
            'l' => {
                self.foreign.push((option, "--relevant-from"));
                self.options.extend(["--relevant-from".to_owned(), value.to_owned()]);
            }
            'M' => {
                self.foreign.push((option, "left out: a cutoff is part of a metric's name, as in AP@1000"))
            }
            'N' => self.foreign.push((option, "left out: no metric here depends on the size of the corpus")),
            _ => self.foreign.push((option, "left out: the form of a file is recognised")),
        }
    }

    fn flag(&mut self, letter: char) {
        let option = format!("-{letter}");
        match letter {
            'q' => {
                self.foreign.push((option, "--per-query (here -q is --quiet)"));
                self.options.push("--per-query".to_owned());
            }
            'c' => self.foreign.push((option, "left out: means are over all judged queries")),
            'n' => self.foreign.push((option, "left out: the means are always printed")),
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
        format!("{} {}", names.join(", "), if names.len() == 1 { "is" } else { "are" })
    }

    fn explained(&self) -> String {
        let width = self.foreign.iter().map(|(option, _)| option.len()).max().unwrap_or_default();
        self.foreign.iter().map(|(option, here)| format!("\n  {option:width$}  {here}")).collect()
    }

    /// The command line.
    fn typed(&self, command: &str) -> String {
        let options = self.options.iter().map(String::as_str);
        let options = options.filter(|option| command == "eval" || *option != "--per-query");
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
                &["eval", "-M", "1000", "qrels", "run", "--format=json"],
                "rankgate eval qrels run --format=json",
            ),
        ] {
            let text = advised(typed).unwrap();
            assert_eq!(text.rsplit_once("\ntype: ").unwrap().1, meant, "{text}");
        }
        assert_eq!(
            advised(&["eval", "-q", "-l", "2", "qrels", "run"]).unwrap(),
            "`-q`, `-l` are trec_eval's:\n  -q    --per-query (here -q is --quiet)\n  -l 2  --relevant-from\ntype: rankgate \
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
