//! What gates on judgments of a model read: the committed files of judgments and grades, answers and their claims.

mod answers;
mod files;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

use crate::Result;
use crate::collection::{Collection, Document};

use self::answers::AnswerFiles;
pub(crate) use self::answers::{AnswersOf, again_name, blessed_name};
use self::files::JudgedFiles;

/// What was read of it so far.
#[derive(Default)]
pub(super) struct Judgments {
    files: OnceLock<Result<Arc<JudgedFiles>>>,
    /// What answerers said, by what they were asked.
    said: Mutex<BTreeMap<String, Result<String>>>,
    /// By metric of answers.
    answers: Mutex<BTreeMap<String, Result<Arc<AnswerFiles>>>>,
}

/// These documents, by id, as far as the corpus has them; none without a corpus.
fn documents<'a>(
    collection: &Collection,
    ids: impl Iterator<Item = &'a str>,
) -> Result<HashMap<String, Document>> {
    collection.corpus().map_or_else(|_| Ok(HashMap::new()), |corpus| corpus.find(ids))
}
