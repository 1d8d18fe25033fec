//! Colour on lines that are laid out already: it takes no room, and no text depends on it.
//!
//! Whatever a colour says, a word or a sign beside it says too.

use crate::benchmark::model::Verdict;

use super::message::word;

/// How text is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// As it is: for files, pipes, and whoever sets `NO_COLOR`.
    #[default]
    Plain,
    /// With ANSI escape codes: headings bold, gains green, losses red, verdicts in the colour of what
    /// they mean.
    Colour,
}

/// What the lines of a section are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The benchmark and its verdicts.
    Title,
    /// Warnings of the report.
    Warnings,
    /// Sentences, and tables without a heading.
    Prose,
    /// Sentences that say a difference.
    Finding,
    /// A heading and what stands below it.
    Table,
    /// A heading that may take several lines, and rows that end with a verdict.
    Comparisons,
    /// A heading, and rows that begin with a verdict.
    Gates,
    /// The message of a gate.
    Message,
}

const BOLD: &str = "1";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

fn colour(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "1;32",
        Verdict::Failed | Verdict::Errored => "1;31",
        Verdict::Inconclusive | Verdict::Advisory | Verdict::Reported => "1;33",
    }
}

fn in_code(code: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\u{1b}[{code}m{text}\u{1b}[0m") }
}

impl Style {
    /// The lines of a section, painted.
    pub(super) fn paint(self, part: Part, lines: Vec<String>) -> Vec<String> {
        if self == Self::Plain {
            return lines;
        }
        // A heading ends where its table begins, whose first line is indented or a row.
        let heading = match part {
            Part::Comparisons => lines.iter().take_while(|line| !line.starts_with(' ')).count(),
            _ => 1,
        };
        let total = lines.len();
        let line = |(index, line): (usize, String)| match part {
            // A sentence in the place of a table.
            Part::Table if total == 1 => line,
            Part::Title | Part::Message | Part::Table | Part::Comparisons | Part::Gates
                if index < heading =>
            {
                if part == Part::Title {
                    title(&line)
                } else {
                    in_code(BOLD, &line)
                }
            }
            Part::Title => line,
            Part::Warnings | Part::Prose => lead(&line),
            Part::Finding => moved(&line, 1),
            Part::Table if line.starts_with("  from golden") => moved(&line, usize::MAX),
            Part::Table => line,
            Part::Comparisons => verdict_last(&line),
            Part::Gates => verdict_first(&line),
            Part::Message => message(&line),
        };
        lines.into_iter().enumerate().map(line).collect()
    }

    /// A line that begins with a benchmark's name and what came of it.
    pub(super) fn paint_title(self, line: String) -> String {
        match self {
            Self::Plain => line,
            Self::Colour => title(&line),
        }
    }
}

/// `helpdesk: 2 passed, 1 failed (...); ...`
fn title(line: &str) -> String {
    let Some((name, rest)) = line.split_once(": ") else { return in_code(BOLD, line) };
    let end = rest.find([';', '(']).unwrap_or(rest.len());
    let (counts, rest) = rest.split_at(end);
    let painted: Vec<String> = counts
        .split(", ")
        .map(|count| {
            let said = count.trim_end();
            let verdict =
                Verdict::ALL.into_iter().find(|&verdict| said.ends_with(&word(verdict).to_lowercase()));
            match verdict {
                Some(verdict) => format!("{}{}", in_code(colour(verdict), said), &count[said.len()..]),
                None => count.to_owned(),
            }
        })
        .collect();
    format!("{}: {}{rest}", in_code(BOLD, name), painted.join(", "))
}

/// `warning: ...`, `mine: ERRORED, ...`
fn lead(line: &str) -> String {
    if let Some(rest) = line.strip_prefix("warning:") {
        return format!("{}{rest}", in_code(YELLOW, "warning:"));
    }
    let errored = format!(": {},", word(Verdict::Errored));
    match line.split_once(&errored) {
        Some((name, rest)) => {
            format!("{name}: {},{rest}", in_code(colour(Verdict::Errored), word(Verdict::Errored)))
        }
        None => line.to_owned(),
    }
}

fn verdict_first(line: &str) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    for verdict in Verdict::ALL {
        if indent == 2
            && let Some(rest) = text.strip_prefix(word(verdict))
        {
            return format!("  {}{}", in_code(colour(verdict), word(verdict)), moved(rest, 1));
        }
    }
    line.to_owned()
}

fn verdict_last(line: &str) -> String {
    for verdict in Verdict::ALL {
        if let Some(rest) = line.strip_suffix(word(verdict)).filter(|rest| rest.ends_with(' ')) {
            return format!("{}{}", moved(rest, 1), in_code(colour(verdict), word(verdict)));
        }
    }
    line.to_owned()
}

/// A line of a message behind its first.
fn message(line: &str) -> String {
    let text = line.trim_start();
    // The difference of a snapshot.
    if line.starts_with("    + ") || line.starts_with("    - ") {
        let code = if text.starts_with('+') { GREEN } else { RED };
        return format!("    {}", in_code(code, text));
    }
    for lead in ["warning:", "caution:"] {
        if let Some(rest) = text.strip_prefix(lead) {
            return format!("{}{}{rest}", &line[..line.len() - text.len()], in_code(YELLOW, lead));
        }
    }
    for verdict in Verdict::ALL {
        // Only where a message puts it: before what it means.
        let Some(at) = line.find(&format!("{}:", word(verdict))) else { continue };
        if line[..at].trim().is_empty() || line[..at].ends_with("  ") {
            let (before, rest) = line.split_at(at);
            let painted = in_code(colour(verdict), word(verdict));
            return format!("{before}{painted}{}", &rest[word(verdict).len()..]);
        }
    }
    // A limit has a sign as well, and has not moved.
    if ["margin", "tolerance", "minimum", "maximum"].iter().any(|limit| text.starts_with(limit)) {
        return line.to_owned();
    }
    from_to(line).unwrap_or_else(|| moved(line, 1))
}

/// `1.000 -> 0.387`: the second number tells which way.
fn from_to(line: &str) -> Option<String> {
    let (before, after) = line.split_once(" -> ")?;
    let score = |text: &str| text.contains('.').then(|| text.parse::<f64>().ok()).flatten();
    let from = score(before.rsplit(' ').next()?)?;
    let end = after.find(' ').unwrap_or(after.len());
    let to = score(&after[..end])?;
    let code = if to < from { RED } else { GREEN };
    Some(format!("{before} -> {}{}", in_code(code, &after[..end]), &after[end..]))
}

/// Colours signed decimals that stand alone, the first few of them.
fn moved(line: &str, mut most: usize) -> String {
    let mut painted = String::with_capacity(line.len());
    for piece in line.split_inclusive(' ') {
        let token = piece.trim_end();
        match way(token) {
            Some(code) if most > 0 => {
                most -= 1;
                painted += &in_code(code, token);
                painted += &piece[token.len()..];
            }
            _ => painted += piece,
        }
    }
    painted
}

/// Green for a gain, red for a loss; `None` for anything else, a zero included.
fn way(token: &str) -> Option<&'static str> {
    let code = match token.chars().next()? {
        '+' => GREEN,
        '-' => RED,
        _ => return None,
    };
    let digits = &token[1..];
    let decimal = digits.contains('.') && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (decimal && digits.bytes().any(|byte| (b'1'..=b'9').contains(&byte))).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes as a reader of the test sees them.
    fn shown(part: Part, lines: &[&str]) -> Vec<String> {
        let lines = Style::Colour.paint(part, lines.iter().map(|&line| line.to_owned()).collect());
        let name = |line: String| {
            [
                ("1;31", "R!"),
                ("1;32", "G!"),
                ("1;33", "Y!"),
                ("31", "r"),
                ("32", "g"),
                ("33", "y"),
                ("1", "b"),
            ]
            .iter()
            .fold(line, |line, (code, name)| line.replace(&format!("\u{1b}[{code}m"), &format!("<{name}>")))
            .replace("\u{1b}[0m", "</>")
        };
        lines.into_iter().map(name).collect()
    }

    #[test]
    fn verdicts_gains_and_losses_are_coloured_where_they_stand() {
        for (part, line, expected) in [
            (Part::Title, "x: 2 passed, 1 failed", "<b>x</>: <G!>2 passed</>, <R!>1 failed</>"),
            (
                Part::Title,
                "x: 1 advisory (a 0.5); 1 warning",
                "<b>x</>: <Y!>1 advisory</> (a 0.5); 1 warning",
            ),
            (Part::Warnings, "warning: odd", "<y>warning:</> odd"),
            (Part::Prose, "mine: ERRORED, not measured", "mine: <R!>ERRORED</>, not measured"),
            (Part::Message, "x: a is below", "<b>x: a is below</>"),
        ] {
            assert_eq!(shown(part, &[line]), [expected]);
        }
        for (part, line, expected) in [
            (
                Part::Table,
                "  from golden   -0.2000   +0.0012",
                "  from golden   <r>-0.2000</>   <g>+0.0012</>",
            ),
            (Part::Table, "  from golden   +0.0000", "  from golden   +0.0000"),
            (Part::Gates, "  FAILED  a::b  -0.0328", "  <R!>FAILED</>  a::b  <r>-0.0328</>"),
            (Part::Gates, "                +0.5", "                +0.5"),
            (
                Part::Message,
                "  bm25  0.6984  -0.0328  95% CI [-0.1, -0.2]",
                "  bm25  0.6984  <r>-0.0328</>  95% CI [-0.1, -0.2]",
            ),
            (Part::Message, "  margin          -0.0200", "  margin          -0.0200"),
            (Part::Message, "  FAILED: a drop is shown", "  <R!>FAILED</>: a drop is shown"),
            (Part::Message, "  minimum  0.9  FAILED: below", "  minimum  0.9  <R!>FAILED</>: below"),
            (
                Part::Message,
                "    q1  text  1.000 -> 0.387   d rank 1 -> 6",
                "    q1  text  1.000 -> <r>0.387</>   d rank 1 -> 6",
            ),
            (Part::Message, "    q1  text  0.100 -> 0.387", "    q1  text  0.100 -> <g>0.387</>"),
            (Part::Message, "        d (grade 3) rank 1 -> 6", "        d (grade 3) rank 1 -> 6"),
            (Part::Message, "  it FAILED: yesterday", "  it FAILED: yesterday"),
            (Part::Message, "    - AP  0.5", "    <r>- AP  0.5</>"),
            (Part::Message, "  caution: few", "  <y>caution:</> few"),
        ] {
            assert_eq!(shown(part, &["heading", line])[1], expected);
        }
    }

    #[test]
    fn the_heading_of_comparisons_may_take_two_lines() {
        let lines = ["comparisons,", "adjusted", "     difference  p", "a vs b", "  AP  +0.1  0.2  PASSED"];
        assert_eq!(
            shown(Part::Comparisons, &lines),
            [
                "<b>comparisons,</>",
                "<b>adjusted</>",
                "     difference  p",
                "a vs b",
                "  AP  <g>+0.1</>  0.2  <G!>PASSED</>"
            ]
        );
    }

    #[test]
    fn plain_is_plain() {
        let lines = vec!["x: 1 failed".to_owned()];
        assert_eq!(Style::Plain.paint(Part::Title, lines.clone()), lines);
    }
}
