//! The command `rankgate-serve`.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lexopt::prelude::*;
use rankgate_history::report::View;
use rankgate_serve::store::{Copied, Database, Holding, Store};
use rankgate_serve::{App, Rights, Settings, maintenance, serve};

const HELP: &str = "\
Keep what CI measured, and show what became of quality: trends, alarms, comparisons

Usage: rankgate-serve --data DIR [OPTIONS]
       rankgate-serve --data DIR token add --project NAME [--name TEXT] [--right RIGHTS] [--days N]
       rankgate-serve --data DIR token list | token revoke ID
       rankgate-serve --data DIR backup FILE
       rankgate-serve --data DIR move --to postgres://... | --to DIR
       rankgate-serve --data DIR check | rebuild
       rankgate-serve --data DIR retain [--keep-days N] [--keep-reports N] [--nearly-all] [--compact]
       rankgate-serve --data DIR remove PROJECT | audit

Options:
  --data DIR             Where everything lies: rankgate.db, backups
  --database URL         Data in PostgreSQL (postgres://user@host/name) in place of the folder
  --database-seconds N   For PostgreSQL to be there at the start [default: 30]
  --listen ADDRESS       [default: 127.0.0.1:7878]
  --open                 Let everyone on this machine do everything, without a token
  --benchmarks DIR       Specs that may be run by their names: POST /v1/benchmarks/{name}/run
  --keep-days N          Delete reports, runs and judgments that are older, once a day
  --keep-reports N       Delete all but the last N reports of each benchmark, once a day
  --nearly-all           Delete also where nine of ten reports or more would go
  --webhook URL          Tell each alarm there, once, by a POST of JSON [default: the variable
                         RANKGATE_WEBHOOK]
  --commit-url PATTERN   Where commits lead, as https://github.com/org/{project}/commit/{commit}
  --oidc FILE            Issuers whose runs of CI need no token of ours, and what they may do
  --proxy ADDRESS        A proxy whose X-Forwarded-For is believed; may be given several times
  --session-hours N      After which whoever signed in signs in again [default: 12]
  --max-body MIB         Largest body, decompressed [default: 64]
  --connections N        Connections at the same time [default: 512]
  --per-address N        The same of one address [default: 128]
  --memory MIB           For all that is computed at the same time [default: 1024]
  --compute-seconds N    For an evaluation or comparison [default: 60]
  --stop-seconds N       For requests that were begun when it is to stop [default: 10]
  --head-seconds N       For a head to arrive, and between requests of a connection [default: 30]
  --rate N               Requests a second of one address, and of one token; 0 for any [default: 1000]
  -h, --help             Print this
  -V, --version          Print the version

RIGHTS are read, push, acknowledge, grade, with a comma between them, or write, which is all of them and the default.
Everyone needs a token, unless --open is given: it says that whoever reaches the server on this machine may do everything.
docs/service.md has the systemd unit, the proxy and TLS.";

/// The time that PostgreSQL may take to be there when the server starts, unless it is said.
const PATIENCE: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_secs(1);

/// The time for work without a client when the server ends.
const LAST: Duration = Duration::from_secs(1);

/// The subcommand.
enum Task {
    Serve,
    AddToken { project: String, name: String, rights: Rights, days: i64 },
    ListTokens,
    RevokeToken(i64),
    Backup(PathBuf),
    Move(Database),
    Check,
    Rebuild,
    Retain,
    Remove(String),
    Audit,
}

struct Arguments {
    settings: Settings,
    listen: SocketAddr,
    patience: Duration,
    compact: bool,
    task: Task,
}

/// What `--help` and `--version` print.
enum Invocation {
    Do(Box<Arguments>),
    Print(String),
}

fn main() -> ExitCode {
    let done = match arguments(lexopt::Parser::from_env()) {
        Ok(Invocation::Print(text)) => {
            say(&text);
            Ok(())
        }
        Ok(Invocation::Do(arguments)) => run(*arguments),
        Err(error) => Err(format!("{error}; `rankgate-serve --help` tells what there is")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

/// Who reads a few lines of it and closes the pipe has read enough.
fn say(text: &str) {
    drop(writeln!(std::io::stdout(), "{text}"));
}

fn complain(text: &str) {
    drop(writeln!(std::io::stderr(), "{text}"));
}

fn arguments(mut parser: lexopt::Parser) -> Result<Invocation, lexopt::Error> {
    let mut settings = Settings::new("");
    settings.webhook = std::env::var("RANKGATE_WEBHOOK").ok().filter(|url| !url.is_empty());
    let mut listen: SocketAddr = ([127, 0, 0, 1], 7878).into();
    let (mut words, mut to, mut patience, mut compact) = (Vec::new(), None, PATIENCE, false);
    let (mut project, mut name, mut rights, mut days) = (None, String::new(), Rights::ALL, 365);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("data") => settings.data = parser.value()?.into(),
            Long("database") => settings.database = Some(parser.value()?.string()?),
            Long("database-seconds") => patience = Duration::from_secs(parser.value()?.parse()?),
            Long("compact") => compact = true,
            Long("listen") => listen = parser.value()?.parse()?,
            Long("benchmarks") => settings.benchmarks = Some(parser.value()?.into()),
            Long("keep-days") => settings.retention.days = Some(parser.value()?.parse()?),
            Long("keep-reports") => settings.retention.reports = Some(parser.value()?.parse()?),
            Long("nearly-all") => settings.retention.nearly_all = true,
            Long("webhook") => settings.webhook = Some(parser.value()?.string()?),
            Long("commit-url") => {
                settings.commit_url = Some(parser.value()?.parse_with(View::commit_url)?);
            }
            Long("open") => settings.open = true,
            // What it does by itself.
            Long("tokens") => {}
            Long("oidc") => settings.oidc = Some(parser.value()?.into()),
            Long("proxy") => settings.proxies.push(parser.value()?.parse()?),
            Long("session-hours") => {
                let hours: u64 = parser.value()?.parse()?;
                settings.limits.session = Duration::from_secs(hours.saturating_mul(60 * 60));
            }
            Long("max-body") => {
                settings.limits.body = parser.value()?.parse::<usize>()?.saturating_mul(1 << 20)
            }
            Long("connections") => settings.limits.connections = parser.value()?.parse()?,
            Long("per-address") => settings.limits.connections_of_address = parser.value()?.parse()?,
            Long("memory") => {
                settings.limits.memory = parser.value()?.parse::<usize>()?.saturating_mul(1 << 20);
            }
            Long("compute-seconds") => {
                settings.limits.compute = Duration::from_secs(parser.value()?.parse()?);
            }
            Long("head-seconds") => {
                settings.limits.head = Duration::from_secs(parser.value()?.parse()?);
            }
            Long("stop-seconds") => {
                settings.limits.stop = Duration::from_secs(parser.value()?.parse()?);
            }
            Long("rate") => settings.limits.requests = parser.value()?.parse()?,
            Long("project") => project = Some(parser.value()?.string()?),
            Long("name") => name = parser.value()?.string()?,
            Long("right") => rights = parser.value()?.parse()?,
            Long("days") => {
                days = parser.value()?.parse_with(|text| match text.parse() {
                    Ok(days @ 1..=36_500) => Ok(days),
                    _ => Err("a number of days: 1 to 36500"),
                })?
            }
            Long("to") => to = Some(parser.value()?.string()?),
            Short('h') | Long("help") => return Ok(Invocation::Print(HELP.to_owned())),
            Short('V') | Long("version") => {
                return Ok(Invocation::Print(format!("rankgate-serve {}", env!("CARGO_PKG_VERSION"))));
            }
            Value(word) => words.push(word.string()?),
            other => return Err(other.unexpected()),
        }
    }
    if settings.data.as_os_str().is_empty() {
        return Err("--data DIR says where everything lies".into());
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let task = match (words.as_slice(), to) {
        ([], None) => Task::Serve,
        (["token", "add"], None) => {
            let project = project.ok_or("--project NAME says what the token is of")?;
            Task::AddToken { project, name, rights, days }
        }
        (["token", "list"], None) => Task::ListTokens,
        (["token", "revoke", id], None) => {
            Task::RevokeToken(id.parse().map_err(|_| format!("`{id}` is no number of a token"))?)
        }
        (["backup", file], None) => Task::Backup(file.into()),
        (["move"], Some(to)) => Task::Move(database(&to)),
        (["check"], None) => Task::Check,
        (["rebuild"], None) => Task::Rebuild,
        (["retain"], None) if settings.retention.is_none() => {
            return Err("--keep-days or --keep-reports says what to keep".into());
        }
        (["retain"], None) => Task::Retain,
        _ if compact => return Err("--compact goes with `retain`".into()),
        (["audit"], None) => Task::Audit,
        (["remove", project], None) => Task::Remove((*project).to_owned()),
        (["move"], None) => return Err("--to says where to".into()),
        (words, _) => return Err(format!("`{}` is nothing to do here", words.join(" ")).into()),
    };
    if settings.open && !listen.ip().is_loopback() {
        return Err(format!(
            "--open lets whoever reaches {listen} do everything: it goes with an address of this machine"
        )
        .into());
    }
    Ok(Invocation::Do(Box::new(Arguments { settings, listen, patience, compact, task })))
}

/// A database by its address or folder.
fn database(named: &str) -> Database {
    if named.starts_with("postgres://") || named.starts_with("postgresql://") {
        Database::Postgres(named.to_owned())
    } else {
        Database::new(&PathBuf::from(named), None)
    }
}

fn run(arguments: Arguments) -> Result<(), String> {
    let Arguments { settings, listen, patience, compact, task } = arguments;
    let store = || {
        let database = Database::new(&settings.data, settings.database.as_deref());
        Store::open(database, &settings.data, Holding::Shortly).map_err(|error| error.to_string())
    };
    let said = |error: rankgate_serve::store::StoreError| error.to_string();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    match task {
        Task::Serve => return serve_until_told(settings, listen, patience),
        Task::AddToken { project, name, rights, days } => {
            let expires = now + days * 24 * 60 * 60;
            say(&maintenance::add_token(&store()?, &project, &name, rights, (now, expires))?);
        }
        Task::ListTokens => {
            for one in maintenance::tokens(&store()?).map_err(said)? {
                let state = match (one.revoked, one.expires > now) {
                    (true, _) => "revoked".to_owned(),
                    (_, false) => "expired".to_owned(),
                    _ => format!("{} days left", (one.expires - now) / (24 * 60 * 60)),
                };
                say(&format!("{}  {}  {}  {state}  {}", one.id, one.project, one.rights, one.name));
            }
        }
        Task::RevokeToken(id) => {
            if !maintenance::revoke_token(&store()?, id, now).map_err(said)? {
                return Err(format!("there is no token {id} to revoke"));
            }
            say(&format!("revoked {id}"));
        }
        Task::Backup(file) => print_copied(&maintenance::backup(&store()?, &file).map_err(said)?),
        Task::Check => {
            let wrong = maintenance::check(&store()?).map_err(said)?;
            wrong.iter().for_each(|one| say(one));
            if !wrong.is_empty() {
                return Err(format!("{} things are not as they should be", wrong.len()));
            }
            say("everything is as it should be");
        }
        Task::Rebuild => say(&format!("{} reports read anew", maintenance::rebuild(&store()?)?)),
        Task::Retain => {
            let removed = maintenance::retain(&store()?, settings.retention, now).map_err(said)?;
            say(&format!("{} reports deleted, {} blobs", removed.reports, removed.blobs));
            let store = store()?;
            if compact {
                store.compact().map_err(said)?;
            }
            let size = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
            match store.space().map_err(said)? {
                None => say("PostgreSQL uses again what is free now, as its autovacuum finds it"),
                Some((all, free)) if free * 10 > all && !compact => say(&format!(
                    "{} of {} are free now, for what comes; --compact gives them back to the disk",
                    size(free),
                    size(all)
                )),
                Some((all, _)) => say(&format!("the file has {}", size(all))),
            }
        }
        Task::Remove(project) => {
            if !maintenance::remove(&store()?, &project).map_err(said)? {
                return Err(format!("there is no project {project}"));
            }
            say(&format!("deleted {project}"));
        }
        Task::Audit => {
            let store = store()?;
            for one in maintenance::audited(&store).map_err(said)? {
                let who = one.who.as_deref().filter(|who| !who.is_empty()).unwrap_or("nobody by name");
                let by = one.token.map_or_else(String::new, |token| format!(", token {token}"));
                let hash = one.sha256.get(..12).unwrap_or("before hashes");
                say(&format!(
                    "{}  {}  project {}  {}: {}  {who}{by}  {hash}",
                    one.id, one.made, one.project, one.action, one.about
                ));
            }
            // Who reads a list that was changed must not take it for what happened.
            let wrong = maintenance::wrong_in_audit(&store).map_err(said)?;
            wrong.iter().for_each(|one| complain(one));
            if !wrong.is_empty() {
                return Err("this is not what was written".to_owned());
            }
        }
        Task::Move(to) => {
            if let Database::Sqlite(file) = &to
                && let Some(folder) = file.parent()
            {
                std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            }
            print_copied(&maintenance::move_to(&store()?, &to).map_err(said)?);
        }
    }
    Ok(())
}

/// What was copied: a table, its rows, and the hash that both sides have.
fn print_copied(copied: &Copied) {
    for (table, (rows, sha256)) in copied {
        say(&format!("{table}: {rows} rows, {}", &sha256[..12]));
    }
}

/// Opens the data. Machines start their services in no order: a database that is not there yet is waited for.
fn opened(settings: &Settings, patience: Duration) -> Result<App, String> {
    let begun = Instant::now();
    loop {
        let error = match App::open(settings.clone()) {
            Ok(app) => return Ok(app),
            Err(error) => error,
        };
        if !error.is_passing || settings.database.is_none() || begun.elapsed() >= patience {
            return Err(error.to_string());
        }
        complain(&format!(
            "{error}; trying again for {} s",
            (patience - begun.elapsed()).as_secs_f64().ceil()
        ));
        std::thread::sleep(AGAIN);
    }
}

fn serve_until_told(settings: Settings, listen: SocketAddr, patience: Duration) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(64)
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    let (is_open, has_issuers) = (settings.open, settings.oidc.is_some());
    let folder = settings.data.clone();
    let app = opened(&settings, patience)?;
    if !is_open && !has_issuers && maintenance::tokens(app.store()).is_ok_and(|tokens| tokens.is_empty()) {
        complain(&format!(
            "everyone needs a token, and none was made yet: rankgate-serve --data {} token add --project NAME; or start with \
             --open, which lets whoever is on this machine do everything",
            folder.display()
        ));
    }
    if cfg!(not(unix)) {
        complain(&format!(
            "on this system nothing keeps others from reading {}: give the folder to its owner alone",
            folder.display()
        ));
    }
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(listen)
            .await
            .map_err(|error| format!("cannot listen on {listen}: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        say(&format!("rankgate-serve listens on http://{address}"));
        serve(app, listener, stopped()).await.map_err(|error| error.to_string())
    })?;
    // What still computes was not answered, and is not waited for.
    runtime.shutdown_timeout(LAST);
    Ok(())
}

/// Ends on a signal: by ctrl-c, or by a supervisor.
async fn stopped() {
    #[cfg(unix)]
    if let Ok(mut told) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = told.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        return;
    }
    drop(tokio::signal::ctrl_c().await);
}
