//! Which of several machines a record is of.

use serde::{Deserialize, Serialize};

use crate::Mode;
use crate::zero::is_zero;

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
    /// The definition file that its deck was written from; `None` when the deck does not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_file: Option<DefinitionFile>,
    /// How it is divided.
    #[serde(default, skip_serializing_if = "Mode::is_lpar")]
    pub mode: Mode,
    /// Processor drawers; 0 where they are not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drawers: u8,
    /// Where its SAP cores are, in the order of their IOP threads; empty where its structure is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sap_cores: Vec<SapCore>,
}

/// A definition file (IODF), as the token of a deck names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefinitionFile {
    /// Last qualifier of its data set, such as `IODF45`.
    pub name: String,
    /// When it was written, `YYYY-MM-DDThh:mm:ss`; empty when that is not known.
    pub created: String,
}

/// Where a SAP core is; all numbers from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SapCore {
    /// Drawer of the machine.
    pub drawer: u8,
    /// Module of the drawer.
    pub dcm: u8,
    /// Chip of the module.
    pub chip: u8,
    /// Core of the chip.
    pub core: u8,
}

impl CpcHeader {
    /// Returns the prefix of the names of its parts: `B.`, nothing when it has no name.
    #[must_use]
    pub fn prefix(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}.", self.name) }
    }
}
