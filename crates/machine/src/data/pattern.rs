//! The octets of a record: drawn from where it lies and which write put it there, so that any other octets are wrong.

use halftrack_engine::RandomStream;

use super::layout::VolumeId;

/// One record of one volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordId {
    pub volume: VolumeId,
    /// Track number.
    pub track: u32,
    /// Record number.
    pub record: u8,
}

/// What records hold before anybody has written them.
pub(crate) const UNWRITTEN: u32 = 0;

/// Appends the octets that write number `generation` of a run with `seed` puts into the record.
pub(crate) fn append_octets(seed: u64, id: RecordId, generation: u32, bytes: u16, into: &mut Vec<u8>) {
    let RecordId { volume: (lcu, unit_address), track, record } = id;
    let name = format!("data {lcu}.{unit_address:02X}.{track}.{record}.{generation}");
    let mut stream = RandomStream::new(seed, &name);
    let end = into.len() + usize::from(bytes);
    while into.len() < end {
        let word = stream.next_u64().to_le_bytes();
        into.extend_from_slice(&word[..word.len().min(end - into.len())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_tell_where_they_belong_and_who_wrote_them() {
        let octets = |id, generation| {
            let mut octets = Vec::new();
            append_octets(1, id, generation, 13, &mut octets);
            octets
        };
        let id = RecordId { volume: (3, 0x41), track: 7, record: 2 };
        assert_eq!(octets(id, 5).len(), 13);
        assert_eq!(octets(id, 5), octets(id, 5));
        assert_ne!(octets(id, 5), octets(id, 6));
        assert_ne!(octets(id, 5), octets(RecordId { record: 3, ..id }, 5));
        assert_ne!(octets(id, 5), octets(RecordId { volume: (3, 0x42), ..id }, 5));
    }
}
