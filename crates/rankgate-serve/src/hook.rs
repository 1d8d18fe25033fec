//! The address that alarms are sent to, and the projects that changed.

use std::sync::mpsc::{Receiver, Sender, channel};

use rankgate::service::Hook;

use crate::store::{StoreError, Stored};

/// Says which projects changed.
pub(crate) struct Hooks(Option<Sender<String>>);

/// Where alarms are sent, and the channel of the projects that changed.
pub(crate) type Telling = (Hook, Receiver<String>);

impl Hooks {
    /// Whether there is an address, checked before anything is served; and the thread's end of it.
    pub(crate) fn new(url: Option<&str>) -> Stored<(Self, Option<Telling>)> {
        let Some(url) = url else { return Ok((Self(None), None)) };
        let hook = Hook::new(url).map_err(|error| StoreError::new(format!("the webhook: {error}")))?;
        let (changed, waiting) = channel();
        Ok((Self(Some(changed)), Some((hook, waiting))))
    }

    /// Something of a project is not as it was.
    pub(crate) fn changed(&self, project: &str) {
        if let Some(changed) = &self.0 {
            drop(changed.send(project.to_owned()));
        }
    }
}
