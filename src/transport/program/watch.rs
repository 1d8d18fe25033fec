//! Ends a program when this process has ended, however it did, and whoever left the program's group.
//!
//! A process that is killed cannot end anything any more. So another one watches: a shell that reads from a pipe, whose
//! other end this process alone holds. When that closes, the shell kills. Whoever left the group is known by a variable
//! of its environment, which children inherit.

#[cfg(unix)]
use std::process::{Child, Command, Stdio};

/// The variable by which those are known that a program started.
const VARIABLE: &str = "RANKGATE_PROGRAM";

/// What the shell does: it reads which group it is, and then waits. `end` says that there is nothing left to do; the end
/// of its input that nobody is left to say so. The program has noticed that its own input ended, and has two seconds.
/// `kill -9 -N` without `--` is what all shells read.
#[cfg(unix)]
const SCRIPT: &str = r#"
trap '' HUP INT TERM QUIT PIPE
read -r group
read -r order
[ "$order" = end ] && exit 0
tries=0
while [ -n "$group" ] && [ $tries -lt 20 ] && kill -0 "-$group" 2>/dev/null; do
    sleep 0.1
    tries=$((tries + 1))
done
[ -n "$group" ] && kill -9 "-$group" 2>/dev/null
tries=0
while [ $tries -lt 10 ]; do
    found=
    for place in $(grep -ls "$1" /proc/[0-9]*/environ 2>/dev/null); do
        place=${place#/proc/}
        kill -9 "${place%/environ}" 2>/dev/null && found=yes
    done
    [ -n "$found" ] || exit 0
    tries=$((tries + 1))
    sleep 0.1
done
"#;

/// So often is looked for those who left the group: one may start another meanwhile.
#[cfg(target_os = "linux")]
const ROUNDS: usize = 20;

/// Who watches over a program.
pub(super) struct Watch {
    /// The mark of those that the program starts.
    mark: String,
    /// `None` where there is no shell.
    #[cfg(unix)]
    shell: Option<Child>,
}

impl Watch {
    /// Begins, before there is a program.
    pub(super) fn start() -> Self {
        use std::hash::{BuildHasher, Hasher, RandomState};

        let random = || RandomState::new().build_hasher().finish();
        let mark = format!("{}-{:016x}{:016x}", std::process::id(), random(), random());
        #[cfg(unix)]
        {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", SCRIPT, "rankgate"]).arg(format!("{VARIABLE}={mark}"));
            // Nothing of this process's environment is its business, and no signal of the terminal.
            shell.env_clear().env("PATH", "/usr/bin:/bin:/usr/local/bin").current_dir("/");
            shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            std::os::unix::process::CommandExt::process_group(&mut shell, 0);
            Self { mark, shell: shell.spawn().ok() }
        }
        #[cfg(not(unix))]
        {
            warn();
            Self { mark }
        }
    }

    /// The variable that the program gets.
    pub(super) fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.mark)
    }

    /// Says which program it is: its id, which is that of its group as well.
    pub(super) fn follow(&mut self, id: u32) {
        self.say(&format!("{id}\n"));
    }

    /// Ends those who left the program's group, which has ended, and with them the watch.
    pub(super) fn end(&mut self) {
        #[cfg(target_os = "linux")]
        for _ in 0..ROUNDS {
            if !strays(&format!("{VARIABLE}={}", self.mark)) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        self.dismiss();
    }

    /// There is nothing to watch over.
    pub(super) fn dismiss(&mut self) {
        self.say("end\nend\n");
        #[cfg(unix)]
        if let Some(mut shell) = self.shell.take() {
            drop(shell.stdin.take());
            drop(shell.wait());
        }
    }

    #[cfg(unix)]
    fn say(&mut self, text: &str) {
        use std::io::Write;
        if let Some(stdin) = self.shell.as_mut().and_then(|shell| shell.stdin.as_mut()) {
            // A shell that is gone watches no more.
            drop(stdin.write_all(text.as_bytes()));
        }
    }

    #[cfg(not(unix))]
    fn say(&mut self, _: &str) {}
}

/// Says once that there is nobody to watch.
#[cfg(not(unix))]
#[expect(clippy::print_stderr, reason = "for people: what was started outlives the command")]
fn warn() {
    static SAID: std::sync::Once = std::sync::Once::new();
    SAID.call_once(|| {
        eprintln!(
            "note: on this system a program is ended, and what it started is not: a retriever that starts processes has to end \
             them when its input ends"
        );
    });
}

/// Kills whoever has this in its environment; says whether there was somebody.
#[cfg(target_os = "linux")]
fn strays(mark: &str) -> bool {
    use rustix::process::{Pid, Signal, kill_process};

    let mut found = false;
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let id = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        let Some(id) = id else { continue };
        // Those of other users cannot be read, and a process that has ended has none.
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else { continue };
        if memchr::memmem::find(&environment, mark.as_bytes()).is_some() {
            found |= kill_process(id, Signal::KILL).is_ok();
        }
    }
    found
}
