//! FC-2 headings of the single-frame sequences that request services and answer.

use halftrack_wire::fc_header::{NO_EXCHANGE, fc_type, routing};
use halftrack_wire::{FcHeader, FrameControl, WorldWideName};

use crate::n_port::Role;

/// Exchange ids that a port uses for its own requests. Our choice: above those of I/O, which count from 0, and of link
/// control, so that no two open exchanges of a port have the same.
pub const SERVICE_EXCHANGES: std::ops::RangeInclusive<u16> = 0xF000..=0xFFFE;

const REQUEST: FrameControl =
    FrameControl::FIRST_SEQUENCE.with(FrameControl::END_SEQUENCE).with(FrameControl::INITIATIVE);
const REPLY: FrameControl =
    FrameControl::RESPONDER.with(FrameControl::LAST_SEQUENCE).with(FrameControl::END_SEQUENCE);

/// Returns the heading of a request of `fc_type` on exchange `ox_id`.
pub(crate) fn request(fc_type: u8, s_id: u32, d_id: u32, ox_id: u16) -> FcHeader {
    let r_ctl = if fc_type == fc_type::EXTENDED_LINK_SERVICE {
        routing::ELS_REQUEST
    } else {
        routing::UNSOLICITED_CONTROL
    };
    FcHeader { r_ctl, d_id, s_id, fc_type, f_ctl: REQUEST, ox_id, rx_id: NO_EXCHANGE, ..FcHeader::default() }
}

/// Returns the heading of the answer to `request`, sent by `s_id` to `d_id`.
pub(crate) fn reply(request: &FcHeader, s_id: u32, d_id: u32) -> FcHeader {
    let r_ctl = if request.fc_type == fc_type::EXTENDED_LINK_SERVICE {
        routing::ELS_REPLY
    } else {
        routing::SOLICITED_CONTROL
    };
    FcHeader { r_ctl, d_id, s_id, f_ctl: REPLY, seq_id: 0, seq_cnt: 0, df_ctl: 0, parameter: 0, ..*request }
}

/// Returns whether a frame is a whole request: a single-frame sequence that opens its exchange.
pub(crate) fn is_request(header: &FcHeader) -> bool {
    header.f_ctl.has(REQUEST) && !header.f_ctl.has(FrameControl::RESPONDER) && header.seq_cnt == 0
}

/// Returns whether a frame is a whole answer.
pub(crate) fn is_reply(header: &FcHeader) -> bool {
    header.f_ctl.has(REPLY) && header.seq_cnt == 0
}

/// Hands out exchange ids in turn.
#[derive(Debug)]
pub(crate) struct ExchangeIds(u16);

/// How many ids there are.
const COUNT: u16 = *SERVICE_EXCHANGES.end() - *SERVICE_EXCHANGES.start() + 1;

/// Ids of a role, and how far apart those of names begin that follow each other: the two have no common divisor.
const HALF: u16 = 0x07FF;
const APART: u64 = 0x0135;

impl Default for ExchangeIds {
    fn default() -> Self {
        Self(*SERVICE_EXCHANGES.start())
    }
}

impl ExchangeIds {
    /// Begins in the half of a role, at a place that follows from the name of the port. FLOGI comes from the same address
    /// for all ports, none: with one exchange id, its answers on a link, or on several, could not be kept apart.
    pub(crate) const fn of(role: Role, name: WorldWideName) -> Self {
        let begin = match role {
            Role::Channel | Role::ChannelToChannel => *SERVICE_EXCHANGES.start(),
            Role::ControlUnit => *SERVICE_EXCHANGES.start() + HALF,
        };
        // Names that follow each other are apart, and a FLOGI that is repeated does not come to the next one's id.
        Self(begin + (name.0 % HALF as u64 * APART % HALF as u64) as u16)
    }

    /// Begins at a place that follows from a number.
    pub(crate) const fn after(number: u64) -> Self {
        Self(*SERVICE_EXCHANGES.start() + (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u16 % COUNT)
    }

    /// Returns the id that is handed out after this one.
    pub(crate) const fn following(id: u16) -> u16 {
        if id == *SERVICE_EXCHANGES.end() { *SERVICE_EXCHANGES.start() } else { id + 1 }
    }

    /// Returns the next id; an id comes back after all others.
    pub(crate) fn next(&mut self) -> u16 {
        let id = self.0;
        self.0 = Self::following(id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_belongs_to_its_request() {
        let asked = request(fc_type::EXTENDED_LINK_SERVICE, 1, 2, 0xF001);
        assert!(is_request(&asked) && !is_reply(&asked));
        let answer = reply(&asked, 2, 1);
        assert!(is_reply(&answer) && !is_request(&answer));
        assert_eq!((answer.r_ctl, answer.ox_id, answer.s_id, answer.d_id), (0x23, 0xF001, 2, 1));
    }

    #[test]
    fn ports_with_names_in_a_row_begin_at_ids_of_their_own() {
        let names = (0..u64::from(HALF)).map(|low| WorldWideName(0x5005_0764_0000_0040 + low));
        let channels = names.clone().map(|name| ExchangeIds::of(Role::Channel, name).next());
        let control_units = names.map(|name| ExchangeIds::of(Role::ControlUnit, name).next());
        let ids: std::collections::BTreeSet<u16> = channels.chain(control_units).collect();
        assert_eq!(ids.len(), 2 * usize::from(HALF));
        assert!(ids.iter().all(|id| SERVICE_EXCHANGES.contains(id)));
    }

    #[test]
    fn exchange_ids_come_round() {
        let mut ids = ExchangeIds::default();
        let first = ids.next();
        for _ in 0..SERVICE_EXCHANGES.count() - 1 {
            assert!(SERVICE_EXCHANGES.contains(&ids.next()));
        }
        assert_eq!(ids.next(), first);
    }
}
