//! A server within this process.

use std::net::SocketAddr;

use rankgate_serve::{App, Settings, serve};
use serde_json::Value;
use tempfile::TempDir;

use crate::client::{Answer, send};
use crate::cluster;

/// A server, its folder and its threads.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) app: App,
    /// They end with it.
    _folder: TempDir,
    _runtime: tokio::runtime::Runtime,
}

/// A moment at which nothing changes.
pub(crate) fn noon() -> i64 {
    1_700_000_000
}

pub(crate) fn settings(folder: &TempDir) -> Settings {
    Settings { clock: noon, open: true, ..Settings::new(folder.path()) }
}

impl Running {
    pub(crate) fn on_sqlite() -> Self {
        Self::with(|settings| settings)
    }

    /// In a database of its own.
    pub(crate) fn on_postgres() -> Self {
        Self::with(|settings| Settings { database: Some(cluster::database()), ..settings })
    }

    pub(crate) fn with(change: impl FnOnce(Settings) -> Settings) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), change)
    }

    /// Another server of the same data, after this one has ended.
    pub(crate) fn restarted(self) -> Self {
        let Self { app, _folder: folder, _runtime: runtime, .. } = self;
        drop((runtime, app));
        Self::in_folder(folder, |settings| settings)
    }

    fn in_folder(folder: TempDir, change: impl FnOnce(Settings) -> Settings) -> Self {
        let app = App::open(change(settings(&folder))).unwrap();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0))).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(serve(app.clone(), listener, std::future::pending()));
        Self { address, app, _folder: folder, _runtime: runtime }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        send(self.address, ("GET", path), &[], b"").unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &[u8]) -> Answer {
        send(self.address, ("POST", path), &[], body).unwrap()
    }

    pub(crate) fn post_json(&self, path: &str, body: &Value) -> Answer {
        self.post(path, body.to_string().as_bytes())
    }

    pub(crate) fn with_token(&self, token: &str, (method, path): (&str, &str), body: &[u8]) -> Answer {
        let bearer = format!("Bearer {token}");
        send(self.address, (method, path), &[("Authorization", &bearer)], body).unwrap()
    }
}
