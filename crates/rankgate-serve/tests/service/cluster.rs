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
    /// Which the name of its socket ends with.
    port: u16,
}

/// Starts it, runs until standard input ends or a line comes, and cleans up.
const KEEP: &str = r#"
set -e
cd /
"$BIN/initdb" -D "$DATA/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$DATA/log" 2>&1
while :; do
    "$BIN/postgres" -D "$DATA/data" -k "$DATA" -c listen_addresses= -c fsync=off -c max_connections=200 $MORE >>"$DATA/log" 2>&1 &
    server=$!
    if read -r line; then kill -INT "$server"; wait "$server" || true; else break; fi
done
kill -QUIT "$server"
wait "$server" || true
rm -rf "$DATA"
"#;

impl Cluster {
    /// With further options, which see the folder as `$DATA`.
    fn start(port: u16, options: &str) -> Self {
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
        let keeper = keeper
            .env("BIN", bin)
            .env("DATA", &folder)
            .env("MORE", options.replace("$DATA", &folder.display().to_string()))
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let one = Self { folder, keeper, port };
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
        psql.args(["-q", "-U", "postgres", "-p", &self.port.to_string(), "-h"])
            .arg(&self.folder)
            .args(["-d", "postgres", "-c", sql]);
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
        Self::start(5432, "")
    }

    /// One that is asked over TCP at a port, encrypted, with a certificate for `localhost` of an authority of its own; and
    /// that authority's certificate.
    pub(crate) fn encrypted(port: u16) -> (Self, PathBuf) {
        let folder = tempfile::Builder::new().prefix("rankgate-tls").tempdir().unwrap().keep();
        let script = "cd \"$1\" && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=own -keyout ca.key -out ca.pem \
                      -addext basicConstraints=critical,CA:TRUE && \
                      openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr && \
                      printf 'subjectAltName=DNS:localhost\\n' > names && \
                      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names \
                      -out server.pem && chmod 755 . && chmod 600 server.key";
        let made = Command::new("bash").args(["-c", script, "-"]).arg(&folder).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        if is_root() {
            let own = Command::new("chown").arg("postgres").arg(folder.join("server.key")).status();
            assert!(own.unwrap().success());
        }
        let at = folder.display();
        let options = format!(
            "-c listen_addresses=localhost -c port={port} -c ssl=on -c ssl_cert_file={at}/server.pem -c ssl_key_file={at}/server.key"
        );
        (Self::start(port, &options), folder.join("ca.pem"))
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
    SHARED.get_or_init(Cluster::own).create()
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
