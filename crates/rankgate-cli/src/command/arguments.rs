//! What the command line takes.

use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser};

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

    /// Show the bodies of refused answers of services, with secrets hidden
    #[arg(long, global = true, display_order = 902)]
    pub(crate) show_bodies: bool,

    /// The form of what goes to standard error
    #[arg(long, global = true, display_order = 903, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) message_format: MessageFormat,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands, as help lists them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Gates", &["init", "run", "bless", "lint", "report", "comment"]),
    ("Runs", &["eval", "compare", "explain", "power", "tune", "fuse"]),
    ("Data", &["fetch", "pool", "variants", "synthesize"]),
    ("Judges", &["judge"]),
    ("Over time", &["history", "push"]),
];

impl Arguments {
    /// Reads the command line; prints help, the version or an error and ends if there is nothing else to do.
    pub(crate) fn read() -> Self {
        let is_brief = std::env::args_os().any(|argument| argument == "-h");
        let matches = Self::grouped(is_brief).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// The command, whose help has the subcommands in groups; a brief one leaves out options with a heading, and examples.
    fn grouped(is_brief: bool) -> clap::Command {
        let mut command = Self::command();
        // A line or two for each option, which clap's long form spreads over four.
        let short = |command: clap::Command| {
            let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
            let help = help.help("Print help; --help has all options and examples").display_order(904);
            let command = command.disable_help_flag(true).arg(help);
            if !is_brief {
                return command;
            }
            let brief = command.mut_args(|one| {
                let is_special = one.get_help_heading().is_some_and(|heading| heading != "Gate");
                one.hide(is_special)
            });
            brief.after_help(None::<&str>)
        };
        let plain = command.get_subcommands().filter(|one| !one.has_subcommands());
        let names: Vec<String> = plain.map(|one| one.get_name().to_owned()).collect();
        for name in names {
            command = command.mut_subcommand(name, short);
        }
        let about = |name: &str| {
            command.find_subcommand(name).and_then(|one| one.get_about()).map(ToString::to_string)
        };
        let mut commands = String::new();
        for (title, names) in GROUPS {
            commands += &format!("\n{title}:\n");
            for name in names {
                commands += &format!("  {name:<11} {}\n", about(name).unwrap_or_default());
            }
        }
        command.help_template(format!(
            "{{about}}\n\n{{usage-heading}} {{usage}}\n{commands}\nOptions:\n{{options}}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn help_lists_each_command_in_a_group_and_a_line() {
        let command = Arguments::command();
        let shown: BTreeSet<&str> =
            command.get_subcommands().filter(|one| !one.is_hide_set()).map(clap::Command::get_name).collect();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), shown);
        assert_eq!(listed.len(), shown.len());
        let help = Arguments::grouped(false).render_help().to_string();
        assert!(help.lines().count() <= 50 && help.lines().all(|line| line.len() <= 100), "{help}");
        for (is_brief, most) in [(false, 90), (true, 50)] {
            for command in Arguments::grouped(is_brief).get_subcommands_mut() {
                let help = command.render_help().to_string();
                assert!(help.lines().count() <= most, "{help}");
            }
        }
    }

    /// Clap wraps what stands between two line breaks.
    #[test]
    fn prose_of_help_is_wrapped_once() {
        for command in Arguments::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines: Vec<&str> = help.lines().collect();
            let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ') && !line.ends_with(':');
            for pair in lines.windows(2) {
                let is_wrapped = is_prose(pair[0]) && is_prose(pair[1]) && pair[0].len() > 60;
                assert!(!is_wrapped, "{}: {}", command.get_name(), pair.join("\n"));
            }
        }
    }

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
                "Conventions: chunks documents exclude-identical-ids order parents parents-file relevant-from skip-queries-without-relevant skip-unanswered",
                "Gate: expect margin min-coverage",
                "Parquet: columns",
                "Score threshold: false-answer score-threshold write",
                "Statistics: confidence correction group-by power robustness seed test",
            ]
        );
    }
}
