//! All advice as data.

use halftrack_input::Severity;
use halftrack_input::Severity::{Advice as A, Warning};
use halftrack_input::messages::deck::*;

/// One kind of advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// Number of the message, without severity letter.
    pub number: u16,
    /// Advice, or a warning where the hardware will refuse to work.
    pub severity: Severity,
    /// When it is given.
    pub title: &'static str,
}

const fn row(number: u16, severity: Severity, title: &'static str) -> Advice {
    Advice { number, severity, title }
}

/// All advice, by number.
pub const ADVICES: &[Advice] = &[
    row(
        SINGLE_POINT,
        A,
        "all paths of a control unit pass one director, card, domain or drawer, or there is one",
    ),
    row(ONE_BLADE, A, "the ports of a control unit on a director are all on one blade"),
    row(LINK_ELSEWHERE, A, "a two-byte link names a switch that nothing else in the deck names"),
    row(NO_CONTROL_PORT, A, "a director has no control port device (2032 at link FE)"),
    row(NUMBERING, A, "CUADDs of a box have a gap, or a control unit is numbered unlike the others"),
    row(ALIASES, A, "aliases without bases, or PAV bases without an alias"),
    row(CTC_PAIR, A, "the ends of a channel-to-channel connection do not match"),
    row(ONE_CSS, A, "a control unit on spanned channels has no paths in some of their channel subsystems"),
    row(FUNCTION_PAIR, A, "functions for one purpose are on one card, or in one resource group"),
    row(NETWORK_ALONE, A, "a PNETID of a RoCE or ISM function is that of no OSA or HiperSockets channel"),
    row(NO_VIRTUAL_CHANNEL, A, "a HiperSockets channel of z13 or later has no VCHID"),
    row(TWO_FORMS, A, "one port is named by links of one byte and of two"),
    row(OSAD_ADDRESS, A, "an OSAD device is not at unit address FE"),
    row(COUPLING_PARTITION, A, "a coupling facility partition has access to channels for devices"),
    row(MANY_VIRTUAL, A, "VF above 64 on a zHyperLink port"),
    row(UNBALANCED, A, "paths of a control unit are unevenly divided among directors"),
    row(PATH_LACKING, A, "a control unit lacks a path that another one of its box has"),
    row(NETWORKS_DIFFER, Warning, "functions or channels of one port have different PNETIDs"),
    row(NO_NETWORK, Warning, "a RoCE function has no PNETID"),
];
