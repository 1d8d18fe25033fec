//! The README and the pages of the book, read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::repository::root;

/// A page: its path in the repository, and its text.
pub(crate) struct Page {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A fenced block: its language, the line it begins on, and what is in it.
pub(crate) struct Block<'p> {
    pub(crate) language: &'p str,
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Page {
    pub(crate) fn read(path: &str) -> Self {
        Self { path: path.to_owned(), text: fs::read_to_string(here(path)).unwrap() }
    }

    pub(crate) fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut open: Option<usize> = None;
        for (number, line) in self.text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            match (open, line.trim_start().strip_prefix("```")) {
                (None, Some(language)) => {
                    blocks.push(Block { language, line: number + 1, text: String::new() });
                    open = Some(indent);
                }
                (Some(_), Some("")) => open = None,
                (Some(margin), _) => {
                    let block = blocks.last_mut().unwrap();
                    block.text += line.get(margin..).unwrap_or_default();
                    block.text += "\n";
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block has no end", self.path);
        blocks
    }

    pub(crate) fn in_language(&self, language: &str) -> Vec<Block<'_>> {
        self.blocks().into_iter().filter(|block| block.language == language).collect()
    }

    /// The text outside of blocks.
    pub(crate) fn prose(&self) -> String {
        let mut inside = false;
        let lines = self.text.lines().filter(|line| {
            let fence = line.trim_start().starts_with("```");
            inside ^= fence;
            !inside && !fence
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

pub(crate) fn here(path: &str) -> PathBuf {
    root().join(path)
}

/// The pages of the book.
pub(crate) fn book() -> Vec<Page> {
    let folders = ["docs", "docs/howto", "docs/validation"];
    let paths = folders.into_iter().flat_map(|folder| files(&[folder], ".md"));
    let root = here("");
    let paths = paths.map(|(path, _)| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned());
    let pages: Vec<Page> = paths.map(|path| Page::read(&path)).collect();
    assert!(pages.len() > 25, "{} pages", pages.len());
    pages
}

/// The README and the book.
pub(crate) fn pages() -> Vec<Page> {
    std::iter::once(Page::read("README.md")).chain(book()).collect()
}

/// What pages are read beside: the folder of a clone, with the shipped data.
pub(crate) fn clone() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["examples/data", "golden"] {
        copy(&here(name), &folder.path().join(name));
    }
    fs::copy(here("examples/helpdesk.yaml"), folder.path().join("examples/helpdesk.yaml")).unwrap();
    folder
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

/// The files of the folders that end so.
pub(crate) fn files(folders: &[&str], end: &str) -> Vec<(PathBuf, String)> {
    let entries = folders.iter().flat_map(|folder| fs::read_dir(here(folder)).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.to_string_lossy().ends_with(end) && path.is_file());
    paths.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}
