//! State of an open exchange at either end, as REC requests it.

use halftrack_base::Span;
use halftrack_exchange::{ExchangeState, Program};
use halftrack_program::Protocol;
use halftrack_wire::IuData;
use halftrack_wire::choices::CONTROL_UNIT_EXCHANGES;

use crate::common::{LOGIN, read};
use crate::ports::at;
use crate::ports::link::{CHANNEL, CONTROL_UNIT, Rig, target};
use crate::ports::volumes::{Volumes, geometry};

fn begun(protocol: Protocol) -> (Rig, u16) {
    let mut rig = Rig::new(1, 8, Volumes::new(1), LOGIN);
    let program = Program::at(&read(4096, 3), protocol, &at(1), &geometry(), &IuData::None).unwrap();
    assert!(rig.channel.start(rig.now, &target(LOGIN, 0), &program, 77));
    let ox_id = (0..=u16::MAX).find(|ox_id| rig.channel.exchange_state(CONTROL_UNIT, *ox_id, true).is_some());
    (rig, ox_id.expect("an exchange is open"))
}

/// In transport mode the initiative goes to the control unit with the command, whose data the channel counts; an exchange
/// that is over, and one with another port, is unknown.
#[test]
fn the_initiative_follows_the_command_of_a_transport_exchange() {
    let (mut rig, ox_id) = begun(Protocol::Transport);
    let fresh = ExchangeState { has_initiative: true, is_complete: false, received_bytes: 0 };
    assert_eq!(rig.channel.exchange_state(CONTROL_UNIT, ox_id, true), Some(fresh));
    assert_eq!(rig.control_unit.exchange_state(CHANNEL, ox_id, false), None);
    while rig.channel.poll_frame(&mut rig.outbound) {}
    rig.deliver_outbound();
    let given = ExchangeState { has_initiative: false, ..fresh };
    assert_eq!(rig.channel.exchange_state(CONTROL_UNIT, ox_id, true), Some(given));
    assert_eq!(rig.control_unit.exchange_state(CHANNEL, ox_id, false), Some(fresh));
    assert_eq!(rig.control_unit.exchange_state(CONTROL_UNIT, ox_id, false), None);
    while rig.channel.exchange_state(CONTROL_UNIT, ox_id, true) == Some(given) {
        assert!(rig.control_unit.poll_frame(&mut rig.inbound));
        rig.deliver_inbound();
    }
    let state = rig.channel.exchange_state(CONTROL_UNIT, ox_id, true).expect("it is open");
    assert!(!state.has_initiative && state.received_bytes >= 3 * 4096, "{state:?}");
    rig.run(Span::from_s(1));
    assert_eq!(rig.channel.exchange_state(CONTROL_UNIT, ox_id, true), None);
    assert_eq!(rig.control_unit.exchange_state(CHANNEL, ox_id, false), None);
}

/// In command mode each side keeps the initiative of the exchange that it opened.
#[test]
fn each_side_of_a_pair_of_exchanges_keeps_its_initiative() {
    let (mut rig, ox_id) = begun(Protocol::Command);
    while rig.channel.poll_frame(&mut rig.outbound) {}
    while rig.deliver_outbound() {}
    rig.control_unit.poll_frame(&mut rig.inbound);
    rig.deliver_inbound();
    let own = CONTROL_UNIT_EXCHANGES
        .clone()
        .find(|id| rig.control_unit.exchange_state(CHANNEL, *id, true).is_some());
    let own = own.expect("the control unit answers in an exchange of its own");
    let states = [
        rig.channel.exchange_state(CONTROL_UNIT, ox_id, true),
        rig.channel.exchange_state(CONTROL_UNIT, own, false),
        rig.control_unit.exchange_state(CHANNEL, own, true),
        rig.control_unit.exchange_state(CHANNEL, ox_id, false),
    ];
    assert_eq!(
        states.map(|state| state.map(|state| state.has_initiative)),
        [Some(true), Some(false), Some(true), Some(false)]
    );
}
