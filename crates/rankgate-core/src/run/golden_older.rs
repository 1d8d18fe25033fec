//! Golden runs of versions 2 to 5, whose digest covers what they say: the values in the head, and the rankings in the
//! order of their queries.
//!
//! Such a file is read whole before anything of it is handed over. What is written today is read line by line.

use std::collections::BTreeMap;

use crate::content_hash::Content;
use crate::error::Quoted;
use crate::input::{Input, Source};
use crate::order;
use crate::places::Places;
use crate::run::answer::{Answer, TOO_LONG, TooLong};
use crate::run::golden_digest::{changed, check};
use crate::run::golden_form::{TIMES, value};
use crate::run::reader::{Contents, RunReader};
use crate::run::{Hit, Order, Ranking, golden_lines, trec};
use crate::{Error, Result};

/// The values that the digest covers, in its order; the last five stand where there is something to say.
const HEAD: [&str; 12] = [
    "configuration",
    "depth",
    "parameters",
    "queries",
    "judgments",
    "corpus",
    "unanswered",
    "judgeable",
    "absent",
    "identical-ids",
    "asked-anew",
    TIMES,
];

/// More rankings of a query are a mistake, or an attack.
const MOST: usize = 1000;

/// The rankings of all queries, one time that they were asked.
type Rankings<'a> = Vec<(&'a str, &'a [Hit])>;

pub(super) fn read<T, F>(
    reader: &RunReader,
    source: &Source<'_>,
    input: Input<'_>,
    judge: &F,
) -> Result<Contents<T>>
where
    F: Fn(&str, &Ranking<'_>) -> Result<T>,
{
    let path = source.path();
    let has_scores = reader.form.is_some_and(|form| !form.ranking_a_line);
    let all =
        RunReader { encoded_ids: true, order: reader.order, form: reader.form, ..RunReader::new().by_tag() };
    let hits = |_: &str, ranking: &Ranking<'_>| Ok(ranking.hits().map(Hit::from).collect::<Vec<_>>());
    let Contents { rankings: all_rankings, comments, mut tag, .. } = match has_scores {
        true => trec::read(&all, source, input, &hits)?,
        false => golden_lines::read(&all, input, &hits)?,
    };
    if value(&comments, "asked").is_none() {
        return Err(changed(path, "its head has no line `# asked: ...`"));
    }
    let tags = if reader.several() { tags(&comments) } else { Vec::new() };
    let times = match reader.several() {
        true => by_tag(&all_rankings, &tags).map_err(|tag| {
            changed(path, &format!("{} is none of the {} rankings of a query", Quoted(tag), tags.len()))
        })?,
        false => vec![all_rankings.iter().map(|(query, hits)| (query.as_str(), hits.as_slice())).collect()],
    };
    check(path, &comments, all.count_queries(&all_rankings), &digest(&comments, &times, has_scores))?;
    let mut rankings = BTreeMap::new();
    let mut answer = Answer::excluding(reader.excluding).lenient(reader.lenient);
    let mut seen = Places::default();
    for (place, time) in times.into_iter().enumerate() {
        let own = tags.get(place);
        if own.is_some_and(|own| !reader.takes(own)) {
            continue;
        }
        if let Some(own) = own.filter(|_| has_scores && reader.repeat.is_some()) {
            tag.clone_from(own);
        }
        for (query, hits) in time {
            answer.clear();
            for (rank, hit) in (1..).zip(hits) {
                let pushed = answer.push(&hit.id, hit.score, rank, 0);
                pushed.map_err(|TooLong| Error::in_file(path, TOO_LONG))?;
            }
            let query = match own.filter(|_| reader.by_tag) {
                Some(own) => format!("{own} {query}"),
                None => query.to_owned(),
            };
            let judged = judge(&query, &answer.ranking(Order::Rank, &query, path, &mut seen)?)?;
            rankings.insert(query, judged);
        }
    }
    Ok(Contents::new(order::map(rankings), Some(tag), comments))
}

/// How the lines of each time begin, in the order of these times.
fn tags(head: &[String]) -> Vec<String> {
    let anew = if value(head, "asked-anew") == Some("build") { "build" } else { "repeat" };
    let times = value(head, TIMES).and_then(|times| times.parse().ok()).unwrap_or(0);
    (1..=MOST.min(times)).map(|time| format!("{anew}-{time}")).collect()
}

/// The rankings of each time; the error is a tag that is none of these.
fn by_tag<'a>(
    all: &'a BTreeMap<String, Vec<Hit>>,
    tags: &[String],
) -> std::result::Result<Vec<Rankings<'a>>, &'a str> {
    let mut times: Vec<Rankings<'_>> = vec![Vec::new(); tags.len()];
    for (key, hits) in all {
        let (tag, query) = key.split_once(' ').unwrap_or_default();
        match tags.iter().position(|known| known == tag) {
            Some(time) => times[time].push((query, hits)),
            None => return Err(tag),
        }
    }
    Ok(times)
}

/// What versions 2 to 5 have as their digest: scores count where there are any, else which documents tie.
fn digest(head: &[String], times: &[Rankings<'_>], has_scores: bool) -> String {
    let mut content = Content::new("golden run");
    for name in HEAD {
        // Files without such queries are written without the line.
        if let Some(value) = value(head, name).filter(|value| name != "absent" || !value.is_empty()) {
            content.text(value);
        }
    }
    for rankings in times {
        content.count(rankings.len());
        for (query, hits) in rankings {
            content.text(query);
            content.count(hits.len());
            let mut before = f64::NAN;
            for hit in *hits {
                content.text(&hit.id);
                match has_scores {
                    true => content.score(hit.score),
                    false => content.count(usize::from(hit.score == before)),
                }
                before = hit.score;
            }
        }
    }
    content.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that the program wrote when it wrote these versions: queries of which `q3` has no answer, and in versions 3
    /// and 5 two repeats, of which the second answers `q2` the other way around and without ties.
    const FILES: [&str; 4] = [
        include_str!("../../tests/golden/version-2.run"),
        include_str!("../../tests/golden/version-3.run"),
        include_str!("../../tests/golden/version-4.run"),
        include_str!("../../tests/golden/version-5.run"),
    ];

    fn ids(reader: &RunReader, text: &str, query: &str) -> Vec<String> {
        let run = reader.parse("old.run", text.as_bytes()).unwrap();
        run.ranking(query).unwrap().iter().map(|hit| hit.id.clone()).collect()
    }

    fn error(text: &str) -> String {
        RunReader::new().repeat(1).parse("old.run", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn files_of_every_version_are_read() {
        for text in FILES {
            let first = RunReader::new().repeat(1);
            assert_eq!(ids(&first, text, "q 1"), ["d1", "d=2", "d3"]);
            assert_eq!(ids(&first, text, "q2"), ["d3", "d1"]);
            assert_eq!(ids(&first.clone().depth(1), text, "q2"), ["d3"]);
            let (head, rankings): (Vec<&str>, Vec<&str>) =
                text.lines().partition(|line| line.starts_with('#'));
            let turned: Vec<&str> = head.into_iter().chain(rankings.into_iter().rev()).collect();
            assert_eq!(ids(&first, &turned.join("\r\n"), "q2"), ["d3", "d1"], "the order of lines is free");
            if text.contains("# times: ") {
                assert_eq!(ids(&RunReader::new().repeat(2), text, "q2"), ["d1", "d3"]);
                let all = RunReader::new().by_tag().parse("old.run", text.as_bytes()).unwrap();
                assert_eq!(
                    Vec::from_iter(all.queries()),
                    ["repeat-1 q 1", "repeat-1 q2", "repeat-2 q 1", "repeat-2 q2"]
                );
            }
        }
    }

    #[test]
    fn conventions_of_the_reader_hold() {
        let text = FILES[2].replace("q2 d3 d1", "q2 d3 d1 q2");
        let changed = error(&text);
        let digest = changed.rsplit('`').nth(3).unwrap();
        let (before, after) = text.split_once("# digest: ").unwrap();
        let text = format!("{before}# digest: {digest}{}", &after[64..]);
        assert_eq!(ids(&RunReader::new(), &text, "q2"), ["d3", "d1", "q2"]);
        assert_eq!(ids(&RunReader::new().exclude_identical_ids(true), &text, "q2"), ["d3", "d1"]);
    }

    #[test]
    fn a_file_that_says_something_else_is_an_error() {
        for text in FILES {
            for line in text.lines().filter(|line| !line.starts_with("# rankgate")) {
                let without = error(&text.replacen(&format!("{line}\n"), "", 1));
                assert!(without.contains("changed since it was written"), "{line}: {without}");
                let Some((name, value)) = line.split_once(": ") else { continue };
                let other = text.replacen(line, &format!("{name}: 1{value}"), 1);
                assert!(error(&other).starts_with("old.run: changed since it was written"), "{line}");
            }
        }
        for (text, old, new) in [
            (FILES[0], "q2 Q0 d3 1 3.5", "q2 Q0 d3 1 3.25"),
            (FILES[1], "q2 Q0 d1 2 0.25 repeat-1", "q2 Q0 d1 2 0.25 repeat-2"),
            (FILES[2], "q2 d3 d1", "q2 d1 d3"),
            (FILES[2], "q%201 d1 =d=2", "q%201 d1 d=2"),
            (FILES[3], "repeat-2 q2 d1 d3", "repeat-1 q2 d1 d3"),
        ] {
            assert!(text.contains(old), "{old}");
            error(&text.replacen(old, new, 1));
        }
        for row in ["repeat-3 q2 d1\n", "build-1 q2 d1\n", "golden q2 d1\n"] {
            let message =
                format!("`{}` is none of the 2 rankings of a query", row.split(' ').next().unwrap());
            let error = error(&format!("{}{row}", FILES[3]));
            assert!(error.contains(&message), "{error}");
        }
    }
}
