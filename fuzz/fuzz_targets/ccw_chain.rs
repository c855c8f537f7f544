//! Any octets are a command-mode program in storage, with an ORB and a device that answers anything: it ends, with
//! its ending in a readable block, and stores nowhere against its key.
#![no_main]

use halftrack_program::{ConditionCode, ORB_BYTES, Orb, OrbProgram, Pmcw, Subchannel};
use libfuzzer_sys::fuzz_target;
use wild::{HEAD_BYTES, WildDevice, assert_protected, assert_readable, storage};

mod wild;

/// CCWs of a run: enough for every loop to be one.
const CCW_LIMIT: u32 = 600;
/// Times that a suspended program is resumed.
const RESUMES: usize = 4;

fuzz_target!(|bytes: &[u8]| {
    let Some((head, rest)) = bytes.split_at_checked(HEAD_BYTES) else { return };
    let Some((orb, image)) = rest.split_at_checked(ORB_BYTES) else { return };
    let Ok(orb) = Orb::parse(orb) else { return };
    if !matches!(orb.program, OrbProgram::Command { .. }) {
        return;
    }
    let mut storage = storage(head, image);
    let before = storage.clone();
    let mut device = WildDevice::new(head);
    let mut subchannel = Subchannel::new(Pmcw { logical_paths: 0xFF, ..Pmcw::ONE_PATH });
    subchannel.set_ccw_limit(CCW_LIMIT);
    let mut code = subchannel.start(&orb, &mut storage, &mut device, &mut ());
    let mut runs = 0;
    while code == ConditionCode::Done && runs <= RESUMES {
        runs += 1;
        assert_eq!(device.chains_ended as usize, runs);
        assert_readable(&subchannel.test().1);
        code = subchannel.resume(&mut storage, &mut device, &mut ());
    }
    assert_protected(&before, &storage, orb.key);
    subchannel.clear();
    assert_eq!(subchannel.test().0, ConditionCode::Done);
});
