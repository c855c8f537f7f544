//! Both ends of logical paths in memory.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

const CHANNEL: u32 = 0x61_0100;
const CONTROL_UNIT: u32 = 0x61_0200;

/// Whole frames, in order.
#[derive(Default)]
struct Fibre(VecDeque<Vec<u8>>);

impl FrameSink for Fibre {
    fn frame(&mut self, _: Sof, header: &FcHeader, parts: &[&[u8]], _: Eof) {
        let mut octets = Vec::new();
        halftrack_wire::emit_frame(header, parts, &mut octets).expect("a link-control IU fits a frame");
        self.0.push_back(octets);
    }
}

/// Two ends and the frames between them.
struct Pair {
    now: Time,
    ends: [LogicalPaths; 2],
    fibres: [Fibre; 2],
}

impl Pair {
    fn new(images: &[u8], paths_max: usize) -> Self {
        let images = images.iter().copied().collect();
        let mut ends = [
            LogicalPaths::new(PathRole::Channel),
            LogicalPaths::new(PathRole::ControlUnit { images, paths_max }),
        ];
        ends[0].set_address(CHANNEL);
        ends[1].set_address(CONTROL_UNIT);
        Self { now: Time::ZERO, ends, fibres: [Fibre::default(), Fibre::default()] }
    }

    /// Hands the oldest frame that `from` sent to the other end, or loses it.
    fn deliver(&mut self, from: usize, lose: bool) -> bool {
        while self.ends[from].poll_frame(&mut self.fibres[from]) {}
        let Some(octets) = self.fibres[from].0.pop_front() else { return false };
        if !lose {
            let frame = FcFrame::parse(&octets).expect("a whole frame");
            assert!(LINK_CONTROL_EXCHANGES.contains(&frame.header.ox_id));
            self.ends[1 - from].handle_frame(self.now, &frame).expect("a link-control IU");
        }
        true
    }

    fn settle(&mut self) {
        while self.deliver(0, false) || self.deliver(1, false) {}
    }

    /// Lets time pass until nobody waits.
    fn run_out(&mut self) {
        self.settle();
        while let Some(at) = self.ends.iter().filter_map(LogicalPaths::poll_timeout).min() {
            self.now = at;
            for end in &mut self.ends {
                end.handle_timeout(at);
            }
            self.settle();
        }
    }

    fn events(&mut self, end: usize) -> Vec<PathEvent> {
        std::iter::from_fn(|| self.ends[end].poll_event()).collect()
    }

    /// Sends a device-level frame on the path, from `from`, which the other end rejects when the path is not
    /// established there.
    fn device_level(&mut self, from: usize, path: LogicalPath) {
        let own = [CHANNEL, CONTROL_UNIT][from];
        let LogicalPath { channel_image, control_unit_image, .. } = path;
        let payload = SbHeader { channel_image, control_unit_image, device: 0 }.emit();
        let header = FcHeader { s_id: own, ..FcHeader::default() };
        if !self.ends[1 - from].is_established(own, channel_image, control_unit_image) {
            self.ends[1 - from].reject(&FcFrame { header, optional: &[], payload: &payload });
        }
    }
}

fn path(channel_image: u8, control_unit_image: u8) -> LogicalPath {
    LogicalPath { peer: CONTROL_UNIT, channel_image, control_unit_image }
}

fn back(path: LogicalPath) -> LogicalPath {
    LogicalPath { peer: CHANNEL, ..path }
}

#[test]
fn a_path_is_established_and_removed_by_either_side() {
    let mut pair = Pair::new(&[2], 1);
    for remover in [0, 1] {
        pair.ends[0].establish(pair.now, path(1, 2));
        assert!(!pair.ends[0].is_established(CONTROL_UNIT, 1, 2));
        pair.settle();
        assert!(pair.ends[0].is_established(CONTROL_UNIT, 1, 2));
        assert!(pair.ends[1].is_established(CHANNEL, 1, 2));
        let name = if remover == 0 { path(1, 2) } else { back(path(1, 2)) };
        pair.ends[remover].remove(pair.now, name);
        pair.settle();
        assert_eq!(pair.ends.each_ref().map(|end| end.established().count()), [0, 0]);
        let removed = |path, why| PathEvent::Removed { path, why };
        let causes = if remover == 0 {
            [RemovalCause::Closed, RemovalCause::Removed]
        } else {
            [RemovalCause::Removed, RemovalCause::Closed]
        };
        let own = [path(1, 2), back(path(1, 2))];
        for end in [0, 1] {
            let expected = [PathEvent::Established(own[end]), removed(own[end], causes[end])];
            assert_eq!(pair.events(end), expected);
        }
    }
}

#[test]
fn a_control_unit_says_why_it_refuses() {
    let mut pair = Pair::new(&[0, 1], 1);
    for control_unit_image in [0, 1, 7] {
        pair.ends[0].establish(pair.now, path(0, control_unit_image));
    }
    pair.settle();
    let refused = |image, why| PathEvent::Removed { path: path(0, image), why: RemovalCause::Refused(why) };
    let expected = [
        PathEvent::Established(path(0, 0)),
        refused(1, RemovedReason::OutOfResources),
        refused(7, RemovedReason::NoSuchImage),
    ];
    assert_eq!(pair.events(0), expected);
    pair.ends[0].send(path(0, 0), LinkFunction::EstablishPath(PathFeatures::CHANNEL_TO_CHANNEL));
    pair.settle();
    assert!(pair.ends[1].is_established(CHANNEL, 0, 0), "a refused ELP leaves the path as it was");
}

#[test]
fn an_elp_for_a_path_that_is_there_starts_it_anew() {
    let mut pair = Pair::new(&[0], 1);
    pair.ends[0].establish(pair.now, path(0, 0));
    pair.settle();
    pair.ends[0].handle_link_down();
    pair.ends[0].establish(pair.now, path(0, 0));
    pair.settle();
    let own = back(path(0, 0));
    let anew = PathEvent::Removed { path: own, why: RemovalCause::Anew };
    assert_eq!(pair.events(1), [PathEvent::Established(own), anew, PathEvent::Established(own)]);
}

#[test]
fn a_channel_sends_its_request_three_times() {
    let mut pair = Pair::new(&[0], 1);
    pair.ends[0].establish(pair.now, path(0, 0));
    for _ in 0..LINK_CONTROL_TRIES {
        assert!(pair.deliver(0, true));
        pair.now = pair.ends[0].poll_timeout().expect("an answer is awaited");
        pair.ends[0].handle_timeout(pair.now);
    }
    assert!(!pair.deliver(0, true));
    let given_up = PathEvent::Removed { path: path(0, 0), why: RemovalCause::NoAnswer };
    assert_eq!((pair.events(0), pair.ends[0].poll_timeout()), (vec![given_up], None));
}

#[test]
fn a_busy_control_unit_gets_the_request_again() {
    let mut pair = Pair::new(&[0], 1);
    pair.ends[0].establish(pair.now, path(0, 0));
    pair.deliver(0, true);
    for _ in 0..10 {
        pair.ends[1].send(back(path(0, 0)), LinkFunction::Busy);
        pair.deliver(1, false);
        pair.now = pair.ends[0].poll_timeout().expect("an answer is awaited");
        pair.ends[0].handle_timeout(pair.now);
        assert!(pair.deliver(0, true), "ELP goes out again");
    }
    assert_eq!(pair.events(0), []);
}

#[test]
fn a_test_finds_what_the_control_unit_forgot() {
    let mut pair = Pair::new(&[0, 9], 4);
    for image in [0, 9] {
        pair.ends[0].establish(pair.now, path(3, image));
    }
    pair.settle();
    pair.ends[1].end(back(path(3, 9)), RemovalCause::LoggedOut);
    pair.ends[0].test(CONTROL_UNIT, 3);
    pair.settle();
    assert_eq!(pair.ends[0].established().collect::<Vec<_>>(), [path(3, 0)]);
}

#[test]
fn only_control_units_take_paths_and_nonsense_is_rejected_once() {
    let mut pair = Pair::new(&[0], 1);
    pair.ends[1].send(back(path(0, 0)), LinkFunction::EstablishPath(PathFeatures::default()));
    pair.settle();
    assert_eq!(pair.ends[0].established().count(), 0);
    let payload = [5; 32];
    for (r_ctl, rejects) in [(0x02, true), (0x03, false)] {
        let header = FcHeader { s_id: CHANNEL, r_ctl, ..FcHeader::default() };
        let frame = FcFrame { header, optional: &[], payload: &payload };
        assert!(pair.ends[1].handle_frame(pair.now, &frame).is_err());
        assert_eq!(pair.ends[1].has_frame(), rejects);
        pair.settle();
    }
}

proptest! {
    /// Whatever is lost and in whatever order things happen: when all is quiet and a channel has used its paths, both
    /// sides agree on every path that the channel believes in.
    #[test]
    fn both_sides_agree_in_the_end(
        steps in prop::collection::vec((0_u8..8, 0_u8..2, 0_u8..3, any::<bool>()), 1..60),
    ) {
        let mut pair = Pair::new(&[0, 1], 3);
        for (step, channel_image, image, lose) in steps {
            let own = path(channel_image, image);
            match step {
                0 | 1 => pair.ends[0].establish(pair.now, own),
                2 => pair.ends[0].remove(pair.now, own),
                3 => pair.ends[1].remove(pair.now, back(own)),
                4 => { pair.deliver(0, lose); }
                5 => { pair.deliver(1, lose); }
                6 => pair.ends[1].handle_logged_out(CHANNEL),
                _ => {
                    pair.now = pair.now.saturating_add(Span::from_ms(700));
                    for end in &mut pair.ends {
                        end.handle_timeout(pair.now);
                    }
                }
            }
        }
        pair.run_out();
        for used in pair.ends[0].established().collect::<Vec<_>>() {
            pair.device_level(0, used);
        }
        pair.run_out();
        for used in pair.ends[0].established() {
            let there = pair.ends[1].is_established(CHANNEL, used.channel_image, used.control_unit_image);
            prop_assert!(there, "{:?}", used);
        }
    }

    /// A channel that establishes a path to an image which exists gets it when the fibre carries every frame.
    #[test]
    fn nothing_that_came_before_keeps_a_path_away(octets in prop::collection::vec(any::<u8>(), 0..64), code: u8) {
        let mut pair = Pair::new(&[0], 4);
        let mut octets = octets;
        if let Some(function) = octets.get_mut(17) {
            *function = code;
        }
        let header = FcHeader { s_id: CHANNEL, r_ctl: 2, ..FcHeader::default() };
        let frame = FcFrame { header, optional: &[], payload: &octets };
        let _ = pair.ends[1].handle_frame(pair.now, &frame);
        pair.ends[1].reject(&frame);
        pair.ends[0].establish(pair.now, path(0, 0));
        pair.settle();
        prop_assert!(pair.ends[0].is_established(CONTROL_UNIT, 0, 0));
    }
}

/// A late copy of the ELP that established a path is answered and resets nothing; another ELP does.
#[test]
fn an_establish_that_comes_twice_begins_nothing_anew() {
    let mut pair = Pair::new(&[2], 1);
    pair.ends[0].establish(pair.now, path(1, 2));
    while pair.ends[0].poll_frame(&mut pair.fibres[0]) {}
    let copy = pair.fibres[0].0[0].clone();
    pair.settle();
    let established = PathEvent::Established(back(path(1, 2)));
    assert_eq!(pair.events(1), [established]);
    pair.fibres[0].0.push_back(copy);
    pair.settle();
    assert_eq!(pair.events(1), []);
    pair.ends[0].handle_link_down();
    pair.ends[0].establish(pair.now, path(1, 2));
    pair.settle();
    let removed = PathEvent::Removed { path: back(path(1, 2)), why: RemovalCause::Anew };
    assert_eq!(pair.events(1), [removed, established]);
}
