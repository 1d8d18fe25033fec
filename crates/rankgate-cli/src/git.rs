//! Commits, and files as they were.

use std::path::Path;
use std::sync::Arc;

use rankgate::BoxError;
use rankgate::git::Git;
use rankgate_history::Commit;

/// A repository.
pub(crate) struct Repository {
    git: Git,
}

/// A file as a commit has it: the commit, and the name of its content, if the file is there at all.
pub(crate) type Blob = (String, Option<String>);

impl Repository {
    /// The one that a folder is in.
    pub(crate) fn containing(folder: &Path) -> Result<Self, BoxError> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let unreadable = |error: rankgate::Error| match error.to_string() {
            why if why.contains("not a git repository") => {
                "This folder is not in a git repository.".to_owned()
            }
            why => format!("{}: its commits cannot be read: {why}", folder.display()),
        };
        let git = Git::around(folder).map_err(unreadable)?;
        // Whether git is there, and takes the repository.
        git.ask(&["rev-parse", "--git-dir"]).map_err(unreadable)?;
        Ok(Self { git })
    }

    /// The first-parent line of the checkout, oldest first, with the releases whose tags match one of the patterns.
    pub(crate) fn line(&self, releases: &[String]) -> Result<Vec<Commit>, BoxError> {
        self.ask(&["rev-parse", "--verify", "--quiet", "HEAD"])
            .map_err(|_| format!("{}: this repository has no commit yet", self.git.top().display()))?;
        let text = self.ask(&[
            "rev-list",
            "--first-parent",
            "--reverse",
            "--format=%H%x09%ct%x09%an%x09%s",
            "HEAD",
            "--",
        ])?;
        let mut line: Vec<Commit> = text.lines().filter_map(commit).collect();
        let mut arguments = Vec::from(["for-each-ref".to_owned()]);
        arguments.push("--format=%(objectname)%09%(*objectname)%09%(refname:short)".to_owned());
        arguments.extend(releases.iter().map(|pattern| format!("refs/tags/{pattern}")));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        for tag in self.ask(&arguments)?.lines() {
            let mut parts = tag.splitn(3, '\t');
            // Of an annotated tag the commit that it is on.
            let (own, behind, name) = (parts.next(), parts.next(), parts.next().unwrap_or_default());
            let id = behind.filter(|id| !id.is_empty()).or(own);
            if let Some(commit) = line.iter_mut().find(|commit| Some(commit.id.as_str()) == id) {
                commit.releases.push(name.to_owned());
            }
        }
        Ok(line)
    }

    /// The branch that is checked out, if one is.
    pub(crate) fn branch(&self) -> Option<String> {
        Some(self.ask(&["symbolic-ref", "--quiet", "--short", "HEAD"]).ok()?.trim().to_owned())
    }

    /// Whether older commits are missing here.
    pub(crate) fn is_shallow(&self) -> bool {
        self.ask(&["rev-parse", "--is-shallow-repository"]).is_ok_and(|said| said.trim() == "true")
    }

    /// The commits of the line that changed a file, oldest first, each with the file's new content. Before a commit that
    /// moved it there, those that changed it where it was.
    pub(crate) fn changes(&self, file: &Path) -> Result<Vec<Blob>, BoxError> {
        // A commit is compared with the first of those that are named beside it.
        let line = self.ask(&["rev-list", "--first-parent", "--reverse", "--parents", "HEAD", "--"])?;
        let mut pairs: Vec<&str> = line.lines().map(first_two).collect();
        let (mut path, mut found) = (self.inside(file)?, Vec::new());
        loop {
            let own = self.changes_at(&path, &pairs)?;
            let begins = own.iter().rposition(|change| change.is_new).unwrap_or(0);
            let added = own.get(begins).filter(|change| change.is_new);
            let place =
                added.and_then(|change| pairs.iter().position(|pair| pair.starts_with(&change.commit)));
            let before = match place {
                Some(place) => self.moved_from(pairs[place], &path)?.map(|before| (place, before)),
                None => None,
            };
            let Some((place, before)) = before else {
                found.splice(0..0, own.into_iter().map(Change::into_blob));
                return Ok(found);
            };
            found.splice(0..0, own.into_iter().skip(begins).map(Change::into_blob));
            pairs.truncate(place);
            path = before;
        }
    }

    /// The same at one path, of commits with their first parents.
    fn changes_at(&self, path: &str, pairs: &[&str]) -> Result<Vec<Change>, BoxError> {
        let arguments = ["diff-tree", "--stdin", "--root", "-r", "--raw", "--no-abbrev", "--no-renames"];
        let arguments = [&arguments[..], &["--no-ext-diff", "--no-textconv", "--", path]].concat();
        let pairs: String = pairs.iter().map(|pair| format!("{pair}\n")).collect();
        let (mut commit, mut found) = (String::new(), Vec::new());
        for line in String::from_utf8_lossy(&self.git.ask_with(&arguments, &pairs)?).lines() {
            if let Some([before, after]) = line.split_once('\t').and_then(|(entry, _)| blobs(entry)) {
                let is_new = after.is_some() && before.is_none();
                found.push(Change { commit: commit.clone(), blob: after.map(str::to_owned), is_new });
            } else if let Some(id) = line.split(' ').next() {
                id.clone_into(&mut commit);
            }
        }
        Ok(found)
    }

    /// The path from which a commit moved a file: one of the same name that is alike, or of another name with the same
    /// content. What is alike under another name may be of another configuration.
    fn moved_from(&self, pair: &str, path: &str) -> Result<Option<String>, BoxError> {
        let Some((commit, parent)) = pair.split_once(' ') else { return Ok(None) };
        let arguments =
            ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--find-renames", "--diff-filter=R"];
        let listed =
            self.ask(&[&arguments[..], &["--no-ext-diff", "--no-textconv", parent, commit, "--"]].concat())?;
        let mut parts = listed.split_terminator('\0');
        while let (Some(raw), Some(from), Some(to)) = (parts.next(), parts.next(), parts.next()) {
            let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
            let is_same = raw.ends_with(" R100");
            if to == path && (is_same || name(from) == name(path)) {
                return Ok(Some(from.to_owned()));
            }
        }
        Ok(None)
    }

    /// A file's path in the repository.
    fn inside(&self, file: &Path) -> Result<String, BoxError> {
        let failed = |error| format!("cannot read {}: {error}", file.display());
        let (folder, name) = (file.parent().unwrap_or(Path::new("")), file.file_name().unwrap_or_default());
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let whole = folder.canonicalize().map_err(failed)?.join(name);
        let top = self.git.top().canonicalize().map_err(failed)?;
        let inside =
            whole.strip_prefix(&top).map_err(|_| format!("{} is not in the repository", file.display()))?;
        Ok(inside.display().to_string().replace('\\', "/"))
    }

    /// Contents by their names, in their order.
    pub(crate) fn contents(&self, blobs: &[&str]) -> Result<Vec<Arc<[u8]>>, BoxError> {
        let names: String = blobs.iter().map(|blob| format!("{blob}\n")).collect();
        let answer = self.git.ask_with(&["cat-file", "--batch"], &names)?;
        let (mut left, mut found) = (answer.as_slice(), Vec::with_capacity(blobs.len()));
        for blob in blobs {
            let end = left.iter().position(|byte| *byte == b'\n').unwrap_or(left.len());
            let head = String::from_utf8_lossy(&left[..end]);
            let size = head.rsplit(' ').next().and_then(|size| size.parse::<usize>().ok());
            let content = size.and_then(|size| left.get(end + 1..end + 1 + size)).ok_or_else(|| {
                format!(
                    "git does not have {blob}: {head}; a shallow or partial clone lacks contents, which `git fetch` gets"
                )
            })?;
            found.push(Arc::from(content));
            // A line ends behind each content.
            left = left.get(end + content.len() + 2..).unwrap_or_default();
        }
        Ok(found)
    }

    fn ask(&self, arguments: &[&str]) -> Result<String, BoxError> {
        Ok(self.git.ask(arguments)?)
    }
}

/// A commit that changed a file.
struct Change {
    commit: String,
    /// The name of its content; `None` where the commit removed it.
    blob: Option<String>,
    /// Whether it was not there before.
    is_new: bool,
}

impl Change {
    fn into_blob(self) -> Blob {
        (self.commit, self.blob)
    }
}

/// The names of a content before and after, of an entry such as `:100644 100644 ID ID M`; none where there was no file.
fn blobs(entry: &str) -> Option<[Option<&str>; 2]> {
    let fields: Vec<&str> = entry.strip_prefix(':')?.split(' ').collect();
    let [_, _, before, after, _] = *fields else { return None };
    let named = |blob| Some(blob).filter(|blob: &&str| blob.bytes().any(|byte| byte != b'0'));
    Some([named(before), named(after)])
}

/// The first two words of a line.
fn first_two(line: &str) -> &str {
    line.match_indices(' ').nth(1).map_or(line, |(end, _)| &line[..end])
}

fn commit(line: &str) -> Option<Commit> {
    let mut parts = line.splitn(4, '\t');
    let (id, time) = (parts.next()?, parts.next()?.parse().ok()?);
    let [author, subject] = [(); 2].map(|()| parts.next().unwrap_or_default().to_owned());
    Some(Commit { id: id.to_owned(), time, subject, author, releases: Vec::new() })
}
