//! What several tests of judges need.

use super::item::{Description, Documents, Item, PARSER, sha256};
use crate::gate::{Form, Longer, Reply, State};

#[path = "../../tests/judge/mod.rs"]
mod built;

pub(super) use self::built::{description, item};
