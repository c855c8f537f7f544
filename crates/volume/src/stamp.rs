//! The mark that relates an image and its journal: in the reserved octets of the device header, from offset 448,
//! which no program of the Hercules family gives a meaning.
//!
//! ```text
//! 448 magic | 456 identity of the volume | 472 generation | 480 nonce | 488 nonce before | 496 check word
//! ```
//!
//! Numbers are big-endian. Whenever a journal begins, and its files are safe without it, they get the nonce of that
//! journal and no other; when the journal is empty they lose it, so that a volume that was closed has nothing of it.
//! A backup or an image that was made anew has no mark or another, and an image whose mark follows that of a journal
//! has all that the journal held.

use std::io;

use crate::device_header::has_header;
use crate::medium::Medium;
use crate::sector::SECTOR_BYTES;

/// Where the mark lies in the first sector of a file.
const STAMP_OFFSET: usize = 448;
const MAGIC: [u8; 8] = *b"HTSTAMP1";
/// Octets that the check word covers.
const CHECKED_BYTES: usize = 48;

/// The mark of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Of the volume, from its first journal until it is closed.
    pub(crate) identity: u128,
    /// Counts the journals since.
    pub(crate) generation: u64,
    /// Of the journal that began last.
    pub(crate) nonce: u64,
    /// Of the journal before.
    pub(crate) previous: u64,
}

/// Contents of the place of the mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stamped {
    /// The format has no header, or the place is used for something else.
    NoRoom,
    /// No mark yet.
    Blank,
    /// A mark.
    With(Stamp),
}

fn first_sector<M: Medium>(file: &M) -> io::Result<Option<[u8; SECTOR_BYTES]>> {
    let mut sector = [0; SECTOR_BYTES];
    if file.len()? < SECTOR_BYTES as u64 {
        return Ok(None);
    }
    file.read_at(0, &mut sector)?;
    Ok(has_header(&sector).then_some(sector))
}

/// Returns the mark of a file.
pub(crate) fn read<M: Medium>(file: &M) -> io::Result<Stamped> {
    let Some(sector) = first_sector(file)? else { return Ok(Stamped::NoRoom) };
    let place = &sector[STAMP_OFFSET..];
    if place.iter().all(|octet| *octet == 0) {
        return Ok(Stamped::Blank);
    }
    if !place.starts_with(&MAGIC) {
        return Ok(Stamped::NoRoom);
    }
    Ok(Stamp::from_bytes(place).map_or(Stamped::Blank, Stamped::With))
}

/// Marks a file: one sector, whole or not at all, and safe when this returns.
pub(crate) fn write<M: Medium>(file: &mut M, stamp: &Stamp) -> io::Result<()> {
    let Some(mut sector) = first_sector(file)? else { return Ok(()) };
    sector[STAMP_OFFSET..].copy_from_slice(&stamp.to_bytes());
    file.write_at(0, &sector)?;
    file.sync()
}

/// Takes the mark away, if there is one; safe when this returns, since the journal goes next.
pub(crate) fn erase<M: Medium>(file: &mut M) -> io::Result<()> {
    if !matches!(read(file)?, Stamped::With(_)) {
        return Ok(());
    }
    let Some(mut sector) = first_sector(file)? else { return Ok(()) };
    sector[STAMP_OFFSET..].fill(0);
    file.write_at(0, &sector)?;
    file.sync()
}

impl Stamp {
    fn to_bytes(self) -> [u8; SECTOR_BYTES - STAMP_OFFSET] {
        let mut octets = [0; SECTOR_BYTES - STAMP_OFFSET];
        octets[..8].copy_from_slice(&MAGIC);
        octets[8..24].copy_from_slice(&self.identity.to_be_bytes());
        octets[24..32].copy_from_slice(&self.generation.to_be_bytes());
        octets[32..40].copy_from_slice(&self.nonce.to_be_bytes());
        octets[40..48].copy_from_slice(&self.previous.to_be_bytes());
        let check = crc32fast::hash(&octets[..CHECKED_BYTES]);
        octets[CHECKED_BYTES..CHECKED_BYTES + 4].copy_from_slice(&check.to_be_bytes());
        octets
    }

    fn from_bytes(octets: &[u8]) -> Option<Self> {
        let u64_at = |at: usize| octets.get(at..)?.first_chunk().copied().map(u64::from_be_bytes);
        let stamp = Self {
            identity: u128::from(u64_at(8)?) << 64 | u128::from(u64_at(16)?),
            generation: u64_at(24)?,
            nonce: u64_at(32)?,
            previous: u64_at(40)?,
        };
        (stamp.to_bytes()[..] == *octets).then_some(stamp)
    }
}

/// Returns the mark that a volume gets when its next journal begins: that of its files, one generation on. `salt` is
/// a number that no other journal has. Nothing when its files have no room for one.
pub(crate) fn next<M: Medium>(files: &[M], salt: u64) -> io::Result<Option<Stamp>> {
    let mut newest = None::<Stamp>;
    for file in files {
        match read(file)? {
            Stamped::NoRoom => return Ok(None),
            Stamped::Blank => {}
            Stamped::With(stamp) if newest.is_some_and(|newest| newest.generation >= stamp.generation) => {}
            Stamped::With(stamp) => newest = Some(stamp),
        }
    }
    let own = mixed(salt);
    Ok(Some(match newest {
        Some(Stamp { identity, generation, nonce, .. }) => Stamp {
            identity,
            generation: generation.wrapping_add(1),
            nonce: mixed(own ^ nonce.rotate_left(23) ^ generation),
            previous: nonce,
        },
        None => Stamp {
            identity: u128::from(own) << 64 | u128::from(mixed(own)),
            generation: 1,
            nonce: mixed(own.rotate_left(31)),
            previous: 0,
        },
    }))
}

/// Returns the SplitMix64.
fn mixed(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_header::DeviceHeader;
    use crate::memory_medium::MemoryMedium;
    use halftrack_program::DeviceType;

    fn file() -> MemoryMedium {
        MemoryMedium::new(DeviceHeader::single(DeviceType::D3390).to_bytes().to_vec())
    }

    #[test]
    fn a_mark_is_read_back_and_leaves_the_header_as_it_was() {
        let mut marked = file();
        assert_eq!(read(&marked).unwrap(), Stamped::Blank);
        let first = next(&[file()], 5).unwrap().unwrap();
        write(&mut marked, &first).unwrap();
        assert_eq!(read(&marked).unwrap(), Stamped::With(first));
        assert_eq!(marked.bytes()[..STAMP_OFFSET], file().bytes()[..STAMP_OFFSET]);
        let second = next(&[file(), marked.clone()], 5).unwrap().unwrap();
        assert_eq!((second.identity, second.generation, second.previous), (first.identity, 2, first.nonce));
        assert_ne!(second.nonce, first.nonce);
        let mut erased = marked.clone();
        erase(&mut erased).unwrap();
        assert_eq!(erased, file());
        let mut torn = marked.bytes().to_vec();
        torn[470] ^= 1;
        assert_eq!(read(&MemoryMedium::new(torn)).unwrap(), Stamped::Blank);
    }

    #[test]
    fn what_others_keep_there_is_left_alone() {
        let mut used = file().bytes().to_vec();
        used[500] = 1;
        for octets in [used, vec![0; 4096], b"CKD_P370".to_vec()] {
            let file = MemoryMedium::new(octets);
            assert_eq!(read(&file).unwrap(), Stamped::NoRoom);
            assert_eq!(next(&[file], 1).unwrap(), None);
        }
    }

    #[test]
    fn two_volumes_of_one_beginning_part() {
        let nonce = |salt| next(&[file()], salt).unwrap().unwrap().nonce;
        assert_ne!(nonce(1), nonce(2));
    }
}
