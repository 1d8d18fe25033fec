//! `rankgate schema`: for editors that complete and check.

use clap::{Args, ValueEnum};
use rankgate::BoxError;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// Print the JSON Schema of a benchmark spec, a suite or a report
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate schema > rankgate.schema.json
  # then, in the first line of a spec:
  # yaml-language-server: $schema=../rankgate.schema.json

  rankgate schema --of report")]
pub(crate) struct Schema {
    /// What the schema describes
    #[arg(long, value_enum, default_value_t)]
    of: SchemaName,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum SchemaName {
    /// A benchmark spec
    #[default]
    Spec,
    /// A suite of several benchmarks
    Suite,
    /// A benchmark's report.json
    Report,
}

impl Schema {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        match self.of {
            SchemaName::Spec => terminal.json(rankgate::spec::SPEC_SCHEMA)?,
            SchemaName::Suite => terminal.json(rankgate::spec::SUITE_SCHEMA)?,
            SchemaName::Report => {
                let [(_, report)] = rankgate::report::SCHEMAS;
                terminal.json(report)?;
            }
        }
        Ok(Exit::Passed)
    }
}
