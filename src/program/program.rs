//! What is to be started.

use std::io;
use std::path::{Path, PathBuf, absolute};
use std::process::{Child, Command, Stdio};

use crate::error::Quoted;
use crate::secrets::Secrets;

/// A program with everything that it is started with.
#[derive(Clone, Debug)]
pub struct Program {
    /// The command as it is shown: variables as they are written.
    pub shown: String,
    /// The program: a path, relative to `folder`, or a name that is looked up in `PATH`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Variables added to the environment, by name.
    pub environment: Vec<(String, String)>,
    /// What must not be shown of all this.
    pub secrets: Secrets,
}

impl Program {
    /// Starts it, with pipes to it, leading a process group of its own.
    ///
    /// # Errors
    /// Why it does not start, for people.
    pub(super) fn start(&self) -> Result<Child, String> {
        if !self.folder.is_dir() {
            return Err(format!("cannot start {}: {} is not a folder", self.name(), self.place()));
        }
        let mut command = Command::new(self.path());
        command.args(&self.arguments).current_dir(&self.folder);
        // Most programs that answer here are Python's, which keeps what it prints to itself while
        // nobody sees a terminal: a conversation would stop at its first line.
        if std::env::var_os("PYTHONUNBUFFERED").is_none() {
            command.env("PYTHONUNBUFFERED", "1");
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map_err(|error| {
            let mut message = format!("cannot start {} in {}: {error}", self.name(), self.place());
            if error.kind() == io::ErrorKind::NotFound {
                message += if self.path().is_file() {
                    "\nthe file is there; what its first line names to run it is not"
                } else if self.is_looked_up() {
                    "\na name without `/` is looked up in PATH"
                } else {
                    "\nthe path of a program is relative to the folder that it runs in"
                };
            }
            message
        })
    }

    /// The program, as the spec writes it.
    fn name(&self) -> String {
        Quoted(&self.secrets.hide(&self.program)).to_string()
    }

    fn place(&self) -> String {
        let folder = absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
        let folder: PathBuf = folder.components().collect();
        Quoted(&self.secrets.hide(&folder.display().to_string())).to_string()
    }

    fn is_looked_up(&self) -> bool {
        Path::new(&self.program).parent() == Some(Path::new(""))
    }

    /// What to start. Whether a relative path is meant against the folder of this process or that of
    /// the new one differs between systems, so none is left.
    fn path(&self) -> PathBuf {
        if self.is_looked_up() {
            return PathBuf::from(&self.program);
        }
        let path = self.folder.join(&self.program);
        absolute(&path).unwrap_or(path)
    }
}
