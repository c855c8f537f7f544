//! From the instants of one I/O to RMF's response-time components.
//!
//! | component | command mode | transport mode |
//! | --- | --- | --- |
//! | IOSQ | base or alias requested → granted | the same |
//! | CMR | first command sent → command response received | elapsed at the channel − CONN − DISC |
//! | DISC | defer time in the ending status, after the command response | defer time in the transport response |
//! | CONN | command response received → ending status − DISC | device time in the transport response |
//! | PEND | start subchannel → CMR over | start subchannel → first command sent, + CMR |
//!
//! In transport mode the channel gets no command response, so it derives CMR from its own elapsed time less
//! what the control unit reports; fibre, director and port queueing then land in CMR. That is our reading of
//! RMF's definition and is kept in this one function.

use halftrack_base::{Span, Time};
use halftrack_program::Protocol;

/// Instants and reports of one I/O, of its last attempt where there were several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Instants {
    /// A base or alias was requested.
    pub requested: Time,
    /// It was granted.
    pub granted: Time,
    /// START SUBCHANNEL was executed.
    pub started: Time,
    /// The first IU of the exchange went onto the fibre.
    pub first_sent: Time,
    /// The command response was received (command mode).
    pub command_response: Time,
    /// Ending status was received.
    pub ended: Time,
    /// Connect time that the control unit reported (transport mode).
    pub reported_connect: Span,
    /// Disconnect (defer) time that the control unit reported.
    pub reported_disconnect: Span,
}

/// RMF's components; response = `iosq + pend + disc + conn`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Components {
    /// Waiting for a base or alias.
    pub iosq: Span,
    /// Pending.
    pub pend: Span,
    /// Command response, a part of pending.
    pub cmr: Span,
    /// Disconnected.
    pub disc: Span,
    /// Connected.
    pub conn: Span,
}

impl Components {
    /// Adds up IOSQ, PEND, DISC and CONN.
    #[inline(always)]
    pub(crate) fn response(&self) -> Span {
        self.iosq + self.pend + self.disc + self.conn
    }
}

/// Applies the table of the module head.
#[inline(always)]
pub(crate) fn components(protocol: Protocol, at: &Instants) -> Components {
    let iosq = at.granted.since(at.requested);
    match protocol {
        Protocol::Command => {
            let answered = at.ended.since(at.command_response);
            // The control unit may begin to stage while its command response still waits for the channel: what
            // lies before the response is pending time and is not counted again as disconnect time.
            let disc = at.reported_disconnect.min(answered);
            Components {
                iosq,
                pend: at.command_response.since(at.started),
                cmr: at.command_response.since(at.first_sent),
                disc,
                conn: answered - disc,
            }
        }
        Protocol::Transport => {
            let disc = at.reported_disconnect;
            let conn = at.reported_connect;
            let cmr = at.ended.since(at.first_sent) - conn - disc;
            Components { iosq, pend: at.first_sent.since(at.started) + cmr, cmr, disc, conn }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(n: u64) -> Time {
        Time::ZERO + Span::from_us(n)
    }

    fn instants() -> Instants {
        Instants {
            requested: us(0),
            granted: us(3),
            started: us(5),
            first_sent: us(10),
            command_response: us(14),
            ended: us(50),
            reported_connect: Span::from_us(25),
            reported_disconnect: Span::from_us(7),
        }
    }

    #[test]
    fn response_is_the_sum_of_its_components_in_both_modes() {
        for protocol in [Protocol::Command, Protocol::Transport] {
            let parts = components(protocol, &instants());
            assert_eq!(parts.response(), Span::from_us(3 + 45), "{protocol:?}");
        }
    }

    #[test]
    fn staging_under_way_before_the_command_response_is_handled_is_counted_once() {
        let late = Instants { command_response: us(45), reported_disconnect: Span::from_us(7), ..instants() };
        let parts = components(Protocol::Command, &late);
        assert_eq!((parts.disc, parts.conn), (Span::from_us(5), Span::ZERO));
        assert_eq!(parts.response(), Span::from_us(3 + 45));
    }

    #[test]
    fn command_response_is_measured_in_command_mode_and_derived_in_transport_mode() {
        assert_eq!(components(Protocol::Command, &instants()).cmr, Span::from_us(4));
        assert_eq!(components(Protocol::Transport, &instants()).cmr, Span::from_us(40 - 25 - 7));
    }
}
