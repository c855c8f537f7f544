//! Which of several machines a record is of.

use serde::{Deserialize, Serialize};

use crate::Mode;

/// One central processor complex of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpcHeader {
    /// Name in the plant; empty when the plant has one without a name.
    pub name: String,
    /// Machine type of its deck, such as 3931.
    pub machine_type: u16,
    /// Model of the plant, such as `Max39`.
    pub model: String,
    /// IOCDS name (MSG1 of its deck), blank when the deck has none.
    pub iocds: String,
    /// How it is divided.
    #[serde(default, skip_serializing_if = "Mode::is_lpar")]
    pub mode: Mode,
}

impl CpcHeader {
    /// What stands before the names of its parts: `B.`, nothing when it has no name.
    #[must_use]
    pub fn prefix(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}.", self.name) }
    }
}

/// True for the index that every record had before there could be several.
// Serde passes the field by reference.
#[expect(clippy::trivially_copy_pass_by_ref)]
pub(crate) fn is_first(index: &u8) -> bool {
    *index == 0
}
