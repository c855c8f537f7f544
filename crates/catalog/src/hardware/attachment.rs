//! The machines and features of a channel card, and the reach of its channels.

use halftrack_fabric::endpoint_security::Protection;
use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::security::capability;

/// Longest distance in a file, km.
const KM_MAX: f64 = 1000.0;

/// Where a channel card belongs; what is `None` is not limited, or not known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attachment {
    /// Machine type of the first machine that has the card.
    pub first_machine: Option<Sourced<u16>>,
    /// Machine type of the last machine that has it.
    pub last_machine: Option<Sourced<u16>>,
    /// Its part of Fibre Channel Endpoint Security: none, or to authenticate the far end, or to encrypt data in flight too.
    pub endpoint_security: Protection,
    /// Its channels may lead to a bridge (TYPE=FCV).
    pub bridge: bool,
    /// How far its channels reach.
    pub reach: Option<Reach>,
}

/// How far a channel's signal goes, km one way.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// From channel to control unit in all, whatever is between.
    pub km: Sourced<f64>,
    /// One fibre or cable without a repeater; `None` when that is as far.
    pub direct_km: Option<Sourced<f64>>,
    /// Verdict on a longer link.
    pub beyond: ExcessLength,
}

/// The verdict on a link longer than a channel's reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExcessLength {
    /// Impossible: no signal arrives, or none in time.
    Impossible,
    /// Possible, but not supported.
    Unsupported,
}

impl Attachment {
    /// Reads the keys of a card about the machines that have it.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let mut machine = |key| fields.sourced_if_given(key, Expect::integer(1..=9999));
        let (first_machine, last_machine) = (machine("first_machine"), machine("last_machine"));
        let endpoint_security = fields.or("endpoint_security", capability(), Protection::None);
        let bridge = fields.or("bridge", Expect::flag(), false);
        let reach = fields.table_if_given("reach", Reach::read);
        Some(Self {
            first_machine: first_machine?,
            last_machine: last_machine?,
            endpoint_security,
            bridge,
            reach: reach?,
        })
    }
}

impl Reach {
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let km = fields.sourced("km", Expect::number(0.0..=KM_MAX));
        let direct_km = fields.sourced_if_given("direct_km", Expect::number(0.0..=KM_MAX));
        let words = [("impossible", ExcessLength::Impossible), ("unsupported", ExcessLength::Unsupported)];
        let beyond = fields.required("beyond", Expect::one_of(words));
        Some(Self { km: km?, direct_km: direct_km?, beyond: beyond?.value })
    }
}
