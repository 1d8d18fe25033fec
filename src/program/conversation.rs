//! Requests out, answers in, each with the id it belongs to.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::process::Process;
use super::stderr::Tail;
use super::{Break, Broken, Program};
use crate::secrets::Secrets;

/// A longer line is no answer but an accident.
const MAX_LINE: usize = 64 << 20;
/// How often somebody who waits for an answer looks whether the program still runs: what it started
/// may hold its standard output open beyond its end.
const LOOK: Duration = Duration::from_millis(100);
/// Time to exit after standard output was closed, and for the last words to come in.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How lines are understood, each with what must not be shown of it. What is wrong with a line is a phrase that
/// follows the program's name.
pub struct Protocol<T> {
    /// Checks the program's first line.
    pub check_hello: fn(&str, &Secrets) -> Result<(), String>,
    /// The id of the request that a line answers, and the answer.
    pub read: fn(&str, &Secrets) -> Understood<T>,
}

/// The id of a request and its answer, or what is wrong.
pub(super) type Understood<T> = Result<(String, T), String>;

/// A conversation with a program, until it breaks.
pub struct Conversation<T> {
    process: Process,
    tail: Tail,
    protocol: Protocol<T>,
    secrets: Secrets,
    state: Mutex<State<T>>,
    /// The program's first line.
    greeting: OnceLock<String>,
    /// Why nothing can be asked any more.
    broken: OnceLock<Broken>,
}

struct State<T> {
    /// Where requests go; `None` at the end.
    requests: Option<Sender<String>>,
    /// The requests in flight, and who waits for each.
    open: HashMap<String, Sender<T>>,
    answered: HashSet<String>,
}

/// Why there is no conversation.
pub enum Unstarted {
    /// The program, or a thread to listen to it, could not be started.
    Program(String),
    /// It ended before it began.
    Broken(Broken),
}

/// Why a request has no answer.
pub enum Unanswered<'a> {
    /// The conversation has ended over this request, as far as can be known.
    Broken(&'a Broken),
    /// It had ended before, or over another request.
    Ended(&'a Broken),
    /// One of the same id is open.
    Twice,
}

impl<T: Send + 'static> Conversation<T> {
    /// Starts the program, says hello and waits for its hello, at most as long as `patience`.
    ///
    /// # Errors
    /// A program that cannot be started, or that does not say hello as it should.
    pub fn start(
        program: &Program,
        protocol: Protocol<T>,
        hello: String,
        patience: Duration,
    ) -> Result<Arc<Self>, Unstarted> {
        let mut child = program.start().map_err(Unstarted::Program)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (requests, lines) = mpsc::channel();
        let (greeted, greeting) = mpsc::channel();
        // There is a receiver.
        drop(requests.send(hello));
        let conversation = Arc::new(Self {
            process: Process::new(child),
            tail: Tail::default(),
            protocol,
            secrets: program.secrets.clone(),
            state: Mutex::new(State {
                requests: Some(requests),
                open: HashMap::new(),
                answered: HashSet::new(),
            }),
            greeting: OnceLock::new(),
            broken: OnceLock::new(),
        });
        let started = conversation.spawn("stderr", move |own| {
            if let Some(stderr) = stderr {
                own.tail.drain(stderr);
            }
        });
        let started = started.and_then(|()| {
            conversation.spawn("stdin", move |own| {
                if let Some(stdin) = stdin {
                    own.write(stdin, &lines);
                }
            })
        });
        let started = started.and_then(|()| {
            conversation.spawn("stdout", move |own| {
                if let Some(stdout) = stdout {
                    own.read(stdout, greeted);
                }
            })
        });
        if let Err(error) = started {
            conversation.process.end(Duration::ZERO);
            return Err(Unstarted::Program(format!("cannot start a thread: {error}")));
        }
        match conversation.wait(&greeting, patience, false) {
            Some(line) => {
                conversation.greeting.get_or_init(|| line);
                Ok(conversation)
            }
            None => Err(Unstarted::Broken(conversation.break_off(Break::Silent(patience)).clone())),
        }
    }

    fn spawn(self: &Arc<Self>, pipe: &str, work: impl FnOnce(&Self) + Send + 'static) -> io::Result<()> {
        let own = Arc::clone(self);
        thread::Builder::new().name(format!("rankgate-{pipe}")).spawn(move || work(&own)).map(drop)
    }

    /// Makes a request and waits for its answer, at most as long as `time`.
    ///
    /// # Errors
    /// A conversation that broke, now or before, or a request of the same id that is open.
    pub fn ask(&self, id: &str, request: String, time: Duration) -> Result<T, Unanswered<'_>> {
        let answer = self.send(id, request)?;
        self.receive(id, &answer, time)
    }

    /// Makes a request; its answer comes through the channel.
    ///
    /// # Errors
    /// A conversation that broke before, or a request of the same id that is open.
    pub fn send(&self, id: &str, request: String) -> Result<Receiver<T>, Unanswered<'_>> {
        let (sender, answer) = mpsc::channel();
        let mut state = self.lock();
        // Looked at under the lock: whoever breaks the conversation empties the table after it.
        if let Some(broken) = self.broken.get() {
            return Err(Unanswered::Ended(broken));
        }
        if state.open.contains_key(id) {
            return Err(Unanswered::Twice);
        }
        state.open.insert(id.to_owned(), sender);
        state.answered.remove(id);
        if let Some(requests) = &state.requests {
            // The writer only ends with the conversation, which then says why.
            drop(requests.send(request));
        }
        Ok(answer)
    }

    /// Waits for the answer to a request that was sent, at most as long as `time`.
    ///
    /// # Errors
    /// A conversation that broke.
    pub fn receive(&self, id: &str, answer: &Receiver<T>, time: Duration) -> Result<T, Unanswered<'_>> {
        self.wait(answer, time, true).ok_or_else(|| {
            let broken = self.break_off(Break::Late(id.to_owned()));
            match &broken.why {
                Break::Late(late) if late != id => Unanswered::Ended(broken),
                _ => Unanswered::Broken(broken),
            }
        })
    }

    /// The program's hello.
    pub fn greeting(&self) -> &str {
        self.greeting.get().map_or("", String::as_str)
    }

    /// Waits for what a channel brings; `None` when time is up or the conversation broke.
    fn wait<A>(&self, channel: &Receiver<A>, timeout: Duration, said_hello: bool) -> Option<A> {
        let deadline = Instant::now().checked_add(timeout);
        let mut exited: Option<Instant> = None;
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match channel.recv_timeout(left.map_or(LOOK, |left| left.min(LOOK))) {
                Ok(value) => return Some(value),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if left.is_some_and(|left| left.is_zero()) => return None,
                // What it wrote before it exited may still be on its way.
                Err(RecvTimeoutError::Timeout) if exited.is_some_and(|at| at.elapsed() >= LAST_WORDS) => {
                    self.break_off(Break::Ended { said_hello, rest: None });
                    return None;
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.process.has_exited() {
                        exited.get_or_insert_with(Instant::now);
                    }
                }
            }
        }
    }

    /// The life of the thread that writes.
    fn write(&self, mut stdin: ChildStdin, lines: &Receiver<String>) {
        for line in lines {
            if let Err(error) = stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()) {
                // It has usually exited, which its standard output will tell after the last answers.
                for _ in 0..100 {
                    if self.broken.get().is_some() {
                        return;
                    }
                    thread::sleep(Duration::from_millis(10));
                }
                self.break_off(Break::Refused(format!("does not read its standard input ({error})")));
                return;
            }
        }
    }

    /// The life of the thread that reads.
    fn read(&self, stdout: ChildStdout, greeted: Sender<String>) {
        let mut stdout = BufReader::with_capacity(64 << 10, stdout);
        let mut said_hello = false;
        let mut line = Vec::new();
        let broken = loop {
            match next_line(&mut stdout, &mut line) {
                Ok(Found::Line) => {}
                Ok(Found::End) => break Break::Ended { said_hello, rest: None },
                Ok(Found::Rest) => {
                    let rest = Some(self.lossy(&line));
                    break Break::Ended { said_hello, rest };
                }
                Ok(Found::TooLong) => {
                    let (limit, text) = (MAX_LINE >> 20, self.lossy(&line));
                    break Break::Refused(format!("wrote a line of more than {limit} MiB: {text}"));
                }
                Err(error) => break Break::Refused(format!("cannot be read: {error}")),
            }
            let Ok(text) = std::str::from_utf8(&line) else {
                break Break::Refused(format!("wrote a line that is not UTF-8: {}", self.lossy(&line)));
            };
            let understood = if text.trim_ascii().is_empty() {
                Ok(())
            } else if said_hello {
                let answer = (self.protocol.read)(text, &self.secrets).map_err(Break::Refused);
                answer.and_then(|(id, answer)| self.hand_over(id, answer, text))
            } else {
                said_hello = true;
                // Whoever waits for it may have given up.
                let hello = (self.protocol.check_hello)(text, &self.secrets).map_err(Break::Refused);
                hello.map(|()| {
                    let _ = greeted.send(text.to_owned());
                })
            };
            if let Err(why) = understood {
                break why;
            }
        };
        self.break_off(broken);
        // Only now: whoever waits for the hello finds the reason there.
        drop(greeted);
    }

    /// The beginning of a line that may not be text.
    fn lossy(&self, line: &[u8]) -> String {
        self.secrets.excerpt(&String::from_utf8_lossy(&line[..line.len().min(64 << 10)]))
    }

    /// Gives an answer to whom it belongs.
    fn hand_over(&self, id: String, answer: T, line: &str) -> Result<(), Break> {
        let mut state = self.lock();
        let Some(waiting) = state.open.remove(&id) else {
            let (id, again) = (self.secrets.excerpt(&id), state.answered.contains(&id));
            let how = if again { " a second time" } else { ", which was not asked" };
            return Err(Break::Refused(format!("answered query {id}{how}: {}", self.secrets.excerpt(line))));
        };
        state.answered.insert(id);
        // Whoever waited may have given up.
        drop(waiting.send(answer));
        Ok(())
    }

    /// Ends the conversation, if it has not ended before, and tells why it did.
    fn break_off(&self, why: Break) -> &Broken {
        let broken = self.broken.get_or_init(|| {
            let patience = if let Break::Ended { .. } = why { LAST_WORDS } else { Duration::ZERO };
            let end = self.process.end(patience);
            Broken::new(why, end, &self.tail.lines(LAST_WORDS), &self.secrets)
        });
        let mut state = self.lock();
        state.open.clear();
        state.requests = None;
        broken
    }

    /// Ends a conversation in which all is answered: [closes](Self::close) it and listens to the end.
    ///
    /// # Errors
    /// What the program should not have written after its last answer, or an exit that is no success. One
    /// that does not exit in time is killed, which is no fault of its answers.
    pub fn finish(&self, patience: Duration) -> Result<(), Broken> {
        self.close(patience);
        // What it wrote last may still be on its way; what it started may write on.
        let start = Instant::now();
        while self.broken.get().is_none() && start.elapsed() < LAST_WORDS {
            thread::sleep(Duration::from_millis(5));
        }
        let end = self.process.end(Duration::ZERO);
        let failed = !end.killed && end.status.is_some_and(|status| !status.success());
        match self.broken.get() {
            Some(broken) if !broken.is_end() => Err(broken.clone()),
            _ if failed => {
                let stderr = self.tail.lines(LAST_WORDS);
                Err(Broken::new(Break::Exited, end, &stderr, &self.secrets))
            }
            _ => Ok(()),
        }
    }

    /// Closes the program's standard input, gives it `patience` to exit, and kills what is left.
    pub fn close(&self, patience: Duration) {
        self.lock().requests = None;
        self.process.end(patience);
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Found {
    /// A whole line.
    Line,
    /// The end within a line.
    Rest,
    End,
    TooLong,
}

fn next_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Found> {
    line.clear();
    // What a huge line took is given back.
    line.shrink_to(1 << 20);
    from.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', line)?;
    Ok(match line.last() {
        None => Found::End,
        Some(b'\n') => {
            line.pop();
            Found::Line
        }
        Some(_) if line.len() > MAX_LINE => Found::TooLong,
        Some(_) => Found::Rest,
    })
}
