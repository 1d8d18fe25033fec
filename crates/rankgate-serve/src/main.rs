//! A server for retrieval quality: evaluations, reports, trends and alarms over HTTP.
//!
//! | file | content |
//! |---|---|
//! | `main.rs` | the command line, connections, shutdown |
//! | `app.rs` | routes, and what each request passes: log, limits, tokens |
//! | `api.rs`, `openapi.json` | the JSON interface and its description |
//! | `evaluate.rs` | metrics and comparisons of lists of ids |
//! | `trend.rs` | trends and alarms, by `rankgate-history` |
//! | `pages.rs` | pages for people |
//! | `store.rs` | SQLite or PostgreSQL |
//! | `token.rs`, `problem.rs`, `log.rs` | tokens, errors, the log |

mod api;
mod app;
mod evaluate;
mod log;
mod pages;
mod problem;
mod store;
mod token;
mod trend;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::app::{App, router};
use crate::store::Store;

/// Connections at a time; more wait until one is closed.
const CONNECTIONS: usize = 2_048;
/// Time for the head of a request, and for a connection without one.
const HEAD: Duration = Duration::from_secs(15);
/// Time for requests that are on their way when the server is stopped.
const FAREWELL: Duration = Duration::from_secs(30);

/// A server for retrieval quality: evaluations, reports, trends and alarms over HTTP
#[derive(Parser)]
#[command(name = "rankgate-serve", version)]
struct Arguments {
    /// The folder with the database
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// The address to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// A PostgreSQL database (postgres://user:password@host/name) instead of SQLite in the folder
    #[arg(long, value_name = "URL", env = "RANKGATE_DATABASE", hide_env_values = true, global = true)]
    database: Option<String>,

    /// Requests a second of one token
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Create or revoke tokens
    #[command(subcommand)]
    Token(Token),
}

#[derive(Subcommand)]
enum Token {
    /// Create a token and print it
    Create(Create),
    /// Delete the tokens with this name
    Revoke {
        /// The name that the token was created with
        name: String,
    },
}

#[derive(Args)]
#[command(group(ArgGroup::new("right").required(true).args(["read", "write"])))]
struct Create {
    /// A token for reading, evaluations and comparisons
    #[arg(long)]
    read: bool,

    /// A token for everything: reports and acknowledgements as well
    #[arg(long)]
    write: bool,

    /// The token expires after so many days
    #[arg(long, value_name = "N")]
    days: Option<u32>,

    /// Who or what uses the token
    name: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&mut std::io::stderr(), &format!("error: {why}"));
            ExitCode::from(2)
        }
    }
}

fn say(to: &mut impl std::io::Write, text: &str) {
    // Whoever reads no more is not asked.
    let _ = writeln!(to, "{text}").and_then(|()| to.flush());
}

async fn run(arguments: Arguments) -> Result<(), String> {
    let store = Store::open(&arguments.data, arguments.database.as_deref()).await?;
    match arguments.command {
        None => serve(store, arguments.listen, arguments.rate).await,
        Some(Command::Token(Token::Create(create))) => {
            let token = store.create_token(&create.name, create.write, create.days).await?;
            say(&mut std::io::stdout(), &token);
            Ok(())
        }
        Some(Command::Token(Token::Revoke { name })) => match store.revoke(&name).await? {
            0 => Err(format!("there is no token named {name}")),
            _ => Ok(()),
        },
    }
}

async fn serve(store: Store, listen: SocketAddr, rate: u32) -> Result<(), String> {
    let listener = TcpListener::bind(listen).await;
    let listener = listener.map_err(|error| format!("cannot listen on {listen}: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let mut out = std::io::stdout();
    if !store.has_tokens().await? {
        let token = store.create_token("first", true, None).await?;
        say(&mut out, &format!("write token (printed only once): {token}"));
    }
    say(&mut out, &format!("rankgate-serve listens on http://{address}"));
    let router = router(Arc::new(App::new(store, rate)));
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut stop = std::pin::pin!(stopped());
    loop {
        let stream = tokio::select! {
            stream = accepted(&listener, &room) => stream,
            () = &mut stop => break,
        };
        let Some((stream, permit)) = stream else { continue };
        let service = TowerToHyperService::new(router.clone());
        let mut http = hyper::server::conn::http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD);
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // A caller that goes away is no event.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    log::event("stop", &[]);
    // Requests on their way end first.
    let _ = tokio::time::timeout(FAREWELL, graceful.shutdown()).await;
    Ok(())
}

async fn accepted(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let permit = Arc::clone(room).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, permit)),
        Err(error) => {
            // No file descriptor is left, perhaps: wait for one.
            log::event("accept", &[("reason", error.to_string().into())]);
            tokio::time::sleep(Duration::from_millis(100)).await;
            None
        }
    }
}

/// Waits until somebody stops the server: Ctrl-C, or SIGTERM.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
