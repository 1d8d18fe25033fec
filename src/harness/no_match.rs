//! Why a command line selects no gate, and what was meant by it.

use std::collections::BTreeSet;

use crate::words::counted;
use crate::yaml::nearest;

use super::arguments::Arguments;

/// Why none of these gates was run; `command` runs all of them.
pub(super) fn explain(gates: &[&str], arguments: &Arguments, command: &str) -> Option<String> {
    let is_said = !arguments.is_quiet() && !gates.is_empty();
    let why = (is_said && !gates.iter().any(|name| arguments.selects(name)))
        .then(|| why(gates, arguments, command));
    why.map(|why| format!("note: no gate was run: {why}"))
}

fn why(gates: &[&str], arguments: &Arguments, command: &str) -> String {
    let parts: BTreeSet<&str> = gates.iter().copied().flat_map(parts).collect();
    let near = |filter| Some((filter, nearest(filter, parts.iter().copied())?));
    match arguments.filter().and_then(near) {
        Some((filter, near)) => format!("no gate has `{filter}` in its name; did you mean `{near}`?"),
        None => format!(
            "`{}` selects none of {}; `{command} -- --list` shows them",
            arguments.selection(),
            counted(gates.len(), "gate", "gates")
        ),
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

    fn said(words: &str) -> Option<String> {
        let gates = ["toy::words::nDCG@3", "toy::words::RR@3[category=money]", "more::words-vs-old::nDCG@3"];
        let arguments = Arguments::read(words);
        let text = explain(&gates, &arguments, "cargo test --test its-retrieval")?;
        Some(text.strip_prefix("note: no gate was run: ").unwrap().to_owned())
    }

    #[test]
    fn what_was_meant_is_said() {
        let none = |selection| {
            format!(
                "`{selection}` selects none of 3 gates; `cargo test --test its-retrieval -- --list` shows them"
            )
        };
        for (words, expected) in [
            ("ndcg", "no gate has `ndcg` in its name; did you mean `nDCG@3`?".to_owned()),
            ("toy::wrds", "no gate has `toy::wrds` in its name; did you mean `toy::words`?".into()),
            ("parser", none("parser")),
            ("--ignored", none("--ignored")),
        ] {
            assert_eq!(said(words), Some(expected), "{words}");
        }
    }

    #[test]
    fn nothing_is_said_where_gates_are_selected_or_results_alone_are_wanted() {
        for words in ["", "toy", "--skip toy", "-q parser"] {
            assert_eq!(said(words), None, "{words}");
        }
    }
}
