//! Highest advised utilisations of a channel.

use halftrack_input::{Expect, Fields, Sourced};

/// Highest advised utilisations of a channel, percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Guideline {
    /// Of its processor, or of the path that one program holds at a time.
    pub processor_percent: Sourced<u8>,
    /// Of its bus; `None` where nothing is advised.
    pub bus_percent: Option<Sourced<u8>>,
}

impl Guideline {
    /// Reads the table at hand.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let percent = || Expect::integer(1..=100);
        let processor_percent = fields.sourced("processor_percent", percent());
        let bus_percent = fields.sourced_if_given("bus_percent", percent());
        Some(Self { processor_percent: processor_percent?, bus_percent: bus_percent? })
    }
}
