//! Whether what others answer is shown where it is no answer: not unless somebody asks for it.
//!
//! Services like to repeat what they were sent, keys included, in more encodings than anyone can list.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::ci;

/// Asks for it under `cargo test`, where the command's option cannot be given. On a CI machine it is not heard.
const VARIABLE: &str = "RANKGATE_SHOW_BODIES";

/// Not set: the variable decides.
const BY_VARIABLE: u8 = 0;
const HIDDEN: u8 = 1;
const SHOWN: u8 = 2;

static ASKED: AtomicU8 = AtomicU8::new(BY_VARIABLE);

/// Says for this process whether bodies of refused and failed answers are shown, as the command's option asks for it.
pub fn show_bodies(shown: bool) {
    ASKED.store(if shown { SHOWN } else { HIDDEN }, Ordering::Relaxed);
}

/// Whether they are shown.
pub(crate) fn are_shown() -> bool {
    match ASKED.load(Ordering::Relaxed) {
        BY_VARIABLE => is_asked(&|name| std::env::var(name).ok()),
        asked => asked == SHOWN,
    }
}

fn is_asked(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable(VARIABLE).as_deref() == Some("1") && !ci::is_told_by(variable)
}

/// What shows them.
pub(crate) fn shown_by() -> &'static str {
    match ASKED.load(Ordering::Relaxed) {
        BY_VARIABLE => "`RANKGATE_SHOW_BODIES=1`",
        _ => "`--show-bodies`",
    }
}

/// So many bytes of an answer, and how to see them: `13 bytes that ... shows`.
pub(crate) fn withheld(bytes: usize, more: bool) -> String {
    let beyond = if more { "more than " } else { "" };
    let unit = if bytes == 1 { "byte" } else { "bytes" };
    format!("{beyond}{bytes} {unit} that {} shows", shown_by())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_ci_machine_hears_the_variable_whether_or_not_it_sets_ci() {
        let asked = |variables: &[(&str, &str)]| {
            is_asked(&|name| {
                variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(asked(&[(VARIABLE, "1")]) && asked(&[(VARIABLE, "1"), ("CI", "false")]));
        assert!(!asked(&[]) && !asked(&[(VARIABLE, "0")]));
        for ci in [
            ("CI", "true"),
            ("CODEBUILD_BUILD_ID", "a:b"),
            ("TF_BUILD", "True"),
            ("JENKINS_URL", "https://ci"),
        ] {
            assert!(!asked(&[(VARIABLE, "1"), ci]), "{ci:?}");
        }
    }
}
