//! Devices that come into a link, are refused and go.

use halftrack_base::{Span, Time};
use halftrack_control_unit::ctc::Side::{X, Y};

use super::rig::*;
use crate::*;

#[test]
fn a_link_comes_up_with_its_first_device() {
    let rig = Rig::up(2);
    let [expected, _] = [("VMB", 1), ("VMA", 1)].map(|(node, incarnation)| {
        let (node, incarnation) = (name(node), Incarnation(incarnation));
        [
            Notice::NodeAdded { node, incarnation },
            Notice::DeviceActivated(number(0)),
            Notice::LinkUp { node },
            Notice::DeviceActivated(number(1)),
        ]
    });
    let events: Vec<_> =
        rig.notices[0].iter().filter(|notice| !matches!(notice, Notice::Collision(_))).copied().collect();
    assert_eq!(events, expected);
    let partner = rig.ends[0].partner().unwrap();
    assert_eq!((partner.system, partner.collection), (name("VMB"), name("CSC1")));
    let written: Vec<_> = rig.ends[0].devices().map(|device| (device.state, device.is_written)).collect();
    assert_eq!(written, [(DeviceState::Active, true), (DeviceState::Active, false)]);
}

#[test]
fn a_device_of_another_node_is_refused_and_its_side_is_not_ready() {
    let given = Settings { node: Some(name("VMC")), ..settings("VMA") };
    let mut rig = Rig::new([given, settings("VMB")], 1);
    rig.operational();
    rig.send(Y, 5);
    rig.run();
    let reason = Refusal::WrongNode { expected: name("VMC"), found: name("VMB") };
    assert!(rig.notices[0].contains(&Notice::Refused { device: number(0), reason }), "{:?}", rig.notices[0]);
    assert_eq!(rig.ends[0].devices().next().unwrap().state, DeviceState::Refused);
    assert!(!rig.ends[1].is_up());
    assert_eq!(rig.pairs[0].state(X), halftrack_control_unit::ctc::State::NotReady);
}

#[test]
fn a_device_that_leads_to_the_own_name_is_refused() {
    let mut rig = Rig::new([settings("VMA"), settings("VMA")], 1);
    rig.operational();
    rig.run();
    for notices in &rig.notices {
        let device = number(0);
        let is_refused = |notice: &Notice| matches!(notice, Notice::Refused { device: one, reason: Refusal::OwnName(_) } if *one == device);
        assert!(
            notices.iter().any(is_refused) || !notices.iter().any(|one| matches!(one, Notice::LinkUp { .. }))
        );
    }
    assert!(rig.ends.iter().all(|end| !end.is_up()));
}

#[test]
fn a_partner_of_an_older_level_has_one_device() {
    let older = Settings { level: Level::ONE_DEVICE, ..settings("VMB") };
    let mut rig = Rig::new([settings("VMA"), older], 3);
    rig.operational();
    rig.send(X, 5);
    rig.send(Y, 6);
    rig.run();
    let active = |end: &End| end.devices().filter(|one| one.state == DeviceState::Active).count();
    assert_eq!(rig.ends.each_ref().map(active), [1, 1]);
    assert_eq!((rig.take(X), rig.take(Y)), (6, 5));
}

#[test]
fn a_partner_that_is_not_ready_is_waited_for_and_tried_at_the_deadline() {
    let mut rig = Rig::new([settings("VMA"), settings("VMB")], 1);
    rig.end(X).operational(number(0));
    assert_eq!(rig.run(), 2, "Set Extended Mode and one Write");
    assert_eq!(rig.ends[0].devices().next().unwrap().state, DeviceState::NotReady);
    rig.now = Time::ZERO + Span::from_ms(999);
    assert_eq!((rig.run(), rig.ends[0].deadline()), (0, Some(Time::ZERO + Span::from_ms(1000))));
    rig.now = Time::ZERO + Span::from_ms(1000);
    assert_eq!((rig.run(), rig.ends[0].deadline()), (1, Some(Time::ZERO + Span::from_ms(2000))));
    rig.end(Y).operational(number(0));
    rig.run();
    assert!(rig.ends.iter().all(End::is_up), "attention comes with the hello of the partner");
    assert_eq!(rig.ends[0].deadline(), None);
}

#[test]
fn a_link_has_sixteen_devices_each_once() {
    let mut end = End::new(settings("VMA"));
    for device in 0..16 {
        assert_eq!(end.activate(number(device), None), Ok(()));
    }
    assert_eq!(end.activate(number(16), None), Err(ActivationError::TooMany));
    assert_eq!(end.activate(number(3), None), Err(ActivationError::Duplicate(number(3))));
    assert_eq!(end.activate(number(16), Some(name("VMA"))), Err(ActivationError::OwnName(name("VMA"))));
    assert!(end.deactivate(number(3)) && !end.deactivate(number(3)));
    assert_eq!(end.activate(number(16), Some(name("VMB"))), Ok(()));
    let wrong = ActivationError::WrongNode { expected: name("VMB"), given: name("VMC") };
    assert_eq!(end.activate(number(17), Some(name("VMC"))), Err(wrong));
}

#[test]
fn the_last_device_lost_takes_the_link_down_and_streams_go_on_when_one_returns() {
    let mut rig = Rig::up(2);
    for device in 0..2 {
        rig.lose(X, device);
    }
    rig.send(X, 3 * MIB);
    rig.send(Y, 7);
    rig.run();
    assert!(rig.notices[0].contains(&Notice::LinkDown { node: name("VMB") }));
    assert_eq!((rig.take(X), rig.take(Y)), (0, 0));
    rig.end(X).operational(number(1));
    rig.run();
    assert_eq!((rig.take(X), rig.take(Y)), (7, u64::from(3 * MIB)));
}
