//! Unit addresses and device numbers that are free at both ends.

use super::channels::Wire;
use super::request::LinkRequest;
use crate::ctc::numbers::Numbers;
use crate::ctc::pairs::Connections;

/// Unit addresses of a control unit.
const UNIT_ADDRESSES: u16 = 0x100;
/// First device number that is tried; examples of z/VM have their logical links there.
const FIRST_DEVICE: u16 = 0xD000;
/// Device numbers begin at a multiple of it.
const ALIGNMENT: u16 = 0x10;

/// Returns the first of `count` unit addresses that are free at both ends of `wire`. They are behind those of the
/// control units that lead from the same partition over the same channel and link to the same image.
pub(super) fn unit_addresses(
    request: &LinkRequest<'_>,
    found: &Connections,
    wire: &Wire,
    count: usize,
) -> Result<u8, String> {
    let taken = request.systems.iter().zip(&wire.ends).flat_map(|(system, end)| {
        let here = move |one: &&crate::ctc::End| {
            one.image == *system
                && one.channel == end.channel
                && one.link == end.link
                && one.cuadd == Some(end.cuadd)
        };
        found.ends.iter().filter(here).map(|one| u16::from(one.addresses.0) + one.addresses.1)
    });
    let first = taken.max().unwrap_or(0);
    let fits = usize::from(first) + count <= usize::from(UNIT_ADDRESSES);
    u8::try_from(first).ok().filter(|_| fits).ok_or_else(|| {
        format!(
            "channel {}: {count} unit addresses are not free behind those of the control units that lead there already",
            wire.name()
        )
    })
}

/// Returns the first device number. `stripes` are the wires of the devices in the order of numbers.
pub(super) fn first_device(
    request: &LinkRequest<'_>,
    wires: &[Wire],
    stripes: &[usize],
) -> Result<u16, String> {
    let users = request.systems.each_ref().map(|system| [(system.css, system.name.clone())]);
    let numbers = request.systems.each_ref().map(|system| Numbers::of(request.decks[system.deck]));
    // Without a candidate list everybody on the channel sees a device.
    let is_free = |side: usize, at: usize, number: u16| {
        let listed = if wires[stripes[at]].ends[side].shared { &users[side][..] } else { &[] };
        numbers[side].are_free(number, 1, listed)
    };
    let fits = |first: u16| {
        (0u16..).zip(0..stripes.len()).all(|(step, at)| {
            let number = first.checked_add(step);
            number.is_some_and(|number| is_free(0, at, number) && is_free(1, at, number))
        })
    };
    if let Some(first) = request.first_device {
        return fits(first).then_some(first).ok_or_else(|| {
            format!(
                "device numbers {first:04X} and {} more are not all free in both systems; without --device a free \
                 range is chosen",
                stripes.len().saturating_sub(1)
            )
        });
    }
    let tries = (FIRST_DEVICE / ALIGNMENT..=u16::MAX / ALIGNMENT).chain(0..FIRST_DEVICE / ALIGNMENT);
    tries
        .map(|at| at * ALIGNMENT)
        .find(|&first| fits(first))
        .ok_or_else(|| format!("no {} device numbers in a row are free in both systems", stripes.len()))
}
