//! Persistent reservations of a unit: registrations, the reservation, and the service actions that change them (SPC-4, 5.13).

use halftrack_base::fields::u64_at;

use crate::limits::REGISTRATIONS_MAX;
use crate::nexus::Nexus;
use crate::operation::Traits;
use crate::reservation_type::ReservationType;
use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};

/// Bytes of the parameter list.
pub(crate) const LIST_BYTES: usize = 24;
/// Byte of the parameter list with APTPL.
pub(crate) const PERSIST_BYTE: usize = 20;
/// APTPL: the state outlives a loss of power.
const PERSIST: u8 = 0x01;

/// A registered nexus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Registration {
    /// The nexus.
    pub nexus: Nexus,
    /// Its reservation key, never 0.
    pub key: u64,
}

/// The reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reservation {
    /// Nexus that made it; of a type for all registrants it means nothing.
    pub holder: Nexus,
    /// Type.
    pub kind: ReservationType,
}

/// State that outlives a loss of power, where the unit has a [`crate::ReservationStore`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SavedReservations {
    /// Registered nexuses, in the order of their registration.
    pub registrations: Vec<Registration>,
    /// The reservation, if there is one.
    pub reservation: Option<Reservation>,
}

/// Service action of PERSISTENT RESERVE OUT with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReserveOut {
    pub action: u8,
    /// Scope and type of the CDB.
    pub scope_and_type: u8,
}

/// Consequences of a service action for others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Consequences {
    pub attentions: Vec<(Nexus, SenseCode)>,
    /// Nexuses whose tasks end.
    pub aborted: Vec<Nexus>,
}

/// Parameter list.
#[derive(Debug, Clone, Copy)]
struct Parameters {
    key: u64,
    service_key: u64,
    persist: bool,
}

impl Parameters {
    fn parse(list: &[u8]) -> Result<Self, Refusal> {
        if list.len() != LIST_BYTES {
            return Err(SenseCode::PARAMETER_LIST_LENGTH.into());
        }
        // Neither SPEC_I_PT nor ALL_TG_PT.
        if list[PERSIST_BYTE] & !PERSIST != 0 {
            return Err(Sense::of_list_byte(PERSIST_BYTE).into());
        }
        let persist = list[PERSIST_BYTE] & PERSIST != 0;
        Ok(Self { key: u64_at(list, 0), service_key: u64_at(list, 8), persist })
    }
}

/// Persistent reservations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reservations {
    pub state: SavedReservations,
    pub generation: u32,
    /// The state is stored whenever it changes.
    pub is_persistent: bool,
}

impl Reservations {
    /// Returns the reservations that were stored.
    pub fn restored(state: SavedReservations) -> Self {
        Self { state, generation: 0, is_persistent: true }
    }

    /// Returns whether they forbid a command to a nexus.
    pub fn forbid(&self, nexus: Nexus, traits: Traits) -> bool {
        if traits.contains(Traits::LEGACY) {
            return !self.state.registrations.is_empty();
        }
        let forbids = |one: Reservation| one.kind.forbids(traits, self.key(nexus).is_some());
        !self.is_holder(nexus) && self.state.reservation.is_some_and(forbids)
    }

    /// Returns the key of a nexus, if it is registered.
    pub fn key(&self, nexus: Nexus) -> Option<u64> {
        self.state.registrations.iter().find(|one| one.nexus == nexus).map(|one| one.key)
    }

    /// Returns whether a nexus holds the reservation.
    pub fn is_holder(&self, nexus: Nexus) -> bool {
        self.state.reservation.is_some_and(|one| {
            if one.kind.is_of_all_registrants() { self.key(nexus).is_some() } else { one.holder == nexus }
        })
    }

    /// Carries out a service action.
    pub fn change(&mut self, nexus: Nexus, out: ReserveOut, list: &[u8]) -> Result<Consequences, Refusal> {
        let parameters = Parameters::parse(list)?;
        let mut consequences = Consequences::default();
        match out.action {
            0 | 6 => self.register(nexus, out.action == 6, parameters, &mut consequences)?,
            _ if self.key(nexus) != Some(parameters.key) => return Err(Refusal::Conflict),
            1 => self.reserve(nexus, out)?,
            2 => self.release(nexus, out, &mut consequences)?,
            3 => {
                for other in self.others(nexus) {
                    consequences.attentions.push((other, SenseCode::RESERVATIONS_PREEMPTED));
                }
                self.state = SavedReservations::default();
            }
            action => {
                self.preempt(nexus, out, parameters.service_key, &mut consequences)?;
                if action == 4 {
                    consequences.aborted.clear();
                }
            }
        }
        if !matches!(out.action, 1 | 2) {
            self.generation = self.generation.wrapping_add(1);
        }
        Ok(consequences)
    }

    fn others(&self, nexus: Nexus) -> Vec<Nexus> {
        self.state.registrations.iter().map(|one| one.nexus).filter(|one| *one != nexus).collect()
    }

    /// Registers a nexus, changes its key, or ends its registration when the new key is 0.
    fn register(
        &mut self,
        nexus: Nexus,
        ignores_key: bool,
        parameters: Parameters,
        consequences: &mut Consequences,
    ) -> Result<(), Refusal> {
        let registered = self.key(nexus);
        if !ignores_key && registered.unwrap_or(0) != parameters.key {
            return Err(Refusal::Conflict);
        }
        match (registered, parameters.service_key) {
            (None, 0) => {}
            (None, _) if self.state.registrations.len() >= REGISTRATIONS_MAX => {
                return Err(SenseCode::INSUFFICIENT_REGISTRATION_RESOURCES.into());
            }
            (None, key) => self.state.registrations.push(Registration { nexus, key }),
            (Some(_), 0) => self.unregister(nexus, consequences),
            (Some(_), key) => {
                let own = self.state.registrations.iter_mut().find(|one| one.nexus == nexus);
                if let Some(own) = own {
                    own.key = key;
                }
            }
        }
        self.is_persistent = parameters.persist;
        Ok(())
    }

    /// Ends a registration, and with it the reservation of its only holder.
    fn unregister(&mut self, nexus: Nexus, consequences: &mut Consequences) {
        let was_holder = self.is_holder(nexus);
        self.state.registrations.retain(|one| one.nexus != nexus);
        let Some(reservation) = self.state.reservation else { return };
        if reservation.kind.is_of_all_registrants() {
            if self.state.registrations.is_empty() {
                self.state.reservation = None;
            }
        } else if was_holder {
            self.end_reservation(nexus, reservation.kind, consequences);
        }
    }

    /// Ends the reservation; where registrants had access they get to see it.
    fn end_reservation(&mut self, by: Nexus, kind: ReservationType, consequences: &mut Consequences) {
        self.state.reservation = None;
        if kind.admits_registrants() {
            let released = |other| (other, SenseCode::RESERVATIONS_RELEASED);
            consequences.attentions.extend(self.others(by).into_iter().map(released));
        }
    }

    fn reserve(&mut self, nexus: Nexus, out: ReserveOut) -> Result<(), Refusal> {
        let kind = kind(out)?;
        match self.state.reservation {
            None => self.state.reservation = Some(Reservation { holder: nexus, kind }),
            Some(held) if self.is_holder(nexus) && held.kind == kind => {}
            Some(_) => return Err(Refusal::Conflict),
        }
        Ok(())
    }

    fn release(
        &mut self,
        nexus: Nexus,
        out: ReserveOut,
        consequences: &mut Consequences,
    ) -> Result<(), Refusal> {
        let kind = kind(out)?;
        let Some(held) = self.state.reservation.filter(|_| self.is_holder(nexus)) else { return Ok(()) };
        if held.kind != kind {
            return Err(SenseCode::INVALID_RELEASE.into());
        }
        self.end_reservation(nexus, kind, consequences);
        Ok(())
    }

    /// Takes registrations away by their key, and the reservation if its holder is among them.
    fn preempt(
        &mut self,
        nexus: Nexus,
        out: ReserveOut,
        key: u64,
        consequences: &mut Consequences,
    ) -> Result<(), Refusal> {
        let held = self.state.reservation;
        let is_of_all = held.is_some_and(|one| one.kind.is_of_all_registrants());
        if key == 0 && !is_of_all {
            return Err(Sense::of_list_byte(8).into());
        }
        let takes_over = match held {
            Some(_) if is_of_all => key == 0,
            Some(held) => self.key(held.holder) == Some(key),
            None => false,
        };
        let is_victim = |one: &Registration| is_of_all && key == 0 || one.key == key;
        if !takes_over && !self.state.registrations.iter().any(is_victim) {
            return Err(Refusal::Conflict);
        }
        let new = if takes_over { Some(kind(out)?) } else { None };
        let (victims, kept) = std::mem::take(&mut self.state.registrations)
            .into_iter()
            .partition(|one| is_victim(one) && one.nexus != nexus);
        self.state.registrations = kept;
        let victims: Vec<Registration> = victims;
        consequences.aborted = victims.iter().map(|one| one.nexus).collect();
        for victim in &victims {
            consequences.attentions.push((victim.nexus, SenseCode::REGISTRATIONS_PREEMPTED));
        }
        if let (Some(held), Some(kind)) = (held, new) {
            if held.kind != kind {
                self.end_reservation(nexus, held.kind, consequences);
            }
            self.state.reservation = Some(Reservation { holder: nexus, kind });
        }
        Ok(())
    }
}

/// Returns the type that the CDB names.
fn kind(out: ReserveOut) -> Result<ReservationType, Refusal> {
    ReservationType::of_cdb_byte(out.scope_and_type).ok_or_else(|| Sense::of_cdb_byte(2).into())
}
