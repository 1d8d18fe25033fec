//! A running program, and its end.

use std::process::{Child, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a process is looked at while its end is waited for.
const POLL: Duration = Duration::from_millis(5);
/// A process that was killed ends at once, unless the kernel itself holds on to it.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// A child process, its own children included.
pub(super) struct Process(Mutex<State>);

struct State {
    child: Child,
    end: Option<End>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// `None` where the system does not say.
    pub(crate) status: Option<ExitStatus>,
    /// Whether it had to be killed.
    pub(crate) killed: bool,
}

impl Process {
    /// Takes over a child that leads a process group of its own.
    pub(super) fn new(child: Child) -> Self {
        Self(Mutex::new(State { child, end: None }))
    }

    /// Whether it has exited; what it started may still run.
    pub(super) fn has_exited(&self) -> bool {
        let mut state = self.lock();
        state.end.is_some() || exited(&mut state.child)
    }

    /// Waits up to `patience` for it to exit, and kills it and all it started.
    pub(super) fn end(&self, patience: Duration) -> End {
        let mut state = self.lock();
        if let Some(end) = state.end {
            return end;
        }
        let by_itself = within(patience, || exited(&mut state.child));
        // Before it is waited for: its id, which is that of its group too, is taken for so long.
        kill(&mut state.child);
        let mut status = None;
        within(AFTER_KILL, || match state.child.try_wait() {
            Ok(None) => false,
            Ok(found) => {
                status = found;
                true
            }
            Err(_) => true,
        });
        *state.end.insert(End { status, killed: !by_itself })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn within(patience: Duration, mut done: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if done() {
            return true;
        }
        if start.elapsed() >= patience {
            return false;
        }
        thread::sleep(POLL);
    }
}

/// Whether it has exited, leaving it to be waited for.
#[cfg(all(unix, not(any(target_os = "openbsd", target_os = "redox", target_os = "cygwin"))))]
fn exited(child: &mut Child) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let Some(pid) = pid(child) else { return true };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(pid), options) {
        Ok(status) => status.is_some(),
        Err(error) => error != rustix::io::Errno::INTR,
    }
}

#[cfg(not(all(unix, not(any(target_os = "openbsd", target_os = "redox", target_os = "cygwin")))))]
fn exited(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Kills the group that it leads.
#[cfg(unix)]
fn kill(child: &mut Child) {
    if let Some(pid) = pid(child) {
        // It fails where nobody is left in the group.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(child: &mut Child) {
    // It fails where it has exited.
    drop(child.kill());
}

#[cfg(unix)]
fn pid(child: &Child) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(child.id()).ok()?)
}
