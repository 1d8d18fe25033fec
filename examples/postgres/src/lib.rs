//! The application: articles in PostgreSQL, searched by words or by vectors. It is async and knows
//! nothing of rankgate.

mod vectors;

use std::sync::atomic::{AtomicUsize, Ordering};

use pgvector::Vector;
use tokio_postgres::{Client, Error, NoTls, Row};

pub use vectors::Vectors;

/// An article to be found.
pub struct Article {
    pub id: String,
    pub title: String,
    pub body: String,
}

/// Several connections to one server: a connection answers one query after the other.
pub struct Connections {
    clients: Vec<Client>,
    next: AtomicUsize,
}

impl Connections {
    /// Connects, and makes an empty schema, which replaces one of the same name.
    pub async fn open(url: &str, schema: &str, count: usize) -> Result<Self, Error> {
        let mut clients = Vec::new();
        for _ in 0..count {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            // It ends when its client is dropped; what goes wrong with it, the client's calls return.
            tokio::spawn(connection);
            client.batch_execute(&format!("SET search_path TO \"{schema}\", public")).await?;
            clients.push(client);
        }
        let connections = Self { clients, next: AtomicUsize::new(0) };
        let fresh = format!("DROP SCHEMA IF EXISTS \"{schema}\" CASCADE; CREATE SCHEMA \"{schema}\"");
        connections.client().batch_execute(&fresh).await?;
        Ok(connections)
    }

    fn client(&self) -> &Client {
        &self.clients[self.next.fetch_add(1, Ordering::Relaxed) % self.clients.len()]
    }
}

/// Full-text search: `tsvector`, `ts_rank_cd`.
pub struct ByWords {
    connections: Connections,
    language: String,
}

impl ByWords {
    /// Stores and indexes the articles. `language` is a text search configuration: `english`, `simple`.
    pub async fn build(
        connections: Connections,
        language: &str,
        articles: &[Article],
    ) -> Result<Self, Error> {
        let client = connections.client();
        client.batch_execute("CREATE TABLE articles (id text PRIMARY KEY, words tsvector NOT NULL)").await?;
        let insert = client
            .prepare(
                "INSERT INTO articles VALUES ($1, setweight(to_tsvector($2::text::regconfig, $3), 'A')
                                                  || to_tsvector($2::text::regconfig, $4))",
            )
            .await?;
        for Article { id, title, body } in articles {
            client.execute(&insert, &[id, &language, title, body]).await?;
        }
        client.batch_execute("CREATE INDEX ON articles USING gin (words); ANALYZE articles").await?;
        Ok(Self { connections, language: language.to_owned() })
    }

    /// The best articles for what somebody typed, each with its score.
    pub async fn search(&self, text: &str, limit: usize) -> Result<Vec<(String, f64)>, Error> {
        // plainto_tsquery joins words by AND, which finds next to nothing for a whole sentence.
        let sql = "WITH typed AS (
                       SELECT replace(plainto_tsquery($1::text::regconfig, $2)::text, '&', '|')::tsquery AS query)
                   SELECT id, ts_rank_cd(words, query, 1)::float8 AS score FROM articles, typed
                   WHERE words @@ query ORDER BY score DESC, id LIMIT $3";
        let rows = self.connections.client().query(sql, &[&self.language, &text, &(limit as i64)]).await?;
        Ok(rows.iter().map(pair).collect())
    }
}

/// Nearest neighbours: pgvector, by cosine.
pub struct ByVectors {
    connections: Connections,
    vectors: Vectors,
}

impl ByVectors {
    /// Stores the articles' vectors. With `ef_search` they are found through an HNSW index, approximately
    /// and fast; without, by looking at all of them.
    pub async fn build(
        connections: Connections,
        vectors: Vectors,
        dimensions: usize,
        ef_search: Option<u32>,
        articles: &[Article],
    ) -> Result<Self, Error> {
        let client = connections.client();
        // The lock: two of these may be built at the same time, and IF NOT EXISTS alone is a race.
        client
            .batch_execute(&format!(
                "BEGIN; SELECT pg_advisory_xact_lock(1); CREATE EXTENSION IF NOT EXISTS vector SCHEMA public; COMMIT;
                 CREATE TABLE articles (id text PRIMARY KEY, place vector({dimensions}) NOT NULL)"
            ))
            .await?;
        let insert = client.prepare("INSERT INTO articles VALUES ($1, $2)").await?;
        for article in articles {
            let place = Vector::from(vectors.embed(&format!("{} {}", article.title, article.body)));
            client.execute(&insert, &[&article.id, &place]).await?;
        }
        client.batch_execute("ANALYZE articles").await?;
        if let Some(ef_search) = ef_search {
            client.batch_execute("CREATE INDEX ON articles USING hnsw (place vector_cosine_ops)").await?;
            for client in &connections.clients {
                // So few rows would be read one by one otherwise.
                let settings = format!("SET enable_seqscan = off; SET hnsw.ef_search = {ef_search}");
                client.batch_execute(&settings).await?;
            }
        }
        Ok(Self { connections, vectors })
    }

    /// The nearest articles to what somebody typed, each with its similarity.
    pub async fn search(&self, text: &str, limit: usize) -> Result<Vec<(String, f64)>, Error> {
        let place = Vector::from(self.vectors.embed(text));
        let sql = "SELECT id, 1 - (place <=> $1) AS score FROM articles ORDER BY place <=> $1 LIMIT $2";
        let rows = self.connections.client().query(sql, &[&place, &(limit as i64)]).await?;
        Ok(rows.iter().map(pair).collect())
    }
}

fn pair(row: &Row) -> (String, f64) {
    (row.get(0), row.get(1))
}
