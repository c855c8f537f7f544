//! The instructions in every state, and the status words after them.

use super::*;
use crate::idaw::IdawFormat;
use crate::rig::{Answer, PROGRAM, Rig, ccw, command_scsw, status_of};
use crate::scsw::DeferredCondition;

const CC: u8 = 0x40;
const PCI: u8 = 0x08;
const SUSPEND: u8 = 0x02;
const READ: u8 = 0x06;

fn resume(rig: &mut Rig) -> ConditionCode {
    rig.subchannel.resume(&mut rig.storage, &mut rig.device, &mut ())
}

/// Returns a rig that is suspended before the second of two reads.
fn suspended(flags: OrbFlags) -> Rig {
    let mut rig = Rig::new();
    rig.flags = OrbFlags::SUSPEND | flags;
    rig.put_ccws(PROGRAM, &[ccw(READ, CC, 4096, 0x2000), ccw(READ, SUSPEND, 4096, 0x3000)]);
    assert_eq!(rig.start(&rig.orb()), ConditionCode::Done);
    rig
}

#[test]
fn a_suspended_program_goes_on_where_it_stopped() {
    let mut rig = suspended(OrbFlags(0));
    assert_eq!((rig.device.commands.len(), rig.device.chains_ended), (1, 1));
    assert_eq!(resume(&mut rig), ConditionCode::StatusPending);
    let (code, irb) = rig.subchannel.test();
    let scsw = command_scsw(&irb);
    assert_eq!((code, scsw.controls.to_bits()), (ConditionCode::Done, 0x4029), "suspended, intermediate");
    assert_eq!((status_of(&scsw), scsw.suspend_control), ((0, 0, 4096, PROGRAM + 16), true));
    assert_eq!(rig.start(&rig.orb()), ConditionCode::Busy);
    assert_eq!(rig.subchannel.irb().scsw.controls().to_bits(), 0x4020, "still suspended");
    rig.put_ccws(PROGRAM + 8, &[ccw(READ, 0, 4096, 0x3000)]);
    assert_eq!(resume(&mut rig), ConditionCode::Done);
    let scsw = command_scsw(&rig.subchannel.test().1);
    assert_eq!((status_of(&scsw), scsw.controls.to_bits()), ((0x0C, 0, 0, PROGRAM + 16), 0x4007));
    assert_eq!((rig.device.commands.len(), rig.device.chains_ended), (2, 2));
    assert_eq!(resume(&mut rig), ConditionCode::Busy, "nothing is suspended");
}

#[test]
fn a_program_may_be_suspended_before_its_first_ccw_and_again() {
    let mut rig = Rig::new();
    rig.flags = OrbFlags::SUSPEND;
    let scsw = rig.run(&[ccw(READ, SUSPEND, 4096, 0x2000)]);
    assert_eq!((status_of(&scsw), scsw.controls.to_bits()), ((0, 0, 4096, PROGRAM + 8), 0x4029));
    assert_eq!(resume(&mut rig), ConditionCode::Done);
    assert_eq!(command_scsw(&rig.subchannel.test().1).controls.to_bits(), 0x4029, "the flag is still on");
    assert_eq!(rig.device.commands.len(), 0);
}

#[test]
fn the_suspended_interruption_can_be_suppressed() {
    let mut rig = suspended(OrbFlags::SUPPRESS_SUSPENDED);
    assert!(!rig.subchannel.is_status_pending());
    let (code, irb) = rig.subchannel.test();
    assert_eq!((code, irb.scsw.controls().to_bits()), (ConditionCode::StatusPending, 0x4020));
    assert!(command_scsw(&irb).flags.contains(CommandScswFlags::SUPPRESS_SUSPENDED));
    assert_eq!(resume(&mut rig), ConditionCode::Done);
}

#[test]
fn a_program_controlled_interruption_joins_the_status() {
    let mut rig = Rig::new();
    let scsw = rig.run(&[ccw(READ, CC | PCI, 4096, 0x2000), ccw(READ, 0, 4096, 0x3000)]);
    assert_eq!((status_of(&scsw), scsw.controls.to_bits()), ((0x0C, 0x80, 0, PROGRAM + 16), 0x400F));
    rig.flags = OrbFlags::SUSPEND | OrbFlags::SUPPRESS_SUSPENDED;
    let scsw = rig.run(&[ccw(READ, CC | PCI, 4096, 0x2000), ccw(READ, SUSPEND | PCI, 4096, 0x3000)]);
    assert_eq!((scsw.subchannel_status.0, scsw.controls.to_bits()), (0x80, 0x4029));
    rig.put_ccws(PROGRAM + 8, &[ccw(READ, 0, 4096, 0x3000)]);
    resume(&mut rig);
    assert_eq!(command_scsw(&rig.subchannel.test().1).subchannel_status.0, 0, "it was presented before");
}

#[test]
fn the_initial_status_interruption_joins_the_ending() {
    let mut rig = Rig::new();
    rig.flags = OrbFlags::INITIAL_STATUS | OrbFlags::PREFETCH;
    let scsw = rig.run(&[ccw(READ, 0, 4096, 0x2000)]);
    let flags = CommandScswFlags::FORMAT_1 | CommandScswFlags::PREFETCH | CommandScswFlags::INITIAL_STATUS;
    assert_eq!(scsw.flags, flags | CommandScswFlags::ZERO_CONDITION);
    assert_eq!(scsw.controls.to_bits(), 0x400F);
    let scsw = rig.run(&[ccw(0x40, 0, 1, 0)]);
    assert_eq!((scsw.flags, scsw.controls.to_bits()), (flags, 0x4017), "no command was taken");
}

#[test]
fn nothing_starts_where_status_is_pending_or_nothing_is_operational() {
    let mut rig = Rig::new();
    rig.put_ccws(PROGRAM, &[ccw(READ, 0, 4096, 0x2000)]);
    let mut orb = rig.orb();
    rig.start(&orb);
    assert_eq!(rig.start(&orb), ConditionCode::StatusPending);
    rig.subchannel.test();
    orb.path_mask = 0x7F;
    assert_eq!(rig.start(&orb), ConditionCode::NotOperational, "none of the paths that it may use");
    rig.subchannel = Subchannel::new(Pmcw { is_enabled: false, ..Pmcw::ONE_PATH });
    assert_eq!(rig.start(&orb), ConditionCode::NotOperational);
    assert_eq!(resume(&mut rig), ConditionCode::NotOperational);
    assert_eq!(rig.subchannel.test().0, ConditionCode::NotOperational);
    assert_eq!(
        (rig.subchannel.halt(), rig.subchannel.clear()),
        (ConditionCode::NotOperational, ConditionCode::NotOperational)
    );
    assert_eq!(rig.device.commands.len(), 1);
}

#[test]
fn the_leftmost_path_is_used() {
    let mut rig = Rig::new();
    let paths = Pmcw { logical_paths: 0x7E, installed_paths: 0xFF, available_paths: 0x3F, ..Pmcw::ONE_PATH };
    rig.subchannel = Subchannel::new(paths);
    assert_eq!(rig.run_irb(&[ccw(READ, 0, 4096, 0x2000)]).last_path, 0x20);
}

#[test]
fn testing_clears_the_status_once() {
    let mut rig = Rig::new();
    rig.device.answers.push_back(Answer::Presents(0x0E, Some([1; 32])));
    let irb = rig.run_irb(&[ccw(READ, 0, 4096, 0x2000)]);
    assert_eq!(irb.sense, Some([1; 32]));
    let (code, after) = rig.subchannel.test();
    assert_eq!((code, after.scsw.controls().to_bits(), after.sense), (ConditionCode::StatusPending, 0, None));
    assert_eq!(crate::irb::Irb::parse(&after.emit()).unwrap(), after);
}

#[test]
fn without_concurrent_sense_the_device_keeps_it() {
    let mut rig = Rig::new();
    rig.subchannel = Subchannel::new(Pmcw { has_concurrent_sense: false, ..Pmcw::ONE_PATH });
    rig.device.answers.push_back(Answer::Presents(0x0E, Some([1; 32])));
    let irb = rig.run_irb(&[ccw(READ, 0, 4096, 0x2000)]);
    assert_eq!((irb.sense, irb.scsw.has_extended_control()), (None, false));
    assert_eq!(irb.scsw.device_status().0, 0x0E);
}

#[test]
fn halting_ends_a_suspended_program() {
    let mut rig = suspended(OrbFlags(0));
    assert_eq!(rig.subchannel.halt(), ConditionCode::Done, "intermediate status does not matter");
    let (_, irb) = rig.subchannel.test();
    assert_eq!(irb.scsw.controls().to_bits(), 0x600D, "start and halt, primary, intermediate");
    assert_eq!(rig.subchannel.irb().scsw.controls().to_bits(), 0);
    assert_eq!(resume(&mut rig), ConditionCode::Busy);
    assert_eq!(rig.subchannel.halt(), ConditionCode::Done, "an idle subchannel signals the device");
    assert_eq!(rig.subchannel.halt(), ConditionCode::StatusPending);
    assert_eq!(rig.subchannel.test().1.scsw.controls().to_bits(), 0x2001);
}

#[test]
fn clearing_gives_up_everything() {
    let mut rig = suspended(OrbFlags(0));
    assert_eq!(rig.subchannel.clear(), ConditionCode::Done);
    let (code, irb) = rig.subchannel.test();
    assert_eq!((code, irb.scsw.controls().to_bits()), (ConditionCode::Done, 0x1001));
    assert_eq!(resume(&mut rig), ConditionCode::Busy);
    assert_eq!(status_of(&rig.run(&[ccw(READ, 0, 4096, 0x2000)])).0, 0x0C);
}

#[test]
fn the_word_repeats_the_orb() {
    let mut rig = Rig::new();
    rig.key = 7;
    rig.ccw_format = CcwFormat::Zero;
    rig.idaw_format = IdawFormat::One;
    rig.storage.set_key(0x2000, crate::main_storage::StorageKey::new(7, true)).unwrap();
    let scsw = rig.run(&[ccw(READ, 0, 4096, 0x2000)]);
    assert_eq!((scsw.key, scsw.flags, scsw.deferred), (7, CommandScswFlags(0), DeferredCondition::Normal));
}
