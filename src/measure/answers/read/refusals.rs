//! Which answers of a configuration decline, as metrics of refusals count them. No judge has a part in it.

use crate::Result;
use crate::evaluation::Refusals;
use crate::measure::{Cache, Measurement};
use crate::rag::Answer;
use crate::spec::Configuration;

impl Cache {
    /// What the answers that go with a measurement come to, query by query.
    pub(super) fn count_refusals(
        &self,
        configuration: &Configuration,
        measured: &Measurement,
    ) -> Result<Vec<Refusals>> {
        let answers = self.own_answers_of(configuration, measured)?;
        Ok(answers.iter().map(|(query, answer)| refusals(query, answer)).collect())
    }
}

fn refusals(query: &str, answer: &Answer) -> Refusals {
    let all = || std::iter::once(answer).chain(&answer.repeats);
    let declines = |one: &&Answer| one.declined || one.text.trim().is_empty();
    let share = all().filter(declines).count() as f64 / all().count() as f64;
    Refusals { query: query.to_owned(), share, answer: answer.text.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Answer, refusals};

    #[test]
    fn an_answer_declines_where_it_says_so_or_says_nothing() {
        let share = |answer: Answer| refusals("q", &answer).share;
        assert_eq!(share(Answer::new("Five.")), 0.0);
        assert_eq!(share(Answer::new("I do not know.")), 0.0);
        assert_eq!(share(Answer::new("I do not know.").declined()), 1.0);
        assert_eq!(share(Answer::new(" \n")), 1.0);
        let repeats = [Answer::new("Six."), Answer::new("No.").declined(), Answer::new("")];
        assert_eq!(share(Answer::new("Five.").with_repeats(repeats)), 0.5);
    }
}
