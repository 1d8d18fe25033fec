//! A program as a retriever.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Hello;
use super::broken::{why_broken, why_unstarted};
use super::message::{self, Reply};
use crate::collection::Query;
use crate::error::Quoted;
use crate::program::{Conversation, Program, Protocol, Unanswered};
use crate::retriever::in_line::NotReached;
use crate::retriever::said::{Answer, AnswersByQuery};
use crate::retriever::{BoxError, Limit, Response, Retriever};
use crate::run::Hit;

/// A program may load a model and index the documents before it says hello.
const HELLO: Duration = Duration::from_secs(300);
/// Time to exit once standard input has ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// A program that was started once and answers all queries.
pub(crate) struct CommandRetriever {
    conversation: Arc<Conversation<Reply>>,
    said: AnswersByQuery,
    /// The command as it is shown.
    command: String,
    limit: Limit,
    /// How many queries it gets at once.
    batch: usize,
}

impl CommandRetriever {
    /// Starts the program and waits for its hello.
    ///
    /// A query may take as long as `limit` says; the program may take at least five minutes to say hello.
    ///
    /// # Errors
    /// A program that cannot be started, or that does not say hello as it should.
    pub(crate) fn start(program: &Program, hello: Hello<'_>, limit: Limit) -> Result<Self, BoxError> {
        Self::start_within(program, hello, limit, Self::patience(limit))
    }

    /// How long the program may take to say hello.
    pub(crate) fn patience(limit: Limit) -> Duration {
        HELLO.max(limit.time)
    }

    /// Ends the program, once all queries are answered.
    ///
    /// # Errors
    /// An exit that is no success, or anything written after the last answer.
    pub(crate) fn finish(&self) -> Result<(), String> {
        let finished = self.conversation.finish(GOODBYE);
        finished.map_err(|broken| why_broken(&broken, &self.command, self.limit, None))
    }

    pub(super) fn start_within(
        program: &Program,
        hello: Hello<'_>,
        limit: Limit,
        patience: Duration,
    ) -> Result<Self, BoxError> {
        let protocol = Protocol { check_hello: message::check_retriever_hello, read: message::answer };
        let conversation = Conversation::start(program, protocol, hello.line(), patience)
            .map_err(|why| why_unstarted(why, &program.shown, limit))?;
        // Its hello has been checked.
        let batch = message::batch(conversation.greeting()).unwrap_or(1);
        Ok(Self {
            conversation,
            said: AnswersByQuery::default(),
            command: program.shown.clone(),
            limit,
            batch,
        })
    }

    /// The reply to a query, or why there is none.
    fn response(
        &self,
        query: &Query,
        reply: Result<Reply, Unanswered<'_>>,
        limit: Limit,
    ) -> Result<Response, BoxError> {
        match reply {
            Ok(Ok((response, said))) => {
                self.said.keep(&query.id, said);
                Ok(response)
            }
            Ok(Err(why)) => Err(why.into()),
            Err(Unanswered::Twice) => {
                Err(format!("query {} is asked twice at once", Quoted(&query.id)).into())
            }
            Err(Unanswered::Broken(broken)) => {
                Err(why_broken(broken, &self.command, limit, Some(query)).into())
            }
            Err(Unanswered::Ended(broken)) => {
                Err(NotReached(why_broken(broken, &self.command, limit, Some(query))).into())
            }
        }
    }
}

impl Retriever for CommandRetriever {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        self.respond(query, depth).map(|response| response.hits)
    }

    fn respond(&self, query: &Query, depth: usize) -> Result<Response, BoxError> {
        let reply = self.conversation.ask(&query.id, message::request(query, depth), self.limit.time);
        self.response(query, reply, self.limit)
    }

    fn batch_size(&self) -> usize {
        self.batch
    }

    fn retrieve_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Vec<Hit>, BoxError>> {
        let responses = self.respond_batch(queries, depth).into_iter();
        responses.map(|response| response.map(|response| response.hits)).collect()
    }

    fn respond_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Response, BoxError>> {
        // A batch has the time of its queries together.
        let number = u32::try_from(queries.len()).unwrap_or(u32::MAX);
        let (limit, start) = (
            Limit { time: self.limit.time.saturating_mul(number), queries: number, ..self.limit },
            Instant::now(),
        );
        // All are there before the first answer is waited for.
        let open: Vec<_> = queries
            .iter()
            .map(|query| self.conversation.send(&query.id, message::request(query, depth)))
            .collect();
        let replies = queries.iter().zip(open).map(|(query, open)| {
            let left = limit.time.saturating_sub(start.elapsed());
            let reply = open.and_then(|open| self.conversation.receive(&query.id, &open, left));
            self.response(query, reply, limit)
        });
        replies.collect()
    }

    fn take_answers(&self) -> BTreeMap<String, Answer> {
        self.said.take()
    }
}

impl Drop for CommandRetriever {
    fn drop(&mut self) {
        self.conversation.close(GOODBYE);
    }
}
