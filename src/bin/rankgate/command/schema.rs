//! `rankgate schema`: for editors that complete and check.

use clap::Args;
use rankgate::BoxError;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// Print the JSON Schema of a benchmark spec
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate schema > rankgate.schema.json
  # then, in the first line of a spec:
  # yaml-language-server: $schema=../rankgate.schema.json")]
pub(crate) struct Schema {}

impl Schema {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        terminal.result(&format!("{:#}\n", rankgate::spec::json_schema()))?;
        Ok(Exit::Passed)
    }
}
