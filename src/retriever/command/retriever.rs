//! A program as a retriever.

use std::sync::Arc;
use std::time::Duration;

use crate::collection::Query;
use crate::retriever::{BoxError, Limit, Retriever};
use crate::run::Hit;

use super::conversation::Conversation;
use super::{Hello, Program};

/// A program may load a model and index the documents before it says hello.
const HELLO: Duration = Duration::from_secs(300);
/// Time to exit once standard input has ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// A program that was started once and answers all queries.
pub(crate) struct CommandRetriever {
    conversation: Arc<Conversation>,
    limit: Limit,
}

impl CommandRetriever {
    /// Starts the program and waits for its hello.
    ///
    /// A query may take as long as `limit` says; the program may take at least five minutes to say hello.
    ///
    /// # Errors
    /// A program that cannot be started, or that does not say hello as it should.
    pub(crate) fn start(program: &Program, hello: Hello<'_>, limit: Limit) -> Result<Self, BoxError> {
        Self::start_within(program, hello, limit, HELLO.max(limit.time))
    }

    /// Ends the program, once all queries are answered.
    ///
    /// # Errors
    /// An exit that is no success, or anything written after the last answer.
    pub(crate) fn finish(&self) -> Result<(), String> {
        self.conversation.finish(GOODBYE)
    }

    pub(super) fn start_within(
        program: &Program,
        hello: Hello<'_>,
        limit: Limit,
        patience: Duration,
    ) -> Result<Self, BoxError> {
        Ok(Self { conversation: Conversation::start(program, hello, patience)?, limit })
    }
}

impl Retriever for CommandRetriever {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        self.conversation.ask(query, depth, self.limit)
    }
}

impl Drop for CommandRetriever {
    fn drop(&mut self) {
        self.conversation.close(GOODBYE);
    }
}
