//! `rankgate schema`: for editors that complete and check.

use clap::{Args, ValueEnum};
use rankgate::BoxError;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// Print the JSON Schema of a benchmark spec, or of what a command writes as JSON
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate schema > rankgate.schema.json
  # then, in the first line of a spec:
  # yaml-language-server: $schema=../rankgate.schema.json

  rankgate schema --of eval      # of `rankgate eval --format json`")]
pub(crate) struct Schema {
    /// What it describes
    #[arg(long, value_enum, default_value_t)]
    of: SchemaName,
}

/// What has a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SchemaName {
    /// A benchmark spec
    #[default]
    Spec,
    /// A suite of several benchmarks
    Suite,
    /// The scores of one run, as eval writes them (several runs: an array of them)
    Eval,
    /// Comparisons, as compare writes them
    Compare,
    /// One query, as explain writes it
    Explain,
    /// Floors, as floor writes them
    Floor,
    /// What happened over commits, as history writes it
    History,
    /// The report on a judge, as judge --check writes it
    JudgeCheck,
    /// A plan, as power writes it
    Power,
    /// A plan for several collections, as power --suite writes it
    PowerSuite,
    /// A benchmark's report.json
    Report,
    /// Sweeps, as tune writes them
    Tune,
}

impl Schema {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let name = match self.of {
            SchemaName::Spec => {
                terminal.json(&format!("{:#}\n", rankgate::spec::json_schema()))?;
                return Ok(Exit::Passed);
            }
            SchemaName::Suite => {
                terminal.json(&format!("{:#}\n", rankgate::spec::suite_schema()))?;
                return Ok(Exit::Passed);
            }
            SchemaName::Eval => "eval",
            SchemaName::Compare => "compare",
            SchemaName::Explain => "explain",
            SchemaName::Floor => "floor",
            SchemaName::History => "history",
            SchemaName::JudgeCheck => "judge-check",
            SchemaName::Power => "power",
            SchemaName::PowerSuite => "power-suite",
            SchemaName::Report => "report",
            SchemaName::Tune => "tune",
        };
        let files = [
            &rankgate_offline::SCHEMAS[..],
            &rankgate_history::SCHEMAS,
            &rankgate_judge::SCHEMAS,
            &rankgate_health::SCHEMAS,
            &rankgate::report::SCHEMAS,
        ];
        let (_, schema) = (files.into_iter().flatten())
            .find(|(known, _)| *known == name)
            .ok_or("this schema does not ship with the command")?;
        terminal.json(schema)?;
        Ok(Exit::Passed)
    }
}
