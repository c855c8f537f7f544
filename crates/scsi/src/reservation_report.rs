//! PERSISTENT RESERVE IN: the reports of registrations and of the reservation (SPC-4, 6.15).

use crate::reservations::Reservations;

/// Bytes of a TransportID of Fibre Channel.
const TRANSPORT_ID_BYTES: usize = 24;
/// Types that the unit has, in the two bytes of their mask.
const TYPE_MASK: [u8; 2] = [0xEA, 0x01];

/// Returns the data of a service action.
pub(crate) fn data(reservations: &Reservations, action: u8, has_store: bool) -> Vec<u8> {
    let body = match action {
        0 => reservations.state.registrations.iter().flat_map(|one| one.key.to_be_bytes()).collect(),
        1 => reservation(reservations),
        2 => return capabilities(reservations, has_store),
        _ => full_status(reservations),
    };
    let mut data = reservations.generation.to_be_bytes().to_vec();
    data.extend((body.len() as u32).to_be_bytes());
    data.extend(body);
    data
}

fn reservation(reservations: &Reservations) -> Vec<u8> {
    let Some(held) = reservations.state.reservation else { return Vec::new() };
    let is_of_all = held.kind.is_of_all_registrants();
    let key = if is_of_all { 0 } else { reservations.key(held.holder).unwrap_or(0) };
    let mut body = key.to_be_bytes().to_vec();
    body.extend([0, 0, 0, 0, 0, held.kind as u8, 0, 0]);
    body
}

/// Returns the capabilities: PTPL_C, the mask of types, and whether the state is stored now.
fn capabilities(reservations: &Reservations, has_store: bool) -> Vec<u8> {
    let active = u8::from(reservations.is_persistent);
    vec![0, 8, u8::from(has_store), 0x80 | active, TYPE_MASK[0], TYPE_MASK[1], 0, 0]
}

fn full_status(reservations: &Reservations) -> Vec<u8> {
    let mut body = Vec::new();
    for one in &reservations.state.registrations {
        let is_holder = reservations.is_holder(one.nexus);
        let kind = reservations.state.reservation.filter(|_| is_holder).map_or(0, |held| held.kind as u8);
        body.extend(one.key.to_be_bytes());
        body.extend([0, 0, 0, 0, u8::from(is_holder), kind, 0, 0, 0, 0]);
        body.extend(one.nexus.target_port.to_be_bytes());
        body.extend((TRANSPORT_ID_BYTES as u32).to_be_bytes());
        body.extend([0; 8]);
        body.extend(one.nexus.initiator.to_be_bytes());
        body.extend([0; 8]);
    }
    body
}
