//! Measures that other tools have and this crate does not, with what to type in their place.
//!
//! Sources: `trec_eval` 10, `measures.c`; `ir_measures` 0.4, `ir_measures.measures`; `ranx` 0.3, `ranx.metrics`; `beir` 2.0, `beir.retrieval.custom_metrics`;
//! `sentence_transformers` 3, `InformationRetrievalEvaluator`; `ragas` 0.4.3,
//! `ragas.metrics`; `deepeval` 4.3.1, `deepeval.metrics`.

/// What to type in place of a measure of another tool, where `name` is one that no metric is called.
#[doc(hidden)]
pub fn replacement(name: &str) -> Option<&'static str> {
    let is = |names: &str| names.split(' ').any(|known| known.eq_ignore_ascii_case(name));
    let row = ADVICE.iter().find(|(names, _)| is(names))?;
    Some(row.1)
}

/// Names without a number, with blanks between them, and the advice.
const ADVICE: &[(&str, &str)] = &[
    // trec_eval
    ("gm_bpref", "a geometric mean, and other means are arithmetic; type `bpref` or `gm_map`"),
    ("11pt_avg", "the mean of eleven values; type `iprec_at_recall` for each of them"),
    ("num_q runid NumQ", "no metric; `eval` says how many queries it scored, and of which run"),
    ("ndcg_rel Rndcg binG G", "not computed here; type `ndcg`"),
    ("Rprec_mult Rprec_mult_avgjg", "not computed here; type `Rprec`"),
    ("set_map SetAP", "the product of set_P and set_recall; type `set_P,set_recall`"),
    ("set_relative_P SetRelP", "not computed here; type `set_P,set_recall`"),
    ("utility", "not computed here; type `num_rel_ret,num_ret`"),
    ("relstring", "a list of grades and no number; `rankgate explain` shows them"),
    ("num_nonrel_judged_ret", "not computed here; type `Judged@10,P@10`"),
    ("map_avgjg", "not computed here; type `map`"),
    ("P_avgjg", "not computed here; type `P`"),
    ("yaap", "not computed here; type `map`"),
    // ir_measures
    ("NERR8 NERR9 NERR10 NERR11", "normalised another way there; type `nERR@10` or `ERR@10`"),
    ("INSQ INST BPM SDCG AWRF", "not computed here; type `RBP` or `nDCG@10`"),
    (
        "Accuracy top_k_accuracy",
        "whether a relevant document is in the top k is `Success@1`; the accuracy of ir_measures is not computed here, and `Bpref` is near",
    ),
    // ranx
    (
        "hits",
        "whether a relevant document is in the top k is `Success@10`; ranx counts relevant documents, and `P@10` is their share",
    ),
    ("ndcg_burges", "nDCG with exponential gain; type `nDCG(gain=exp2)@10`"),
    ("dcg_burges", "DCG with exponential gain; type `DCG(gain=exp2)@10`"),
    // BEIR, trec_eval
    ("Hole unj", "the share that nobody judged is 1 less `Judged@10`"),
    // ragas, deepeval
    (
        "Faithfulness faithfulness AnswerRelevance AnswerRelevancy answer_relevancy ResponseRelevancy ContextPrecision context_precision ContextualPrecision ContextRecall context_recall ContextualRecall AnswerCorrectness FactualCorrectness NuggetAll NuggetVital CitationPrecision CitationRecall MissedRefusal FalseRefusal",
        "a metric of answers, which no ranking has; `rankgate judge score` writes a column of it",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Metric, parse_list};

    #[test]
    fn a_measure_of_another_tool_says_what_to_type() {
        for (written, expected) in [
            (
                "gm_bpref",
                "metric `gm_bpref`: a geometric mean, and other means are arithmetic; type `bpref` or `gm_map`",
            ),
            (
                "11PT_avg",
                "metric `11PT_avg`: the mean of eleven values; type `iprec_at_recall` for each of them",
            ),
            (
                "ndcg_burges@20",
                "metric `ndcg_burges@20`: nDCG with exponential gain; type `nDCG(gain=exp2)@10`",
            ),
            ("unj_10", "metric `unj_10`: the share that nobody judged is 1 less `Judged@10`"),
            ("Hole@10", "metric `Hole@10`: the share that nobody judged is 1 less `Judged@10`"),
            ("set_map", "metric `set_map`: the product of set_P and set_recall; type `set_P,set_recall`"),
        ] {
            assert_eq!(written.parse::<Metric>().unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn names_with_at_are_metrics() {
        for (written, meant) in [
            ("ndcg_at_10", "nDCG@10"),
            ("recall_at_5", "R@5"),
            ("precision_at_3", "P@3"),
            ("mrr_at_10", "RR@10"),
            ("map_at_100", "AP@100"),
            ("iprec_at_recall_0.10", "IPrec@0.1"),
        ] {
            assert_eq!(written.parse::<Metric>().unwrap().to_string(), meant);
        }
        let error = "accuracy_at_1".parse::<Metric>().unwrap_err().to_string();
        assert!(error.contains("`Success@1`"), "{error}");
    }

    #[test]
    fn what_is_advised_is_a_metric_and_what_is_not_computed_is_none() {
        for (names, advice) in ADVICE {
            for name in names.split(' ') {
                assert!(parse_list(name).is_err(), "{name} is a metric, and needs no advice");
            }
            for typed in advice.split('`').skip(1).step_by(2).filter(|typed| !typed.contains(' ')) {
                let metrics = parse_list(typed).map(|metrics| metrics.len());
                assert!(typed == "eval" || metrics.is_ok(), "{advice}: {metrics:?}");
            }
        }
    }
}
