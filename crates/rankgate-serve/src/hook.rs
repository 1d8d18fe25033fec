//! The address that alarms are sent to, and the projects that changed.

use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use rankgate::service::Hook;

use crate::store::{StoreError, Stored};

/// Says which projects changed.
pub(crate) struct Hooks {
    changed: Option<Sender<String>>,
    /// The thread that sends alarms, once it runs.
    thread: OnceLock<JoinHandle<()>>,
}

/// Where alarms are sent, and the channel of the projects that changed.
pub(crate) type Telling = (Hook, Receiver<String>);

impl Hooks {
    /// Whether there is an address, checked before anything is served; and the thread's end of it.
    pub(crate) fn new(url: Option<&str>) -> Stored<(Self, Option<Telling>)> {
        let Some(url) = url else { return Ok((Self::to(None), None)) };
        let hook = Hook::new(url).map_err(|error| StoreError::new(format!("the webhook: {error}")))?;
        let (changed, waiting) = channel();
        Ok((Self::to(Some(changed)), Some((hook, waiting))))
    }

    fn to(changed: Option<Sender<String>>) -> Self {
        Self { changed, thread: OnceLock::new() }
    }

    /// Alarms are sent by this thread.
    pub(crate) fn told_by(&self, thread: JoinHandle<()>) {
        drop(self.thread.set(thread));
    }

    /// Whether the thread has ended while the server runs: then no alarm is sent any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.thread.get().is_some_and(JoinHandle::is_finished)
    }

    /// Something of a project is not as it was.
    pub(crate) fn changed(&self, project: &str) {
        if let Some(changed) = &self.changed {
            drop(changed.send(project.to_owned()));
        }
    }
}
