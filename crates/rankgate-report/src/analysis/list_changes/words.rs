//! How lists differ in shape from those that were given before, in words.

use crate::words::counted;

/// How lists of documents differ from those that were blessed, whatever the documents are worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListChanges {
    /// Queries that were compared.
    pub queries: usize,
    /// Of them, those that had a document.
    pub answered: usize,
    /// Queries whose ranking changed.
    pub changed: usize,
    /// Of them, those that have the same documents in another order.
    pub reordered: usize,
    /// Queries with fewer documents.
    pub shorter: usize,
    /// The fewest and the most documents that one of them lacks.
    pub shorter_by: Option<[usize; 2]>,
    /// Queries with more documents.
    pub longer: usize,
    /// The fewest and the most documents that one of them has gained.
    pub longer_by: Option<[usize; 2]>,
    /// The documents in the longest list, before and now.
    pub longest: [usize; 2],
    /// Queries that lack the document that ranked first.
    pub without_first: usize,
    /// Queries in which more documents tie with another than did before.
    pub more_ties: usize,
    /// Documents that no list has any more, of all that some list had, where hardly any others came.
    pub vanished: Option<[usize; 2]>,
}

/// Fewer queries say nothing by what happened to all of them.
const FEWEST: usize = 5;

impl ListChanges {
    /// The changes of shape in sentences; empty where lists have the length, the first document and the ties that they had.
    pub fn shapes(&self) -> Vec<String> {
        let all = counted(self.answered, "answer", "answers");
        let [before, now] = self.longest;
        let mut shapes = Vec::new();
        if let Some([gone, of]) = self.vanished {
            shapes.push(format!(
                "{gone} of {of} documents that were returned before are returned for no query: is the index complete?"
            ));
        }
        if let Some(by) = self.shorter_by {
            let end = match now < before {
                true => format!("; the longest has {now}, and had {before}"),
                false => String::new(),
            };
            shapes.push(format!("{} of {all} are {}{end}", self.shorter, by_documents(by, "shorter")));
        }
        if let Some(by) = self.longer_by {
            let all = counted(self.queries, "answer", "answers");
            shapes.push(format!("{} of {all} are {}", self.longer, by_documents(by, "longer")));
        }
        // An ordinary change of a formula makes some ties.
        if 2 * self.more_ties > self.queries {
            let all = counted(self.queries, "ranking", "rankings");
            shapes.push(format!(
                "more documents tie than before in {} of {all}: scores may have lost digits",
                self.more_ties
            ));
        }
        if self.without_first > 0 {
            shapes.push(format!("the first document is gone in {} of {}", self.without_first, self.answered));
        }
        shapes
    }

    /// What happened to the order of documents, in a sentence.
    pub fn order(&self) -> String {
        let all = counted(self.queries, "ranking", "rankings");
        let mut text = match self.changed {
            0 => format!("none of {all} changed"),
            changed => format!("{changed} of {all} changed"),
        };
        match (self.reordered, self.changed) {
            (0, _) => {}
            (reordered, changed) if reordered == changed => {
                text += ": the documents are the same, in another order";
            }
            (reordered, _) => {
                text += &format!(", {reordered} of them by the order of the same documents alone")
            }
        }
        text
    }

    /// The sentence where the lists of all queries changed in one way, or lack documents: that is no matter of single queries.
    pub fn of_all(&self) -> Option<String> {
        let all = |count: usize| count == self.answered && self.answered >= FEWEST;
        let changed =
            self.vanished.is_some() || all(self.shorter) || all(self.longer) || all(self.without_first);
        changed.then(|| self.shapes().join("; "))
    }
}

/// `one document shorter`, `shorter by 2 to 90 documents`.
fn by_documents([least, most]: [usize; 2], how: &str) -> String {
    match (least, most) {
        (1, 1) => format!("one document {how}"),
        (least, most) if least == most => format!("{least} documents {how}"),
        (least, most) => format!("{how} by {least} to {most} documents"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes() -> ListChanges {
        ListChanges {
            queries: 225,
            answered: 225,
            changed: 225,
            reordered: 0,
            shorter: 0,
            shorter_by: None,
            longer: 0,
            longer_by: None,
            longest: [100, 100],
            without_first: 0,
            more_ties: 0,
            vanished: None,
        }
    }

    #[test]
    fn shapes_are_told_in_the_words_of_lists() {
        let shorter = |shorter, by| ListChanges { shorter, shorter_by: Some(by), ..changes() };
        for (changes, expected) in [
            (shorter(225, [1, 1]), "225 of 225 answers are one document shorter"),
            (
                ListChanges { longest: [100, 10], ..shorter(220, [2, 90]) },
                "220 of 225 answers are shorter by 2 to 90 documents; the longest has 10, and had 100",
            ),
            (
                ListChanges { longer: 3, longer_by: Some([4, 4]), ..changes() },
                "3 of 225 answers are 4 documents longer",
            ),
            (ListChanges { without_first: 225, ..changes() }, "the first document is gone in 225 of 225"),
            (
                ListChanges { more_ties: 113, ..changes() },
                "more documents tie than before in 113 of 225 rankings: scores may have lost digits",
            ),
            (ListChanges { more_ties: 112, ..changes() }, ""),
            (
                ListChanges { vanished: Some([400, 1400]), ..changes() },
                "400 of 1400 documents that were returned before are returned for no query: is the index complete?",
            ),
            (changes(), ""),
        ] {
            assert_eq!(changes.shapes().join("|"), expected);
        }
    }

    #[test]
    fn only_what_happened_to_all_lists_is_said_of_all() {
        let gone = |without_first, answered| ListChanges { without_first, answered, ..changes() };
        assert_eq!(gone(225, 225).of_all().unwrap(), "the first document is gone in 225 of 225");
        assert_eq!(gone(224, 225).of_all(), None);
        assert_eq!(gone(4, 4).of_all(), None, "too few to be more than themselves");
        assert_eq!(changes().of_all(), None);
    }

    #[test]
    fn the_order_alone_is_told_from_other_documents() {
        let order = |changed, reordered| ListChanges { changed, reordered, ..changes() }.order();
        assert_eq!(order(0, 0), "none of 225 rankings changed");
        assert_eq!(order(9, 9), "9 of 225 rankings changed: the documents are the same, in another order");
        assert_eq!(
            order(9, 4),
            "9 of 225 rankings changed, 4 of them by the order of the same documents alone"
        );
    }
}
