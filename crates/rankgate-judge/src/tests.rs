//! What several tests of judges need.

use rankgate::judge::{Description, Documents, Form, Item, PARSER, State, sha256};

use crate::gate::{Longer, Reply};

#[path = "../../../tests/judge/mod.rs"]
mod built;

pub(crate) use built::{description, item};
