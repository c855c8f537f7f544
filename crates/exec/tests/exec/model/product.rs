//! A case run by the product: its subchannel and storage, and a device.

use halftrack_program::{
    ConditionCode, Device, MainStorage, Orb, Pmcw, STORAGE_BLOCK_BYTES, StatusControl, StorageKey,
    Subchannel, TransportSupport,
};

use crate::model::run::{Laid, Observed, RESUMES, flags_offset, tsb};

/// CCWs of one start: fewer than the product's own limit, for speed.
pub const CCWS: u32 = 2000;

/// Returns the storage of a laid case.
pub fn storage(laid: &Laid) -> MainStorage {
    let mut storage = MainStorage::new(laid.storage.len());
    storage.bytes_mut().copy_from_slice(&laid.storage);
    for (block, &key) in (0u64..).zip(&laid.keys) {
        let key = StorageKey::new(key >> 4, key & 0x08 != 0);
        storage.set_key(block * STORAGE_BLOCK_BYTES as u64, key).unwrap();
    }
    storage
}

/// Runs the starts; returns what was seen.
pub fn run(laid: &Laid, storage: &mut MainStorage, device: &mut impl Device) -> Vec<Observed> {
    let mut subchannel = Subchannel::new(Pmcw::ONE_PATH);
    subchannel.set_transport_support(TransportSupport { has_device: true, paths: 0xFF });
    subchannel.set_ccw_limit(CCWS);
    let mut seen = Vec::new();
    for bytes in &laid.orbs {
        let orb = Orb::parse(bytes).unwrap();
        assert_eq!(subchannel.start(&orb, storage, device, &mut ()), ConditionCode::Done);
        for _ in 0..RESUMES {
            let (condition, irb) = subchannel.test();
            assert_eq!(condition, ConditionCode::Done);
            let scsw = irb.scsw.emit();
            let sense = irb.sense.map(|sense| [sense[0], sense[1], sense[7]]);
            seen.push(Observed::new(bytes[5] & 0x04 != 0, scsw, sense, tsb(storage.bytes(), bytes)));
            let suspended =
                StatusControl(scsw[3] & 0x1F).contains(StatusControl::INTERMEDIATE) && scsw[3] & 0x06 == 0;
            if !suspended {
                break;
            }
            let address = u32::from_be_bytes([scsw[4], scsw[5], scsw[6], scsw[7]]) as usize - 8;
            storage.bytes_mut()[address + flags_offset(bytes)] &= !0x02;
            assert_eq!(subchannel.resume(storage, device, &mut ()), ConditionCode::Done);
        }
        subchannel.clear();
        subchannel.test();
    }
    seen
}
