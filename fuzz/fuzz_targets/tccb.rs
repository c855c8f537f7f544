//! Any octets are a TCW, its TCCB, its TIDAWs and data, with a device that answers anything: the operation ends, with
//! its ending in readable blocks, and stores nowhere against its key. And any octets are a TCCB: every one that
//! parses emits the same.
#![no_main]

use halftrack_program::{
    ConditionCode, FcxStatus, Orb, OrbProgram, Pmcw, Scsw, Subchannel, TSB_BYTES, Tccb, Tcw, Tsb,
};
use libfuzzer_sys::fuzz_target;
use wild::{HEAD_BYTES, WildDevice, assert_protected, assert_readable, storage};

mod wild;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(tccb) = Tccb::parse(bytes) {
        let emitted = tccb.emit().expect("what parsed fits");
        assert_eq!(Tccb::parse(&emitted).as_ref(), Ok(&tccb));
    }
    let Some((head, image)) = bytes.split_at_checked(HEAD_BYTES) else { return };
    let mut storage = storage(head, image);
    let before = storage.clone();
    let key = head[0] >> 4;
    let program = OrbProgram::Transport { address: 0 };
    let orb = Orb { interruption_parameter: 0, key, path_mask: 0xFF, program, priorities: None };
    let mut device = WildDevice::new(head);
    let mut subchannel = Subchannel::new(Pmcw::ONE_PATH);
    let code = subchannel.start(&orb, &mut storage, &mut device, &mut ());
    assert_eq!((code, device.chains_ended), (ConditionCode::Done, 1));
    let Scsw::Transport(scsw) = subchannel.irb().scsw else { panic!("transport mode was started") };
    if scsw.fcx_status == FcxStatus::TSB_VALID {
        // The data may have overwritten the TCW, but the block was stored at its earlier address.
        let tcw = Tcw::parse(&before.bytes()[..64]).expect("it was executed");
        let tsb = &storage.bytes()[tcw.tsb_address as usize..][..TSB_BYTES];
        assert!(Tsb::parse(tsb).is_ok());
    }
    subchannel.interrogate(&mut storage, &mut device, &mut ());
    assert_readable(&subchannel.test().1);
    assert_protected(&before, &storage, key);
});
