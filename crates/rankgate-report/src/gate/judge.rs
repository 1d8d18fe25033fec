//! How a judge is prompted, and the states of its answer.

use crate::words::keywords;

keywords! {
    /// The form of answer that a model's server enforces.
    #[derive(Default)]
    pub enum Reply {
        /// The server holds it to a JSON schema.
        #[default]
        JsonSchema = "json-schema",
        /// The server holds it to some JSON object.
        JsonObject = "json-object",
        /// Its last line is `grade: 2`.
        Line = "line",
    }
}

keywords! {
    /// How documents that exceed the length limit are treated.
    #[derive(Default)]
    pub enum Longer {
        /// It is an error.
        #[default]
        Error = "error",
        /// Its beginning is shown.
        Head = "head",
        /// Its beginning and its end are shown.
        HeadTail = "head-tail",
    }
}

keywords! {
    /// Which documents a model judges.
    #[derive(Default)]
    pub enum Graded {
        /// Those that people did not judge.
        #[default]
        Holes = "holes",
        /// All of them.
        All = "all",
    }
}

keywords! {
    /// What a judge may be shown beside a query and its answer.
    pub enum AnswerPart {
        /// What the answer was made from.
        Contexts = "contexts",
        /// The query's reference answer.
        Reference = "reference",
    }
}

keywords! {
    /// How the members of a jury come to one grade.
    #[derive(Default)]
    pub enum Vote {
        /// The grade of more than half of its members; without one it abstains.
        #[default]
        Majority = "majority",
        /// The mean of the grades of its members, rounded to a grade, halves up; it abstains where half of them or more give none.
        Mean = "mean",
    }
}

keywords! {
    /// What became of a question.
    pub enum State {
        /// It has a grade.
        Graded = "graded",
        /// The model says that it cannot tell, or several answers have no majority.
        Abstained = "abstained",
        /// The server's content filter, or the model, would not answer.
        Refused = "refused",
        /// The reply does not have the demanded form.
        Unparseable = "unparseable",
        /// It was cut at the most tokens that it may have, or the prompt was.
        Truncated = "truncated",
        /// Nothing came but what the model thought to itself.
        Empty = "empty",
    }
}

keywords! {
    /// What an answer of a judge holds.
    #[derive(Default)]
    pub enum Form {
        /// One grade.
        #[default]
        Grade = "grade",
        /// A list of claims.
        Claims = "claims",
        /// A verdict on each claim: supported, unsupported or contradicted by the contexts.
        Support = "support",
        /// The same of nuggets, which contexts support, support in part, or not.
        Nuggets = "nuggets",
        /// A list of nuggets, each vital or okay.
        NuggetCreation = "nugget-creation",
    }
}

impl Form {
    /// Whether it is that of a grade, which describing lines leave out.
    #[doc(hidden)] // for rankgate alone
    #[must_use]
    pub fn is_grade(&self) -> bool {
        *self == Self::Grade
    }

    /// Whether an answer is a list of claims or nuggets, made and not judged.
    #[doc(hidden)] // for rankgate alone
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self, Self::Claims | Self::NuggetCreation)
    }
}

keywords! {
    /// A verdict on a claim.
    pub enum Support {
        /// It follows from the contexts.
        Supported = "supported",
        /// Of a nugget: part of it does.
        Partial = "partial",
        /// The contexts do not say it.
        Unsupported = "unsupported",
        /// They say that it is not so.
        Contradicted = "contradicted",
        /// The judge cannot tell.
        CannotTell = "cannot_tell",
    }
}

impl Support {
    /// The grade that metrics are computed from; `None` without a verdict. Nuggets know no contradiction.
    #[must_use]
    pub fn grade(self, form: Form) -> Option<u8> {
        match (self, form) {
            (Self::Supported, _) => Some(2),
            (Self::Partial, _)
            | (Self::Unsupported, Form::Support | Form::Grade | Form::Claims | Form::NuggetCreation) => {
                Some(1)
            }
            (Self::Unsupported, Form::Nuggets) | (Self::Contradicted, _) => Some(0),
            (Self::CannotTell, _) => None,
        }
    }
}
