//! What a model is asked for.

use crate::words::keywords;

keywords! {
    /// How a model is asked to answer: what its server can hold it to.
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
    /// What becomes of a document that is longer than what is shown of one.
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
    /// Which documents a model is asked about.
    #[derive(Default)]
    pub enum Graded {
        /// Those that people did not judge.
        #[default]
        Holes = "holes",
        /// All of them.
        All = "all",
    }
}
