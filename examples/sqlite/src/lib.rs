//! The application: articles in SQLite, searched with FTS5. It knows nothing of rankgate.

use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, Result, params};

/// A searchable set of articles.
pub struct Articles {
    // SQLite's connections serve one thread at a time. A search takes well under a millisecond here;
    // with a database in a file, each thread would rather have a connection of its own.
    connection: Mutex<Connection>,
    title_weight: f64,
}

impl Articles {
    /// An empty index. `tokenizer` is FTS5's: `unicode61`, `porter unicode61`, `trigram`.
    pub fn new(tokenizer: &str, title_weight: f64) -> Result<Self> {
        let connection = Connection::open_in_memory()?;
        let tokenizer = tokenizer.replace('\'', "''");
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE articles USING fts5(id UNINDEXED, title, body, tokenize = '{tokenizer}')"
        ))?;
        Ok(Self { connection: Mutex::new(connection), title_weight })
    }

    /// Adds articles, each an id, a title and a text, in one transaction.
    pub fn add<E: From<rusqlite::Error>>(
        &self,
        articles: impl IntoIterator<Item = std::result::Result<(String, String, String), E>>,
    ) -> std::result::Result<(), E> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection.transaction()?;
        for article in articles {
            let (id, title, body) = article?;
            transaction
                .prepare_cached("INSERT INTO articles (id, title, body) VALUES (?1, ?2, ?3)")?
                .execute(params![id, title, body])?;
        }
        Ok(transaction.commit()?)
    }

    /// The best articles for what somebody typed, each with its score.
    pub fn search(&self, text: &str, limit: usize) -> Result<Vec<(String, f64)>> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        // FTS5's bm25() is negative, the best being the smallest. Equal scores are ordered by id: an
        // order that SQLite does not promise would make the gate `deterministic` fail one day.
        let mut statement = connection.prepare_cached(
            "SELECT id, -bm25(articles, 0, ?2, 1) AS score FROM articles WHERE articles MATCH ?1
             ORDER BY score DESC, id LIMIT ?3",
        )?;
        let rows = statement.query_map(params![any_word(text), self.title_weight, limit as i64], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        rows.collect()
    }
}

/// What was typed as an FTS5 expression: each word quoted, since `-`, `'` or `AND` would be syntax,
/// and joined by OR, since the default is that every word must occur.
fn any_word(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ")
}
