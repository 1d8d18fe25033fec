//! `rankgate alarms`: what a server says of losses, and their acknowledgements.

use clap::Args;
use rankgate::BoxError;
use rankgate::service::in_address;
use rankgate_history::report::AlarmList;
use serde_json::json;

use crate::exit::Exit;
use crate::format::Format;
use crate::server::{AlarmQuery, Project, explained, server};
use crate::terminal::Terminal;

/// List the alarms that stand on a server, acknowledge one, or take that back
///
/// An acknowledged alarm never returns, unless that is withdrawn: from there on its ranking is what losses are held against.
#[derive(Args)]
#[command(after_help = "\
The variable RANKGATE_TOKEN holds the token, where the server asks for one.

Exit status: 0; with --fail-on-alarm 1 if an alarm stands; 2 where the server does not answer.

Examples:
  rankgate alarms --of http://127.0.0.1:7878 --project search
  rankgate alarms --of https://quality.example.org --project search --all
  rankgate alarms --of https://quality.example.org --project search --acknowledge 3f2a9c01d4e5 --note 'the price of \
freshness'")]
pub(crate) struct Alarms {
    /// The address of the server
    #[arg(long, value_name = "URL")]
    of: String,

    #[command(flatten)]
    project: Project,

    /// Only those of this benchmark
    #[arg(long, value_name = "NAME")]
    benchmark: Option<String>,

    /// Only those of this configuration
    #[arg(long, value_name = "NAME")]
    configuration: Option<String>,

    /// The branch whose commits are reported [default: main, else master]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,

    /// Those that are over or acknowledged as well
    #[arg(long)]
    all: bool,

    /// Acknowledge the alarm with this id
    #[arg(long, value_name = "ID", requires = "note")]
    acknowledge: Option<String>,

    /// Withdraw the acknowledgement of the alarm with this id
    #[arg(long, value_name = "ID", conflicts_with = "acknowledge")]
    withdraw: Option<String>,

    /// Why it is accepted
    #[arg(long, value_name = "TEXT", requires = "acknowledge")]
    note: Option<String>,

    /// How to print them
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["acknowledge", "withdraw"])]
    format: Format,

    /// End with 1 if an alarm stands
    #[arg(long)]
    fail_on_alarm: bool,
}

impl Alarms {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let (server, project) = (server(&self.of)?, self.project.name()?);
        let asked = AlarmQuery {
            benchmark: self.benchmark.clone(),
            configuration: self.configuration.clone(),
            branch: self.branch.clone(),
            ..AlarmQuery::default()
        };
        let (benchmark, configuration) = (&self.benchmark, &self.configuration);
        let accept = self.acknowledge.as_deref().map(|id| {
            let (note, branch) = (&self.note, &self.branch);
            let body = json!({"note": note, "benchmark": benchmark, "configuration": configuration, "branch": branch});
            (id, "acknowledge", body, format!("acknowledged {id}"))
        });
        let withdraw = self.withdraw.as_deref().map(|id| {
            let body = json!({"benchmark": benchmark, "configuration": configuration});
            (id, "withdraw", body, format!("the acknowledgement of {id} is withdrawn"))
        });
        for (id, action, body, done) in accept.into_iter().chain(withdraw) {
            let path = format!("/v1/projects/{}/alarms/{}/{action}", in_address(&project), in_address(id));
            let sent = server.post(&path, body.to_string().as_bytes());
            sent.map_err(|why| explained(&why, &server, &project))?;
            terminal.note(&done);
        }
        let json = server.get(&asked.path(&project)).map_err(|why| explained(&why, &server, &project))?;
        if self.format == Format::Json {
            terminal.json(&format!("{json:#}\n"))?;
        }
        let told = AlarmList::read(json)?;
        if self.format == Format::Text {
            terminal.result(&told.text(self.all))?;
            told.looked_at().lines().for_each(|line| terminal.note(line));
            terminal.note(&standing(told.standing, told.is_up_to_date()));
        }
        Ok(if self.fail_on_alarm && told.standing > 0 { Exit::Failed } else { Exit::Passed })
    }
}

/// How many alarms stand, in words; and of what, where the newest commit was not measured.
pub(super) fn standing(number: usize, up_to_date: bool) -> String {
    let of = if up_to_date { "" } else { " on what was measured" };
    match number {
        0 => format!("no alarm stands{of}"),
        1 => format!("1 alarm stands{of}"),
        more => format!("{more} alarms stand{of}"),
    }
}
