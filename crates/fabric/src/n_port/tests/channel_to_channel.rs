//! Logins between channels that are control units too.

use super::*;
use crate::rig::channel_to_channel;

fn two() -> Link {
    Link::new([channel_to_channel(LOW, &[HIGH]), channel_to_channel(HIGH, &[LOW])])
}

/// Both ends report the login, with what PRLI agreed on, and the one of the lower name has sent PRLI.
#[test]
fn two_channels_log_in_to_each_other_once() {
    let mut link = two();
    link.settle();
    assert!(link.agree());
    for port in 0..2 {
        let peer = link.ports[1 - port].address();
        let events = drain(&mut link.ports[port]);
        let last = PortEvent::PeerLoggedIn {
            peer,
            name: WorldWideName([HIGH, LOW][port]),
            frame_payload_bytes: 2112,
            transport: Some(transport()),
        };
        assert_eq!(events.last(), Some(&last));
        assert!(link.ports[port].node_of(peer).is_some());
    }
}

/// Whichever frames are lost, both are logged in at last.
#[test]
fn a_login_survives_the_loss_of_any_two_frames() {
    for first in 0..24 {
        for second in first..24 {
            let mut link = two();
            let mut sent = 0;
            let begin = link.now;
            while !link.agree() && link.now < begin.saturating_add(RETRY_INTERVAL * 6) {
                loop {
                    let mut is_quiet = true;
                    for from in 0..2 {
                        let is_lost = sent == first || sent == second;
                        if link.deliver(from, is_lost) {
                            (sent, is_quiet) = (sent + 1, false);
                        }
                    }
                    if is_quiet {
                        break;
                    }
                }
                let Some(at) = link.ports.iter().filter_map(NPort::poll_timeout).min() else { break };
                link.now = at;
                link.ports.iter_mut().for_each(|port| port.handle_timeout(at));
            }
            assert!(link.agree(), "{first} {second}");
        }
    }
}
