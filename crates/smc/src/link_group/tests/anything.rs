//! Random messages, losses, ports and buffers: honest ends never violate the protocol, and agree in the end.

use halftrack_base::Span;
use proptest::prelude::*;

use super::rig::Rig;
use crate::link_group::{Action, End, GroupState, LinkId, PortNumber};
use crate::message::AlertToken;

/// Step of a run.
#[derive(Debug, Clone, Copy)]
enum Step {
    Deliver(usize, usize),
    Cut(usize, usize),
    Lost(usize, usize),
    Port(usize, bool, bool),
    AddBuffer(usize),
    DeleteBuffer(usize, usize),
    Connect,
    FailPairs,
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let at = 0..2_usize;
    prop_oneof![
        20 => (at.clone(), 0..3_usize).prop_map(|(at, choice)| Step::Deliver(at, choice)),
        1 => (at.clone(), 0..3_usize).prop_map(|(at, link)| Step::Cut(at, link)),
        1 => (at.clone(), 0..3_usize).prop_map(|(at, link)| Step::Lost(at, link)),
        2 => (at.clone(), any::<bool>(), any::<bool>()).prop_map(|(at, is_second, is_up)| Step::Port(at, is_second, is_up)),
        2 => at.clone().prop_map(Step::AddBuffer),
        1 => (at, 0..4_usize).prop_map(|(at, buffer)| Step::DeleteBuffer(at, buffer)),
        2 => Just(Step::Connect),
        1 => Just(Step::FailPairs),
        1 => (0..40_000_u64).prop_map(Step::Pass),
    ]
}

fn nth_link(rig: &Rig, at: usize, place: usize) -> Option<LinkId> {
    rig.ends[at].group.links().nth(place).map(|link| link.id)
}

fn take(rig: &mut Rig, step: Step, tokens: &mut u32) {
    match step {
        Step::Deliver(at, choice) => _ = rig.deliver(at, choice),
        Step::Cut(at, place) => {
            if let Some(link) = nth_link(rig, at, place) {
                rig.cut(at, link);
            }
        }
        Step::Lost(at, place) => {
            if let Some(link) = nth_link(rig, at, place) {
                rig.lost(at, link);
            }
        }
        Step::Port(at, is_second, is_up) => {
            rig.set_port(at, if is_second { PortNumber::Second } else { PortNumber::First }, is_up);
        }
        Step::AddBuffer(at) => rig.add_buffer(at),
        Step::DeleteBuffer(at, place) => {
            if let Some(&buffer) = rig.ends[at].confirmed.keys().nth(place) {
                rig.ends[at].confirmed.remove(&buffer);
                rig.ends[at].group.delete_buffer(rig.now, buffer);
                rig.act(at);
            }
        }
        Step::Connect => connect(rig, tokens),
        Step::FailPairs => rig.fail_pairs(),
        Step::Pass(longest_ms) => _ = rig.pass(Span::from_ms(longest_ms)),
    }
}

/// Puts a connection on the server's choice of link, at both ends.
fn connect(rig: &mut Rig, tokens: &mut u32) {
    let [server, client] = &mut rig.ends;
    let Some(link) = server.group.next_link() else { return };
    let number = server.group.link(link).and_then(|link| link.number);
    let Some(at_client) = client.group.links().find(|link| link.number == number).map(|link| link.id) else {
        return;
    };
    *tokens += 1;
    for (end, link) in [(server, link), (client, at_client)] {
        if end.group.place(AlertToken(*tokens), link) {
            end.places.insert(AlertToken(*tokens), link);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn honest_ends_never_violate_the_protocol_and_agree(
        ports in prop::array::uniform2(1..3_usize), steps in prop::collection::vec(step(), 1..150),
    ) {
        let (mut rig, mut tokens) = (Rig::new(ports), 0);
        for step in steps {
            take(&mut rig, step, &mut tokens);
        }
        rig.settle();
        let ended = [0, 1].map(|at: usize| rig.ends[at].ended);
        for end in ended.into_iter().flatten() {
            prop_assert!(matches!(end, End::NoLink | End::NoConfirmLink), "{end:?}");
        }
        let mut states = rig.states();
        if ended[0].is_none() && ended[1].is_none() {
            // The same ports are local to one end and the peer's to the other.
            if let GroupState::AsymmetricLocal = states[1] {
                states[1] = GroupState::AsymmetricPeer;
            } else if let GroupState::AsymmetricPeer = states[1] {
                states[1] = GroupState::AsymmetricLocal;
            }
            prop_assert_eq!(states[0], states[1]);
            rig.check();
        }
        for end in &mut rig.ends {
            prop_assert!(end.ended.is_none() || end.places.is_empty());
            prop_assert_eq!(end.group.poll_action(), None::<Action>);
        }
    }
}
