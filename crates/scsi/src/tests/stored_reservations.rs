//! Persistent reservations that outlive a loss of power.

use std::sync::{Arc, Mutex};

use crate::rig::{Rig, cdb_10, code, lun_of, nexus};
use crate::{
    BlockFault, Lun, MemoryBlocks, Registration, Reservation, ReservationStore, ReservationType,
    SavedReservations, ScsiStatus, SenseCode, Transfer,
};

const REGISTER: u8 = 0;
const RESERVE: u8 = 1;
const CLEAR: u8 = 3;
const LUN: Lun = lun_of(0);

/// All that was stored, in its order; or a failure.
#[derive(Debug, Clone, Default)]
struct Storage(Arc<Mutex<Stored>>);

#[derive(Debug, Default)]
struct Stored {
    states: Vec<Option<SavedReservations>>,
    fails: bool,
}

impl ReservationStore for Storage {
    fn store(&mut self, state: Option<&SavedReservations>) -> Result<(), BlockFault> {
        let mut stored = self.0.lock().unwrap();
        if stored.fails {
            return Err(BlockFault::Internal);
        }
        stored.states.push(state.cloned());
        Ok(())
    }
}

impl Storage {
    fn fail(&self, fails: bool) {
        self.0.lock().unwrap().fails = fails;
    }
}

fn with_store() -> (Rig, Storage) {
    let (mut rig, storage) = (Rig::ready(512), Storage::default());
    rig.target.units_mut()[0].set_reservation_store(Box::new(storage.clone()), None);
    (rig, storage)
}

/// Carries out a service action for a reservation of exclusive access for all registrants.
fn change(rig: &mut Rig, action: u8, keys: (u64, u64), flags: u8) -> Option<SenseCode> {
    let cdb = [0x5F, action, 8, 0, 0, 0, 0, 0, 24, 0];
    let list = [&keys.0.to_be_bytes()[..], &keys.1.to_be_bytes(), &[0, 0, 0, 0, flags, 0, 0, 0]].concat();
    rig.send(1, 0, &cdb, &list)
}

fn report(rig: &mut Rig, action: u8) -> Vec<u8> {
    rig.data(0, &[0x5E, action, 0, 0, 0, 0, 0, 1, 0, 0])
}

fn saved() -> SavedReservations {
    let registrations = vec![Registration { nexus: nexus(1), key: 6 }];
    let kind = ReservationType::ExclusiveAccessAllRegistrants;
    SavedReservations { registrations, reservation: Some(Reservation { holder: nexus(1), kind }) }
}

#[test]
fn the_state_is_stored_with_each_change() {
    let (mut rig, storage) = with_store();
    assert_eq!(report(&mut rig, 2)[2..4], [0x01, 0x80], "PTPL_C, and nothing is stored yet");
    for (action, keys, flags) in [(REGISTER, (0, 5), 0), (REGISTER, (5, 6), 1), (RESERVE, (6, 0), 0)] {
        assert_eq!(change(&mut rig, action, keys, flags), None);
    }
    assert_eq!(report(&mut rig, 2)[3], 0x81, "PTPL_A");
    assert_eq!(change(&mut rig, REGISTER, (6, 7), 0), None);
    assert_eq!(change(&mut rig, CLEAR, (7, 0), 0), None);
    let without = SavedReservations { reservation: None, ..saved() };
    assert_eq!(storage.0.lock().unwrap().states, [Some(without), Some(saved()), None]);
}

#[test]
fn the_state_comes_back() {
    let mut rig = Rig::new([MemoryBlocks::new(512, 10)]);
    rig.target.units_mut()[0].set_reservation_store(Box::new(Storage::default()), Some(saved()));
    rig.admit(1);
    assert_eq!(report(&mut rig, 1)[..4], [0; 4], "generation");
    assert_eq!(report(&mut rig, 1)[21], 8);
    let mut read = |initiator| {
        let cdb = cdb_10(0x28, 0, 0, 1);
        rig.run(nexus(initiator), LUN, &cdb, Transfer::In(512), &[])
    };
    assert_eq!(read(1).status, ScsiStatus::GOOD);
    assert_eq!(code(&read(2)), Some(SenseCode::POWER_ON_OR_RESET));
    assert_eq!(read(2).status, ScsiStatus::RESERVATION_CONFLICT);
}

#[test]
fn a_store_that_fails_leaves_everything_as_it_was() {
    let (mut rig, storage) = with_store();
    assert_eq!(change(&mut rig, REGISTER, (0, 5), 1), None);
    rig.admit(2);
    let before = [0, 1, 2, 3].map(|action| report(&mut rig, action));
    storage.fail(true);
    for (action, keys, flags) in
        [(REGISTER, (5, 6), 1), (REGISTER, (5, 0), 0), (RESERVE, (5, 0), 0), (CLEAR, (5, 0), 0)]
    {
        assert_eq!(change(&mut rig, action, keys, flags), Some(SenseCode::INTERNAL_FAILURE));
        assert_eq!([0, 1, 2, 3].map(|action| report(&mut rig, action)), before);
        assert_eq!(rig.code(2, 0, &[0; 6]), None, "no other gets to see a change");
    }
    storage.fail(false);
    assert_eq!(change(&mut rig, CLEAR, (5, 0), 0), None);
}

#[test]
fn a_unit_without_a_store_has_nothing_that_outlives_a_loss_of_power() {
    let mut rig = Rig::ready(512);
    assert_eq!(report(&mut rig, 2)[2..4], [0x00, 0x80]);
    assert_eq!(change(&mut rig, REGISTER, (0, 5), 1), Some(SenseCode::INVALID_FIELD_IN_LIST));
    assert_eq!(report(&mut rig, 0), [0; 8]);
    assert_eq!(change(&mut rig, REGISTER, (0, 5), 0), None);
}
