//! How good the search is, as ordinary tests: no spec, no golden files, no runner of its own.

use std::path::Path;
use std::sync::LazyLock;

use plain::{Scoring, Search};
use rankgate::{Collection, Evaluation, Hit, evaluate};

/// 291 pages and 162 queries with judgments from 0 to 3.
static HELPDESK: LazyLock<Collection> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/helpdesk");
    Collection::beir(folder, "test").unwrap_or_else(|error| panic!("{error}"))
});

static SHARED_WORDS: LazyLock<Evaluation> = LazyLock::new(|| evaluation(Scoring::SharedWords));
static RARE_WORDS: LazyLock<Evaluation> = LazyLock::new(|| evaluation(Scoring::RareWords));

/// Asks every query for its best 100 pages.
fn evaluation(scoring: Scoring) -> Evaluation {
    let documents = HELPDESK.corpus().and_then(|corpus| corpus.documents()?.collect::<Result<Vec<_>, _>>());
    let documents = documents.unwrap_or_else(|error| panic!("{error}"));
    let pages = documents.into_iter().map(|page| {
        let text = format!("{} {}", page.title.unwrap_or_default(), page.text);
        (page.id, text)
    });
    let search = Search::new(scoring, pages);
    evaluate(&HELPDESK, 100, |query, depth| {
        Ok(search.find(&query.text, depth).into_iter().map(|(id, score)| Hit::new(id, score)).collect())
    })
    .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_search_is_good_enough() {
    RARE_WORDS.assert_at_least("nDCG@10", 0.50);
    // Not only on these queries: what 95% of such samples would show at least.
    RARE_WORDS.assert_lower_bound_at_least("R@100", 0.70);
}

#[test]
fn difficult_queries_are_not_given_up() {
    let difficult = RARE_WORDS.segment("difficulty", "hard").unwrap_or_else(|error| panic!("{error}"));
    difficult.assert_at_least("Success@10", 0.70);
}

#[test]
fn rare_words_are_no_worse_than_shared_words() {
    RARE_WORDS.assert_no_regression(&SHARED_WORDS, "nDCG@10", 0.0);
    RARE_WORDS.assert_improves(&SHARED_WORDS, "nDCG@10");
}
