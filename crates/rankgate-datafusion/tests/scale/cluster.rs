//! Ballista in processes of its own: a scheduler and executors, on ports that were free.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use datafusion::prelude::{SessionConfig, SessionContext};
use rankgate_datafusion::{Stores, connect};
use tempfile::TempDir;

use crate::rows::{Dice, judgments_batch, rows, run_batch, split};

/// What a process may take to be there.
const START: Duration = Duration::from_secs(60);

/// Ends with its processes, and leaves nothing behind.
pub(crate) struct Cluster {
    pub(crate) scheduler: String,
    processes: Vec<Child>,
    folder: TempDir,
}

pub(crate) fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_rankgate-datafusion"))
}

/// A port that nobody listens on.
fn free() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

pub(crate) fn wait_for(port: u16) {
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < START, "nobody listens on {port}");
        sleep(Duration::from_millis(50));
    }
}

impl Cluster {
    pub(crate) fn start(executors: usize) -> Self {
        Self::with(executors, &[])
    }

    /// Processes with these variables.
    pub(crate) fn with(executors: usize, environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free();
        let scheduler = format!("127.0.0.1:{port}");
        let log = |name: &str| Stdio::from(fs::File::create(folder.path().join(name)).unwrap());
        let mut processes = vec![
            command()
                .args(["scheduler", "--listen", &scheduler, "--executor-timeout", "4"])
                .envs(environment.iter().copied())
                .stderr(log("scheduler.log"))
                .spawn()
                .unwrap(),
        ];
        wait_for(port);
        let mut ports = Vec::new();
        for executor in 0..executors {
            let (port, grpc) = (free(), free());
            let work = folder.path().join(format!("executor-{executor}"));
            fs::create_dir(&work).unwrap();
            let mut start = command();
            start.envs(environment.iter().copied());
            start.args(["executor", "--scheduler", &scheduler, "--cores", "1", "--heartbeat", "1"]);
            start.args(["--port", &port.to_string(), "--grpc-port", &grpc.to_string(), "--work-dir"]);
            processes
                .push(start.arg(&work).stderr(log(&format!("executor-{executor}.log"))).spawn().unwrap());
            ports.push(port);
        }
        ports.into_iter().for_each(wait_for);
        Self { scheduler, processes, folder }
    }

    pub(crate) async fn engine(&self, partitions: usize) -> SessionContext {
        let config = SessionConfig::new().with_target_partitions(partitions);
        connect(&self.scheduler, config, Arc::new(Stores::default())).await.unwrap()
    }

    /// Whether an executor has written what another stage is to read.
    fn has_written(&self, executor: usize) -> bool {
        fn any(folder: &Path) -> bool {
            let Ok(entries) = fs::read_dir(folder) else { return false };
            entries.flatten().any(|entry| entry.path().is_file() || any(&entry.path()))
        }
        any(&self.folder.path().join(format!("executor-{executor}")))
    }

    fn kill(&mut self, executor: usize) {
        self.processes[1 + executor].kill().unwrap();
        self.processes[1 + executor].wait().unwrap();
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for process in &mut self.processes {
            // One that was killed before is gone.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// A process whose output goes into files, so that it never waits for a reader.
struct Running {
    process: Child,
    folder: TempDir,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| fs::File::create(folder.path().join(name)).unwrap();
        let process = command.stdout(file("output")).stderr(file("errors")).spawn().unwrap();
        Self { process, folder }
    }

    fn ended(&mut self) -> bool {
        self.process.try_wait().unwrap().is_some()
    }

    /// Waits for it, and not for ever: whether it succeeded, what it printed and what it said.
    fn end(mut self, limit: Duration) -> (bool, String, String) {
        let begun = Instant::now();
        let read = |name: &str| fs::read_to_string(self.folder.path().join(name)).unwrap();
        while self.process.try_wait().unwrap().is_none() {
            if begun.elapsed() > limit {
                self.process.kill().unwrap();
                self.process.wait().unwrap();
                panic!("no end after {limit:?}: {}", read("errors"));
            }
            sleep(Duration::from_millis(20));
        }
        (self.process.wait().unwrap().success(), read("output"), read("errors"))
    }
}

#[test]
fn an_executor_killed_gives_the_right_answer_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (mut retrieved, judged) = rows(2000, 100);
    Dice(17).shuffle(&mut retrieved);
    let (qrels, run) = split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 6);
    let eval = |scheduler: Option<&str>| {
        let mut eval = command();
        eval.arg("eval").args([&qrels, &run]).args(["--format", "json", "--per-query", "--partitions", "6"]);
        if let Some(scheduler) = scheduler {
            eval.args(["--scheduler", scheduler, "--timeout", "240"]);
        }
        Running::start(&mut eval)
    };
    let limit = Duration::from_secs(300);
    let (success, expected, said) = eval(None).end(limit);
    assert!(success, "{said}");
    let mut cluster = Cluster::start(3);
    let mut running = eval(Some(&cluster.scheduler));
    let begun = Instant::now();
    while !cluster.has_written(1) {
        assert!(begun.elapsed() < START && !running.ended(), "it ended before it began");
        sleep(Duration::from_millis(5));
    }
    cluster.kill(1);
    assert!(!running.ended(), "it ended before the executor was killed");
    let (success, found, said) = running.end(limit);
    println!("with an executor killed: {}, {said}", if success { "an answer" } else { "an error" });
    match success {
        true => assert!(found == expected, "{found}"),
        false => assert!(found.is_empty() && said.contains("error: "), "{said}"),
    }
    // Those that are left answer.
    let (success, found, said) = eval(Some(&cluster.scheduler)).end(limit);
    assert!(success, "{said}");
    assert!(found == expected, "{found}");
}
