//! The file of blessed answers. Its head says whose they are and with which golden run they were blessed, so that an
//! edited or copied file, and half a blessing, are no baseline.

use std::path::Path;

use crate::error::Quoted;
use crate::judge::sha256;
use crate::rag::Answers;
use crate::{Error, Result};

/// How the file begins; then the version.
const TITLE: &str = "# rankgate golden answers, version ";
/// The version that is written and read. The first one did not say whose its answers were.
const VERSION: &str = "2";
/// The line that covers all others.
const DIGEST: &str = "# digest: ";
/// How every fault of such a file is mended.
const MEND: &str = "restore it (`git checkout -- FILE`), or bless again";

/// Answers that were blessed, and what binds them to their place.
#[derive(Debug, PartialEq)]
pub(super) struct BlessedAnswers {
    pub(super) benchmark: String,
    pub(super) configuration: String,
    /// The SHA-256 of the prompt that they were made with, `-` without one.
    pub(super) prompt: String,
    /// The fingerprint of the golden run that was blessed with them.
    pub(super) rankings: String,
    pub(super) answers: Answers,
}

impl BlessedAnswers {
    /// The file as it is blessed.
    pub(super) fn text(&self) -> String {
        let Self { benchmark, configuration, prompt, rankings, answers } = self;
        let head = format!(
            "{TITLE}{VERSION}\n# benchmark: {benchmark}\n# configuration: {configuration}\n# prompt: {prompt}\n\
             # rankings: {rankings}\n"
        );
        let lines = answers.text();
        let digest = digest(head.lines().chain(lines.lines()));
        format!("{head}{DIGEST}{digest}\n{lines}")
    }

    /// Reads a file's text; `path` is its name in errors.
    ///
    /// # Errors
    /// What is no file of blessed answers, another version, a digest that is not that of the lines.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self> {
        let fault = |what: String| Error::in_file(path, what);
        let title = text.lines().next().unwrap_or_default();
        let version = title.strip_prefix(TITLE).map(str::trim_end).ok_or_else(|| {
            let begins = format!("its first line is not `{TITLE}{VERSION}`");
            fault(format!("no blessed answers: {begins}; {MEND}"))
        })?;
        if version != VERSION {
            let version = Quoted(version.split(',').next().unwrap_or_default()).to_string();
            return Err(fault(format!(
                "golden answers of version {version}, and this reads {VERSION}, whose head says whose they are; bless again"
            )));
        }
        let head = text.lines().take_while(|line| line.starts_with('#')).count();
        let field = |name: &str| {
            let value = |line: &str| {
                line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix(": ").map(str::to_owned)
            };
            let missing = || fault(format!("its head has no line `# {name}: ...`; {MEND}"));
            text.lines().take(head).find_map(value).ok_or_else(missing)
        };
        let (written, found) =
            (field("digest")?, digest(text.lines().filter(|line| !line.starts_with(DIGEST))));
        if written.trim_end() != found {
            return Err(fault(format!(
                "its digest is {}, and its lines have {found}: it was edited, cut or merged; {MEND}",
                Quoted(written.trim_end())
            )));
        }
        // Empty lines in place of the head: errors count lines from the beginning of the file.
        let lines = text.lines().enumerate().map(|(at, line)| if at < head { "" } else { line });
        let answers = Answers::parse(&path.display().to_string(), &lines.collect::<Vec<_>>().join("\n"))?;
        Ok(Self {
            benchmark: field("benchmark")?,
            configuration: field("configuration")?,
            prompt: field("prompt")?,
            rankings: field("rankings")?,
            answers,
        })
    }

    /// Refuses answers that were not blessed here: of another benchmark, of another configuration of the spec, or with
    /// another golden run than stands beside them, whose fingerprint is `rankings`.
    ///
    /// # Errors
    /// The same, with what to do.
    pub(super) fn check(
        &self,
        path: &Path,
        (benchmark, configuration): (&str, &str),
        is_of_spec: impl Fn(&str) -> bool,
        rankings: Option<&str>,
    ) -> Result<()> {
        let of = Quoted(&self.configuration);
        let why = if self.benchmark != benchmark {
            let of = Quoted(&self.benchmark);
            format!("answers that were blessed in the benchmark {of}, and this is {}", Quoted(benchmark))
        } else if self.configuration != configuration && is_of_spec(&self.configuration) {
            // One that was renamed keeps what was blessed of it.
            format!(
                "the blessed answers of {of}, which the spec has too: they were put here by a copy or a merge"
            )
        } else {
            match rankings {
                Some(rankings) if rankings == self.rankings => return Ok(()),
                Some(_) => "answers that were blessed with another golden run than the one beside them: one of the two files \
                            was replaced alone, or a blessing was stopped between them"
                    .to_owned(),
                None => "blessed answers without the golden run that was blessed with them".to_owned(),
            }
        };
        Err(Error::in_file(path, format!("{why}; restore both files (`git checkout`), or bless again")))
    }
}

/// Of these lines, however they end.
fn digest<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    sha256(lines.flat_map(|line| [line, "\n"]).collect::<String>().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rag::Answer;

    fn blessed() -> BlessedAnswers {
        let answers = ["q1", "q2"].map(|query| (query.to_owned(), Answer::new("Five days.").declined()));
        BlessedAnswers {
            benchmark: "toy".into(),
            configuration: "good".into(),
            prompt: "-".into(),
            rankings: "abc".into(),
            answers: answers.into_iter().collect(),
        }
    }

    fn parse(text: &str) -> Result<BlessedAnswers> {
        BlessedAnswers::parse(Path::new("good.answers.jsonl"), text)
    }

    #[test]
    fn blessed_answers_come_back_whatever_their_lines_end_with() {
        let text = blessed().text();
        assert_eq!(parse(&text).unwrap(), blessed());
        assert_eq!(parse(&text.replace('\n', "\r\n")).unwrap(), blessed());
        assert_eq!(text.lines().count(), 6 + 2);
    }

    #[test]
    fn what_was_changed_since_is_an_error_with_what_to_do() {
        let text = blessed().text();
        let cut = text.lines().take(7).collect::<Vec<_>>().join("\n");
        let edits = [
            text.replace("Five days.", "Six days."),
            text.replace("configuration: good", "configuration: best"),
            text.replacen("\"declined\":true,", "", 1),
            cut,
            format!("{text}{{\"answer\":\"x\",\"query\":\"q3\"}}\n"),
        ];
        for edited in edits {
            let error = parse(&edited).unwrap_err().to_string();
            assert!(error.starts_with("good.answers.jsonl: its digest is `"), "{error}");
            assert!(error.contains("edited, cut or merged") && error.ends_with("or bless again"), "{error}");
        }
        for (text, why) in [
            ("", "no blessed answers: its first line is not `# rankgate golden answers, version 2`"),
            (
                "# rankgate golden answers, version 1, prompt -\n",
                "golden answers of version `1`, and this reads 2",
            ),
            ("# rankgate golden answers, version 2\n", "its head has no line `# digest: ...`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(why) && error.ends_with("bless again"), "{error}");
        }
    }

    #[test]
    fn answers_count_where_they_were_blessed_and_nowhere_else() {
        let check = |place: (&str, &str), rankings: Option<&str>| {
            let is_of_spec = |name: &str| ["good", "bad"].contains(&name);
            blessed().check(Path::new("x.answers.jsonl"), place, is_of_spec, rankings)
        };
        check(("toy", "good"), Some("abc")).unwrap();
        for (place, rankings, why) in [
            (("other", "good"), Some("abc"), "blessed in the benchmark `toy`, and this is `other`"),
            (("toy", "bad"), Some("abc"), "the blessed answers of `good`, which the spec has too"),
            (("toy", "good"), Some("abd"), "with another golden run than the one beside them"),
            (("toy", "good"), None, "without the golden run"),
        ] {
            let error = check(place, rankings).unwrap_err().to_string();
            assert!(error.starts_with("x.answers.jsonl: ") && error.contains(why), "{error}");
            assert!(error.ends_with("restore both files (`git checkout`), or bless again"), "{error}");
        }
        // A configuration that was renamed keeps its answers.
        let renamed = BlessedAnswers { configuration: "former".into(), ..blessed() };
        renamed.check(Path::new("x"), ("toy", "good"), |name| name == "good", Some("abc")).unwrap();
    }
}
