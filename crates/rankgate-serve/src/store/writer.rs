//! The one thread that writes: what waits is written together, and is answered when it is on the disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::session::{Session, StoreError, Stored};

/// Jobs of one commit.
const GROUP: usize = 64;

/// A job without the type of what it answers.
trait Work: Send {
    /// Whether it worked; if not, what it wrote is taken back.
    fn run(&mut self, session: &mut dyn Session) -> bool;
    fn answer(self: Box<Self>, committed: &Stored<()>);
}

struct Job<T, F> {
    job: Option<F>,
    done: Option<Stored<T>>,
    to: SyncSender<Stored<T>>,
}

impl<T: Send, F: FnOnce(&mut dyn Session) -> Stored<T> + Send> Work for Job<T, F> {
    fn run(&mut self, session: &mut dyn Session) -> bool {
        // A fault in one job ends that job; the thread goes on for the others.
        let guarded = |job: F| {
            let done = catch_unwind(AssertUnwindSafe(|| job(session)));
            done.unwrap_or_else(|_| Err(StoreError::new("the server has a fault; its log tells more")))
        };
        self.done = self.job.take().map(guarded);
        matches!(self.done, Some(Ok(_)))
    }

    fn answer(self: Box<Self>, committed: &Stored<()>) {
        let not_run = || Err(StoreError::passing("the store could not begin to write"));
        let done = match (self.done, committed) {
            (Some(Ok(_)), Err(error)) => Err(error.clone()),
            (None, Err(error)) => Err(error.clone()),
            (done, _) => done.unwrap_or_else(not_run),
        };
        // Whoever asked may have gone.
        drop(self.to.send(done));
    }
}

pub(super) struct Writer {
    /// Taken when it ends.
    jobs: Option<Sender<Box<dyn Work>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Begins; `connect` is asked again where a connection broke.
    pub(super) fn new(
        first: Box<dyn Session>,
        connect: impl FnMut() -> Stored<Box<dyn Session>> + Send + 'static,
    ) -> std::io::Result<Self> {
        let (jobs, waiting) = channel();
        let thread = Builder::new().name("writer".into()).spawn(move || work(&waiting, first, connect))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Whether the thread has ended, while it should run.
    pub(super) fn is_broken(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until a job is on the disk.
    pub(super) fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Session) -> Stored<T> + Send + 'static,
    ) -> Stored<T> {
        let gone = || StoreError::passing("the store is being closed");
        let (to, answer) = sync_channel(1);
        let job = Box::new(Job { job: Some(job), done: None, to });
        self.jobs.as_ref().ok_or_else(gone)?.send(job).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn work(
    waiting: &Receiver<Box<dyn Work>>,
    first: Box<dyn Session>,
    mut connect: impl FnMut() -> Stored<Box<dyn Session>>,
) {
    let mut session = Some(first);
    while let Ok(job) = waiting.recv() {
        let mut group = vec![job];
        group.extend(waiting.try_iter().take(GROUP - 1));
        if session.as_ref().is_none_or(|session| session.is_broken()) {
            session = None;
            match connect() {
                Ok(new) => session = Some(new),
                Err(error) => group.drain(..).for_each(|job| job.answer(&Err(error.clone()))),
            }
        }
        let Some(session) = session.as_mut().filter(|_| !group.is_empty()) else { continue };
        let committed = together(session.as_mut(), &mut group);
        if committed.is_err() {
            // Where it was rolled back already there is nothing left to roll back.
            drop(session.script("ROLLBACK"));
        }
        group.into_iter().for_each(|job| job.answer(&committed));
    }
}

/// Writes a group in one transaction; a job that fails takes nothing else with it.
fn together(session: &mut dyn Session, group: &mut [Box<dyn Work>]) -> Stored<()> {
    session.begin()?;
    for job in group {
        session.script("SAVEPOINT job")?;
        if !job.run(session) {
            session.script("ROLLBACK TO SAVEPOINT job")?;
        }
        session.script("RELEASE SAVEPOINT job")?;
    }
    session.script("COMMIT")
}
