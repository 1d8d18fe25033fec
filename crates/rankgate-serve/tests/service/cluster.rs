//! A PostgreSQL of this process alone: Debian's, in a folder of its own, without a port.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(crate) struct Cluster {
    folder: PathBuf,
    /// It stops when its standard input ends: with this process, however that ends.
    keeper: Child,
}

/// Starts it, runs until standard input ends or a line comes, and cleans up.
const KEEP: &str = r#"
set -e
cd /
"$BIN/initdb" -D "$DATA/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$DATA/log" 2>&1
while :; do
    "$BIN/postgres" -D "$DATA/data" -k "$DATA" -c listen_addresses= -c fsync=off -c max_connections=200 >>"$DATA/log" 2>&1 &
    server=$!
    if read -r line; then kill -INT "$server"; wait "$server" || true; else break; fi
done
kill -QUIT "$server"
wait "$server" || true
rm -rf "$DATA"
"#;

impl Cluster {
    fn start() -> Self {
        let bin = binaries();
        let folder = tempfile::Builder::new().prefix("rankgate-postgres").tempdir().unwrap().keep();
        // It does not run as root.
        let mut keeper = if is_root() {
            assert!(Command::new("chown").arg("postgres").arg(&folder).status().unwrap().success());
            let mut keeper = Command::new("setpriv");
            keeper.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "bash", "-c", KEEP]);
            keeper
        } else {
            let mut keeper = Command::new("bash");
            keeper.args(["-c", KEEP]);
            keeper
        };
        let keeper = keeper.env("BIN", bin).env("DATA", &folder).stdin(Stdio::piped()).spawn().unwrap();
        let one = Self { folder, keeper };
        one.wait();
        one
    }

    /// Restarts it, while whoever uses it does.
    pub(crate) fn restart(&mut self) {
        self.keeper.stdin.as_mut().unwrap().write_all(b"again\n").unwrap();
    }

    pub(crate) fn address(&self, database: &str) -> String {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{folder}/{database}")
    }

    /// A new, empty database.
    pub(crate) fn create(&self) -> String {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        assert!(self.ask(&format!("CREATE DATABASE {name}")), "cannot create a database");
        self.address(&name)
    }

    pub(crate) fn ask(&self, sql: &str) -> bool {
        let mut psql = Command::new("psql");
        psql.args(["-q", "-U", "postgres", "-h"]).arg(&self.folder).args(["-d", "postgres", "-c", sql]);
        psql.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    }

    pub(crate) fn wait(&self) {
        let begun = Instant::now();
        while !self.ask("SELECT 1") {
            let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(begun.elapsed() < Duration::from_secs(60), "PostgreSQL does not start: {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// One that a test may do with what it likes.
    pub(crate) fn own() -> Self {
        Self::start()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        drop(self.keeper.wait());
    }
}

/// A new database of the one that all tests share. That none is installed is a failure.
pub(crate) fn database() -> String {
    static SHARED: OnceLock<Cluster> = OnceLock::new();
    SHARED.get_or_init(Cluster::start).create()
}

/// Where Debian puts them.
fn binaries() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").map_or_else(
        |_| Vec::new(),
        |all| all.filter_map(|one| Some(one.ok()?.path().join("bin"))).collect::<Vec<_>>(),
    );
    let found = versions.into_iter().filter(|bin| bin.join("initdb").exists()).max();
    found.expect("PostgreSQL is needed for this test: apt-get install postgresql")
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(Path::new("/proc/self")).unwrap()) == 0
}
