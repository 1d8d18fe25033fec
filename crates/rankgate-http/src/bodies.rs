//! Whether what others answer is shown where it is no answer: not unless somebody asks for it.
//!
//! Services like to repeat what they were sent, keys included, in more encodings than anyone can list.

use std::sync::OnceLock;

use crate::ci;

/// Asks for it under `cargo test`, where the command's option cannot be given. On a CI machine it is not heard.
const VARIABLE: &str = "RANKGATE_SHOW_BODIES";

/// What the command's option says; where there is no command the variable decides.
static TOLD: OnceLock<bool> = OnceLock::new();

/// Says for this process whether bodies of refused and failed answers are shown, as the command's option asks for it.
pub fn show_bodies(shown: bool) {
    TOLD.get_or_init(|| shown);
}

/// What would show them; `None` where they are shown.
pub(crate) fn shown_by() -> Option<&'static str> {
    match TOLD.get() {
        Some(true) => None,
        Some(false) => Some("`--show-bodies`"),
        None if is_asked(&|name| std::env::var(name).ok()) => None,
        None => Some("`RANKGATE_SHOW_BODIES=1`"),
    }
}

fn is_asked(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    variable(VARIABLE).as_deref() == Some("1") && ci::told_by(variable).is_none()
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
