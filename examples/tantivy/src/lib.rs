//! The search of a help centre on tantivy: what this crate is about. It knows nothing of rankgate.

use serde::Deserialize;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::tokenizer::{
    Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer,
};
use tantivy::{Index, IndexReader, TantivyDocument, TantivyError, Term, doc};

/// What can be chosen; a benchmark writes it as `params:`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Settings {
    /// Brings the forms of a word together, by the rules of this language.
    pub stemmer: Option<Language>,
    /// Leaves out `the`, `of` and the like, of this language.
    pub stop_words: Option<Language>,
    /// How much more a word counts in the title.
    pub title_boost: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { stemmer: None, stop_words: None, title_boost: 1.0 }
    }
}

/// A page of the help centre.
pub struct Page {
    pub id: String,
    pub title: String,
    pub body: String,
}

/// An index in memory.
pub struct Search {
    reader: IndexReader,
    analyzer: TextAnalyzer,
    id: Field,
    /// Each with its boost.
    searched: [(Field, f32); 2],
}

const ANALYZER: &str = "help";

impl Search {
    /// Indexes the pages.
    pub fn build(settings: &Settings, pages: impl IntoIterator<Item = Page>) -> tantivy::Result<Self> {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(ANALYZER)
            .set_index_option(IndexRecordOption::WithFreqs);
        let text = TextOptions::default().set_indexing_options(indexing);
        let mut schema = Schema::builder();
        let id = schema.add_text_field("id", STRING | STORED);
        let title = schema.add_text_field("title", text.clone());
        let body = schema.add_text_field("body", text);

        let index = Index::create_in_ram(schema.build());
        let analyzer = analyzer(settings)?;
        index.tokenizers().register(ANALYZER, analyzer.clone());

        // One thread: several would number the pages differently each time, and tantivy puts pages with equal
        // scores in the order of their numbers. `deterministic: true` would fail.
        let mut writer = index.writer_with_num_threads(1, 20_000_000)?;
        for page in pages {
            writer.add_document(doc!(id => page.id, title => page.title, body => page.body))?;
        }
        writer.commit()?;
        let searched = [(title, settings.title_boost), (body, 1.0)];
        Ok(Self { reader: index.reader()?, analyzer, id, searched })
    }

    /// The ids and scores of the best `limit` pages that have a word of the query.
    pub fn find(&self, query: &str, limit: usize) -> tantivy::Result<Vec<(String, f32)>> {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut analyzer = self.analyzer.clone();
        let mut words = analyzer.token_stream(query);
        while let Some(word) = words.next() {
            for (field, boost) in self.searched {
                let term = Term::from_field_text(field, &word.text);
                let term = TermQuery::new(term, IndexRecordOption::WithFreqs);
                clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(term), boost))));
            }
        }
        let searcher = self.reader.searcher();
        let found =
            searcher.search(&BooleanQuery::new(clauses), &TopDocs::with_limit(limit).order_by_score())?;
        found
            .into_iter()
            .map(|(score, address)| {
                let page: TantivyDocument = searcher.doc(address)?;
                let id = page.get_first(self.id).and_then(|id| id.as_str());
                let id = id.ok_or_else(|| TantivyError::InternalError("a page without an id".to_owned()))?;
                Ok((id.to_owned(), score))
            })
            .collect()
    }
}

fn analyzer(settings: &Settings) -> tantivy::Result<TextAnalyzer> {
    let mut chain = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(40))
        .filter(LowerCaser)
        .dynamic();
    if let Some(language) = settings.stop_words {
        let words = StopWordFilter::new(language).ok_or_else(|| {
            TantivyError::InvalidArgument(format!("there are no stop words for {language:?}"))
        })?;
        chain = chain.filter_dynamic(words);
    }
    if let Some(language) = settings.stemmer {
        chain = chain.filter_dynamic(Stemmer::new(language));
    }
    Ok(chain.build())
}
