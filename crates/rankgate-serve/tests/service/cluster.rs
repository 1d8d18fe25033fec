//! A PostgreSQL of this process alone: Debian's, in a folder of its own, without a port.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(crate) struct Cluster {
    folder: PathBuf,
    /// It stops when its standard input ends: with this process, however that ends.
    keeper: Child,
}

/// Starts it, runs until standard input ends, and cleans up.
const KEEP: &str = r#"
set -e
cd /
"$BIN/initdb" -D "$DATA/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$DATA/log" 2>&1
"$BIN/postgres" -D "$DATA/data" -k "$DATA" -c listen_addresses= -c fsync=off >>"$DATA/log" 2>&1 &
server=$!
read -r line || true
kill -QUIT "$server"
wait "$server" || true
rm -rf "$DATA"
"#;

impl Cluster {
    pub(crate) fn start() -> Self {
        let bin = binaries().expect("PostgreSQL is installed");
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
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        drop(self.keeper.wait());
    }
}

/// Where Debian puts them.
fn binaries() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").map_or_else(
        |_| Vec::new(),
        |all| all.filter_map(|one| Some(one.ok()?.path().join("bin"))).collect::<Vec<_>>(),
    );
    versions.into_iter().filter(|bin| bin.join("initdb").exists()).max()
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(Path::new("/proc/self")).unwrap()) == 0
}
