//! What is known of the members of a jury.

use crate::agreement::Agreeing;
use crate::gate::Vote;
use crate::json::record;

record! {
    /// A jury: its members, and how far they agree. It decides nothing.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct JuryCheck {
        /// How its members come to a grade.
        pub vote: Vote,
        /// The members that are asked, in the order of the spec.
        pub members: Vec<JuryMember>,
        /// How far each two of them agree.
        pub agreement: Vec<MemberAgreement>,
    }
}

record! {
    /// A member of a jury.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct JuryMember {
        /// What its judgments call it.
        pub judge: String,
        /// Its model.
        pub model: String,
        /// How many documents, claims or answers it has graded.
        pub graded: usize,
        /// Tokens that it has read and written for the judgments on file.
        pub tokens: [u64; 2],
        /// What these cost, where the spec has prices.
        pub cost?: Option<f64>,
        /// How far people agree with it; people are the rows of the confusion.
        pub people: Option<Agreeing>,
        /// How far the jury does; its grades are the rows of the confusion.
        pub jury: Option<Agreeing>,
    }
}

record! {
    /// How far two members of a jury agree.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct MemberAgreement {
        /// Their models.
        pub members: [String; 2],
        /// The agreement; the first is the rows of the confusion.
        pub agreement: Agreeing,
    }
}
