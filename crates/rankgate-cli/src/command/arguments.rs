//! What the command line takes.

use clap::Parser;

use super::Command;
use crate::terminal::MessageFormat;

/// Retrieval quality as a gate: scores, paired significance tests, and what moved.
#[derive(Parser)]
#[command(name = "rankgate", version, max_term_width = 100, propagate_version = true)]
pub(crate) struct Arguments {
    /// Print results and errors only: no progress, no remarks
    #[arg(long, short, global = true, display_order = 900)]
    pub(crate) quiet: bool,

    /// Never colour the output; the variable NO_COLOR does the same
    #[arg(long, global = true, display_order = 901)]
    pub(crate) no_color: bool,

    /// Show what services answered where that is refused or no answer, with secrets hidden as far as they are known
    #[arg(long, global = true, display_order = 902)]
    pub(crate) show_bodies: bool,

    /// The form of what goes to standard error
    #[arg(long, global = true, display_order = 903, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) message_format: MessageFormat,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn under_a_heading_stands_what_belongs_there() {
        let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for command in Arguments::command().get_subcommands() {
            for option in command.get_arguments() {
                if let (Some(heading), Some(long)) = (option.get_help_heading(), option.get_long()) {
                    told.entry(heading.to_owned()).or_default().insert(long.to_owned());
                }
            }
        }
        let told: Vec<String> = told
            .iter()
            .map(|(heading, options)| format!("{heading}: {}", Vec::from_iter(options.clone()).join(" ")))
            .collect();
        assert_eq!(
            told,
            [
                "Conventions: chunks documents exclude-identical-ids keep order relevant-from skip-unanswered skip-unjudgeable units units-file",
                "Gate: evidence expect judged-queries list-depth margin min-gain tolerance",
                "Parquet: columns",
                "Statistics: cluster confidence correction drop guarantee power resamples seed test",
            ]
        );
    }
}
