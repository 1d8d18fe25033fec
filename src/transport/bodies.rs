//! Whether what others answer is shown where it is no answer: not unless somebody asks for it.
//!
//! Services like to repeat what they were sent, keys included, in more encodings than anyone can list.

use std::sync::atomic::{AtomicU8, Ordering};

/// Asks for it under `cargo test`, where the command's option cannot be given. On a CI machine it is not heard.
const VARIABLE: &str = "RANKGATE_SHOW_BODIES";

/// Nobody has said anything: the variable does.
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
        BY_VARIABLE => {
            let variable = |name| std::env::var(name).unwrap_or_default();
            let ci = variable("CI");
            variable(VARIABLE) == "1" && matches!(ci.as_str(), "" | "0" | "false")
        }
        asked => asked == SHOWN,
    }
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
