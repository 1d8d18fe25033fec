//! `rankgate nuggets`: facts that good answers have, proposed by a model and edited by people.

use std::path::PathBuf;

use clap::Args;
use rankgate::benchmark::Benchmark;
use rankgate::judge::State;
use rankgate::{BoxError, standalone};
use rankgate_judge::{AddedNuggets, Assessment, NuggetQuestions};

use super::judge::{self, AskArguments, counted, planned, retry_command, state};
use crate::exit::Exit;
use crate::specs;
use crate::terminal::Terminal;

/// Propose nuggets, the facts that good answers have, from documents that people judged relevant
///
/// Asks the model of the spec's `judge:` about each query that has relevant documents and no nuggets yet. Proposals go into the file
/// that `nuggets:` of the judge names. People edit that file and commit it; metrics such as NuggetAll and NuggetRecall count what
/// stands in it. No line that is there is ever changed.
#[derive(Args)]
#[command(after_help = "\
A proposal is a line for the query and a line for each nugget below it: vital, or okay where a good answer may leave it out. Edit \
lines, remove them, add others. Once you have read the nuggets of a query, write \"reviewed\": true into its line; `rankgate lint` \
lists queries whose nuggets are as a model proposed them. To have nuggets proposed anew, remove all lines of their query.

Replies are kept in the file of judgments, in the budget of the spec: if you end this command and start it again, it asks nothing \
twice.

Exit status: 0 when each query has its proposal, 2 when proposals are missing or something cannot be read.

Examples:
  rankgate nuggets benchmarks/assistant.yaml --dry-run
  rankgate nuggets benchmarks/assistant.yaml
  rankgate nuggets benchmarks/assistant.yaml --requests batch.jsonl")]
pub(crate) struct Nuggets {
    /// The spec
    #[arg(value_name = "SPEC")]
    spec: PathBuf,

    /// At most so many relevant documents of a query, the highest grade first
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    documents: u32,

    /// Print the questions and their possible cost, and ask nothing
    #[arg(long, conflicts_with_all = ["requests", "responses"])]
    dry_run: bool,

    /// Ask again about queries whose question has no valid answer, in one of these states
    #[arg(long, value_name = "STATE", num_args = 1.., value_delimiter = ',', value_parser = state)]
    retry: Vec<State>,

    #[command(flatten)]
    ask: AskArguments,
}

impl Nuggets {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let benchmark = specs::open_to_ask(&self.spec, terminal)?;
        let assessment = Assessment::new(&benchmark);
        let proposed = self.questions(&benchmark)?;
        terminal.result(&summary(&proposed))?;
        let mut exit = Exit::Passed;
        if self.dry_run {
            terminal.result(&planned(&benchmark, &proposed.questions))?;
            return Ok(exit);
        }
        if let Some(path) = &self.ask.requests {
            standalone::write_file(path, &assessment.judge_requests(&proposed.questions))?;
            let number = counted(proposed.questions.missing.len(), "query", "queries");
            terminal.result(&format!(
                "requests for {number} in {}: --responses reads the results\n",
                path.display()
            ))?;
            return Ok(exit);
        }
        if !self.ask.responses.is_empty() {
            let questions = std::slice::from_ref(&proposed.questions);
            exit = judge::responses(&benchmark, questions, &self.ask.responses, terminal)?;
        } else if !proposed.questions.missing.is_empty() {
            let how = self.ask.options();
            exit = judge::ask(assessment, &proposed.questions, how, terminal)?.0;
        }
        let added = assessment.add_nuggets(&proposed)?;
        terminal.result(&added_text(&added, &proposed))?;
        if added.failed > 0 {
            let now = assessment.nugget_questions(self.documents as usize)?;
            let again = retry_command("nuggets", &now.questions, &self.spec);
            let again = again.map_or_else(String::new, |command| format!("; `{command}` asks again"));
            let failed = counted(added.failed, "query has", "queries have");
            terminal.warn(&format!("{failed} no nuggets, since the model gave no valid answer{again}"));
            exit = Exit::Undecided;
        }
        Ok(exit)
    }

    fn questions(&self, benchmark: &Benchmark) -> Result<NuggetQuestions, BoxError> {
        let assessment = Assessment::new(benchmark);
        let mut proposed = assessment.nugget_questions(self.documents as usize)?;
        assessment.ask_again_about(&mut proposed.questions, &self.retry)?;
        Ok(proposed)
    }
}

/// Which queries there are.
fn summary(proposed: &NuggetQuestions) -> String {
    let NuggetQuestions {
        questions, path, on_file, in_collection, without_documents, absent_documents, ..
    } = proposed;
    let mut text = format!(
        "{} without a proposal, {on_file} in {}",
        counted(questions.missing.len(), "query", "queries"),
        path.display()
    );
    for (number, what) in [
        (*in_collection, "have nuggets in the collection"),
        (*without_documents, "have no relevant document"),
    ] {
        if number > 0 {
            text += &format!(", {number} {what}");
        }
    }
    text.push('\n');
    if *absent_documents > 0 {
        let documents = counted(*absent_documents, "relevant document is", "relevant documents are");
        text += &format!("{documents} not in the corpus, and nothing is proposed from what they say\n");
    }
    text
}

fn added_text(added: &AddedNuggets, proposed: &NuggetQuestions) -> String {
    let AddedNuggets { queries, nuggets, vital, empty, .. } = *added;
    if queries == 0 {
        return "nothing was added\n".to_owned();
    }
    let mut text = format!(
        "{} of {} added to {}, {vital} of them vital: edit what is wrong, and write \"reviewed\": true where people have read them\n",
        counted(nuggets, "nugget", "nuggets"),
        counted(queries, "query", "queries"),
        proposed.path.display()
    );
    if empty > 0 {
        text += &format!("for {} the model proposes none\n", counted(empty, "query", "queries"));
    }
    text
}
