//! `rankgate judge --check`: how good the judge is, and whether that is enough.

use clap::Args;
use rankgate::benchmark::Benchmark;
use rankgate::judge::Task;
use rankgate::{BoxError, standalone};
use rankgate_judge::{
    AskOptions, Assessment, JudgeMeasure, Met, Questions, Requirement, judge_check_html, judge_check_json,
    judge_check_text,
};

use super::Judge;
use super::progress::Watched;
use super::tally::unanswered;
use crate::exit::Exit;
use crate::format::Format;
use crate::terminal::Terminal;

/// What --check has to find.
#[derive(Args)]
pub(super) struct JudgeRequirements {
    /// With --check: the least share of grades that are equal to people's
    #[arg(long, value_name = "N", requires = "check")]
    min_exact: Option<f64>,

    /// With --check: the least Cohen's kappa with people
    #[arg(long, value_name = "N", requires = "check")]
    min_kappa: Option<f64>,

    /// With --check: the same with quadratic weights
    #[arg(long, value_name = "N", requires = "check")]
    min_quadratic_kappa: Option<f64>,

    /// With --check: the least AC2 of Gwet with people
    #[arg(long, value_name = "N", requires = "check")]
    min_ac2: Option<f64>,

    /// With --check: the least tau of Kendall of the configurations' order
    #[arg(long, value_name = "N", requires = "check")]
    min_tau: Option<f64>,

    /// With --check: the least share of grades that are equal in a second answer
    #[arg(long, value_name = "N", requires = "check")]
    min_again: Option<f64>,

    /// With --check: every probe has to have the right answer
    #[arg(long, requires = "check")]
    require_probes: bool,

    /// With --check: no configuration may rank with the judge's model
    #[arg(long, requires = "check")]
    require_independence: bool,
}

impl Judge {
    pub(super) fn check(
        &self,
        benchmark: &Benchmark,
        all: &[Questions],
        how: AskOptions,
        terminal: &Terminal,
    ) -> Result<Exit, BoxError> {
        let (mut checks, mut exit) = (Vec::new(), Exit::Passed);
        let named = self.against.as_ref().map(|name| Assessment::new(benchmark).judge_on_file(name, all));
        let other = named.transpose()?;
        for (at, questions) in all.iter().enumerate() {
            let mut check = Assessment::new(benchmark).check_judge(questions)?;
            if let Some((_, other)) = other.as_ref().filter(|(of, _)| *of == at) {
                let swap = Assessment::new(benchmark).swap_judge(questions, other)?;
                if swap.anchors.without != [0, 0] {
                    exit = Exit::Undecided;
                }
                check.swap = Some(swap);
            }
            // Two lists of claims differ in their words, whatever they say.
            if let Some(count) = self.again.filter(|_| questions.task != Some(Task::Claims)) {
                let watched = Watched::new(terminal);
                let (again, tally) =
                    Assessment::new(benchmark)
                        .ask_again(questions, count as usize, how, &|progress| watched.see(progress))?;
                watched.end();
                if !unanswered(&tally, terminal) {
                    exit = Exit::Undecided;
                }
                check.again = Some(again);
            }
            checks.push(check);
        }
        match self.format {
            Format::Json => terminal.json(&judge_check_json(&checks))?,
            Format::Text => terminal.result(&judge_check_text(&checks))?,
        }
        if let Some(file) = &self.page {
            standalone::write_file(file, &judge_check_html(&checks))?;
            terminal.note(&format!("the page: {}", file.display()));
        }
        for required in self.required.all()? {
            match required.met_by_all(&checks) {
                Met::Yes => {}
                Met::No(why) => {
                    terminal.warn(&format!("requirement not met: {why}"));
                    exit = if exit == Exit::Passed { Exit::Failed } else { exit };
                }
                Met::Unknown(why) => {
                    terminal.warn(&format!("requirement not known to be met: {why}"));
                    exit = Exit::Undecided;
                }
                _ => exit = Exit::Undecided,
            }
        }
        Ok(exit)
    }
}

impl JudgeRequirements {
    fn all(&self) -> Result<Vec<Requirement>, BoxError> {
        let least = [
            (JudgeMeasure::Exact, self.min_exact),
            (JudgeMeasure::Kappa, self.min_kappa),
            (JudgeMeasure::QuadraticKappa, self.min_quadratic_kappa),
            (JudgeMeasure::Ac2, self.min_ac2),
            (JudgeMeasure::Tau, self.min_tau),
            (JudgeMeasure::Again, self.min_again),
        ];
        let least = least.into_iter().filter_map(|(measure, least)| Some((measure, least?)));
        let mut all: Vec<Requirement> = least
            .map(|(measure, least)| Requirement::at_least(measure, least))
            .collect::<rankgate::Result<_>>()?;
        all.extend(self.require_probes.then(Requirement::probes));
        all.extend(self.require_independence.then(Requirement::independence));
        Ok(all)
    }
}
