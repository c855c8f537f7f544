//! All advice as data.

use halftrack_input::Severity::{self, Advice as A, Warning};
use halftrack_input::messages;
use halftrack_input::messages::deck::*;

/// One kind of advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// Number of the message, without severity letter.
    pub number: u16,
    /// Advice, or a warning where the hardware will refuse to work.
    pub severity: Severity,
}

impl Advice {
    /// Returns the condition of the advice, from the register of messages.
    pub fn title(&self) -> &'static str {
        messages::find(self.number, self.severity).map_or("", |message| message.title)
    }
}

const fn row(number: u16, severity: Severity) -> Advice {
    Advice { number, severity }
}

/// All advice, by number.
pub const ADVICES: &[Advice] = &[
    row(CTC_IMAGE, Warning),
    row(CTC_CHANNEL_TYPES, Warning),
    row(CTC_OTHER_CHANNEL, Warning),
    row(CTC_MIXED, Warning),
    row(CTC_DEVICE_TWICE, Warning),
    row(CTC_CABLE, Warning),
    row(SINGLE_POINT, A),
    row(ONE_BLADE, A),
    row(LINK_ELSEWHERE, A),
    row(NO_CONTROL_PORT, A),
    row(NUMBERING, A),
    row(ALIASES, A),
    row(CTC_PAIR, A),
    row(ONE_CSS, A),
    row(FUNCTION_PAIR, A),
    row(NETWORK_ALONE, A),
    row(NO_VIRTUAL_CHANNEL, A),
    row(TWO_FORMS, A),
    row(OSAD_ADDRESS, A),
    row(COUPLING_PARTITION, A),
    row(MANY_VIRTUAL, A),
    row(UNBALANCED, A),
    row(PATH_LACKING, A),
    row(NETWORKS_DIFFER, Warning),
    row(NO_NETWORK, Warning),
];
