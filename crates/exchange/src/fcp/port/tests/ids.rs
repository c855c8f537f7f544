//! Exchange ids, logouts, and the room of both ports.

use std::collections::BTreeSet;

use halftrack_base::{Span, Time};
use halftrack_wire::FcFrame;
use halftrack_wire::fc_header::{FcHeader, NO_EXCHANGE, fc_type, routing};
use halftrack_wire::fcp::ScsiStatus;

use super::link::*;
use crate::fcp::{FcpOutcome, FcpTargetPort};
use crate::outcome::Cause;
use crate::port::Discard;

/// Many commands at a time end, each with its own data; the responder's id is learnt and used from then on.
#[test]
fn exchanges_do_not_mix() {
    let mut link = Link::new(true, 8);
    for tag in 0..8 {
        let request = if tag % 2 == 0 { read(tag, 1) } else { write(tag, 1, tag) };
        assert!(link.start(request, tag.into()));
    }
    assert!(!link.start(read(0, 1), 9), "there is no room");
    let ends = link.run();
    assert_eq!(ends.len(), 8);
    let fresh = Link::new(true, 1).disk.blocks;
    for end in ends {
        let at = end.tag as usize * BLOCK;
        assert!(is_good(&end) && end.is_settled);
        if end.tag % 2 == 0 {
            assert_eq!(end.data, fresh[at..at + BLOCK]);
        } else {
            assert!(link.disk.blocks[at..at + BLOCK].iter().all(|octet| *octet == end.tag as u8));
            assert_eq!(end.data.len(), BLOCK, "the buffer comes back");
        }
    }
    let ox_ids: BTreeSet<u16> = link.sent.iter().map(|sent| sent.header.ox_id).collect();
    assert_eq!(ox_ids.len(), 8);
    let of_data = link.sent.iter().filter(|sent| sent.header.r_ctl == routing::DATA);
    assert!(of_data.clone().count() > 0 && of_data.clone().all(|sent| sent.header.rx_id != NO_EXCHANGE));
    assert_eq!(link.target.counts().completed, 8);
}

/// The id of an exchange that was aborted does not come again within R_A_TOV, and is reinstated then.
#[test]
fn the_id_of_an_aborted_exchange_rests() {
    let mut link = Link::new(false, 1);
    let mut used = BTreeSet::new();
    while link.start(read(0, 1), 0) {
        let mut frames = 0;
        link.lost = vec![link.sent.len() + 1];
        link.carry();
        link.initiator.cancel(link.now, 0);
        while link.carry() {
            frames += 1;
        }
        let end = link.initiator.poll_end().expect("an end");
        assert!(frames > 0 && end.outcome == FcpOutcome::Aborted(Cause::Cancelled), "{:?}", end.outcome);
        assert!(used.insert(link.sent.last().expect("a frame").header.ox_id));
        link.sent.clear();
    }
    assert!(used.len() > 1000);
    link.now = Time::ZERO.saturating_add(Span::from_ms(9_999));
    link.initiator.handle_timeout(link.now);
    assert!(!link.start(read(0, 1), 0));
    link.now = Time::ZERO.saturating_add(Span::from_s(10));
    link.initiator.handle_timeout(link.now);
    assert!(link.start(read(0, 1), 0));
    link.sent.clear();
    link.carry();
    let requests = link.sent.iter().filter(|sent| sent.header.r_ctl == routing::ELS_REQUEST).count();
    assert_eq!(requests, used.len(), "RRQ for each");
}

#[test]
fn a_logout_ends_the_exchanges_of_both_ports() {
    let mut link = Link::new(true, 4);
    assert!(link.start(write(0, 1, 1), 1));
    link.lost = vec![1];
    link.carry();
    assert_eq!(link.target.open(), 1);
    link.target.log_out(link.now, INITIATOR, &mut link.disk);
    link.initiator.handle_logout(link.now, TARGET);
    let end = link.initiator.poll_end().expect("an end");
    assert_eq!((end.outcome, end.is_settled), (FcpOutcome::Aborted(Cause::LinkDown), false));
    assert_eq!((link.target.open(), link.initiator.open()), (0, 0));
    assert_eq!(link.target.counts().abandoned, 1);
    let header = link.sent[0].header;
    let payload = link.sent[0].payload.clone();
    let frame = FcFrame { header, optional: &[], payload: &payload };
    let result = link.target.handle_frame(link.now, &frame, &mut link.disk);
    assert_eq!(result, Err(Discard::NotLoggedIn { s_id: INITIATOR }));
}

/// A command whose id is in use replaces the older one, of which nothing comes any more.
#[test]
fn a_command_of_an_id_in_use_replaces_the_older_one() {
    let mut link = Link::new(false, 4);
    assert!(link.start(write(0, 1, 1), 1));
    link.lost = vec![1];
    link.carry();
    let command = link.sent[0].clone();
    let frame = FcFrame { header: command.header, optional: &[], payload: &command.payload };
    assert_eq!(link.target.handle_frame(link.now, &frame, &mut link.disk), Ok(()));
    assert_eq!((link.target.open(), link.target.counts().abandoned), (1, 1));
}

/// A port that is full ends commands with TASK SET FULL; what is no frame of its own has no effect.
#[test]
fn a_full_target_ends_commands_at_once() {
    let mut link = Link::new(false, 64);
    link.target = FcpTargetPort::new(1);
    let peer = crate::fcp::FcpPeer {
        own: TARGET,
        address: INITIATOR,
        frame_payload_bytes: 512,
        agreement: crate::fcp::rig::agreement(false),
    };
    link.target.log_in(link.now, peer, &mut link.disk);
    for tag in 0..3 {
        assert!(link.start(write(tag, 1, 1), tag.into()));
    }
    let ends = link.run();
    let full = |end: &&crate::fcp::CommandEnd| {
        matches!(end.outcome, FcpOutcome::Ended { status: ScsiStatus::TASK_SET_FULL, .. })
    };
    assert_eq!((ends.iter().filter(full).count(), link.target.counts().refused), (2, 2));
    let header = FcHeader { s_id: INITIATOR, fc_type: fc_type::SB_CHANNEL, ..FcHeader::default() };
    let frame = FcFrame { header, optional: &[], payload: &[] };
    let result = link.target.handle_frame(link.now, &frame, &mut link.disk);
    assert!(matches!(result, Err(Discard::Kind { .. })));
}
