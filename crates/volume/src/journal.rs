//! The redo journal beside a volume: what a transaction changes is safe in it before a file is changed.
//!
//! ```text
//! 0   magic, identity of the volume, sequence of the first transaction, check word
//! 512 transaction n | transaction n+1 | ... | whatever an earlier run left
//! transaction: magic, check word, sequence, pieces, octets | (file, octets, offset, the octets) ...
//! ```
//!
//! Numbers are big-endian. The file is written full of zeros once and then in place, so that making a transaction
//! safe costs one write and one barrier and no change of the file's own description. When it is full, the files
//! of the volume are made safe and it starts again with a new first sequence; what lies behind the new
//! transactions has sequences that do not follow, and counts for nothing.

use std::io;

use crate::medium::Medium;
use crate::redo::Redo;

/// Bytes before the first transaction: one sector, which a disk writes whole or not at all.
const HEADER_BYTES: usize = 512;
const HEADER_MAGIC: [u8; 8] = *b"HTJRNL01";
/// Bytes of the header that the check word covers.
const CHECKED_HEADER_BYTES: usize = 24;

const TRANSACTION_BYTES: usize = 24;
const TRANSACTION_MAGIC: [u8; 4] = *b"HTTX";
/// Offset behind the check word of a transaction, from which it is counted.
const CHECKED_FROM: usize = 8;
const PIECE_BYTES: usize = 16;

/// Bytes of a new journal.
const FIRST_BYTES: u64 = 1 << 20;
/// Bytes that a journal grows to, doubled whenever it is full; a longer transaction makes it longer.
const FULL_BYTES: u64 = 16 << 20;
/// Bytes written at a time when the journal is filled with zeros.
const ZEROS_BYTES: usize = 1 << 16;

/// A journal.
#[derive(Debug)]
pub struct Journal<M> {
    medium: M,
    identity: u32,
    /// Bytes of the file, all written; 0 before the first transaction.
    length: u64,
    /// Where the next transaction goes.
    at: u64,
    /// Sequence of the next transaction.
    sequence: u64,
    buffer: Vec<u8>,
}

/// What a journal holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// No transaction.
    Nothing,
    /// Transactions of this volume, which its files may lack. There are this many whole ones.
    Transactions(u64),
    /// It belongs to another volume.
    OtherVolume,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) << 32 | u64::from(u32_at(bytes, at + 4))
}

impl<M: Medium> Journal<M> {
    /// A journal on an empty file.
    pub fn on_empty(medium: M, identity: u32) -> Self {
        let at = HEADER_BYTES as u64;
        Self { medium, identity, length: 0, at, sequence: 1, buffer: Vec::new() }
    }

    /// The file of the journal.
    pub fn medium(&self) -> &M {
        &self.medium
    }

    /// Whether a transaction can be appended without starting again.
    pub fn has_room(&self, redo: &Redo) -> bool {
        self.at.saturating_add(bytes_of(redo)) <= self.length
    }

    /// Starts again from the beginning; what was appended before must be safe in the files. The journal becomes
    /// longer, by as much as `redo` needs at least.
    ///
    /// # Errors
    /// Those of the medium.
    pub fn restart(&mut self, redo: &Redo) -> io::Result<()> {
        let needed = HEADER_BYTES as u64 + bytes_of(redo);
        let doubled = (self.length * 2).clamp(FIRST_BYTES, FULL_BYTES.max(self.length));
        let length = doubled.max(needed.next_multiple_of(FIRST_BYTES));
        let zeros = [0; ZEROS_BYTES];
        while self.length < length {
            let bytes = (length - self.length).min(ZEROS_BYTES as u64);
            self.medium.write_at(self.length, &zeros[..bytes as usize])?;
            self.length += bytes;
        }
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&HEADER_MAGIC);
        header[8..12].copy_from_slice(&self.identity.to_be_bytes());
        header[16..24].copy_from_slice(&self.sequence.to_be_bytes());
        let check = crc32fast::hash(&header[..CHECKED_HEADER_BYTES]);
        header[24..28].copy_from_slice(&check.to_be_bytes());
        self.medium.write_at(0, &header)?;
        self.medium.sync()?;
        self.at = HEADER_BYTES as u64;
        Ok(())
    }

    /// Appends a transaction; it is safe when this returns. There must be room for it.
    ///
    /// # Errors
    /// Those of the medium.
    pub fn append(&mut self, redo: &Redo) -> io::Result<()> {
        self.buffer.clear();
        self.buffer.resize(TRANSACTION_BYTES, 0);
        let mut pieces = 0u32;
        for piece in redo.pieces() {
            self.buffer.extend_from_slice(&u32::from(piece.file).to_be_bytes());
            self.buffer.extend_from_slice(&(piece.octets.len() as u32).to_be_bytes());
            self.buffer.extend_from_slice(&piece.offset.to_be_bytes());
            self.buffer.extend_from_slice(piece.octets);
            pieces += 1;
        }
        let body = (self.buffer.len() - TRANSACTION_BYTES) as u32;
        self.buffer[..4].copy_from_slice(&TRANSACTION_MAGIC);
        self.buffer[8..16].copy_from_slice(&self.sequence.to_be_bytes());
        self.buffer[16..20].copy_from_slice(&pieces.to_be_bytes());
        self.buffer[20..24].copy_from_slice(&body.to_be_bytes());
        let check = crc32fast::hash(&self.buffer[CHECKED_FROM..]);
        self.buffer[4..8].copy_from_slice(&check.to_be_bytes());
        self.medium.write_at(self.at, &self.buffer)?;
        self.medium.sync()?;
        self.at += self.buffer.len() as u64;
        self.sequence += 1;
        Ok(())
    }

    /// Empties the journal; what was appended must be safe in the files.
    ///
    /// # Errors
    /// Those of the medium.
    pub fn empty(&mut self) -> io::Result<()> {
        if self.length > 0 {
            self.medium.set_len(0)?;
            self.medium.sync()?;
            self.length = 0;
            self.at = HEADER_BYTES as u64;
        }
        Ok(())
    }
}

/// Bytes of a transaction in the journal.
fn bytes_of(redo: &Redo) -> u64 {
    (TRANSACTION_BYTES + redo.pieces().count() * PIECE_BYTES + redo.octets()) as u64
}

/// Reads what the journal on `medium` holds for the volume with this identity; whole transactions go to `each`, in
/// the order in which they were appended. A transaction that a crash tore ends them.
///
/// # Errors
/// Those of the medium and of `each`.
pub fn replay<M: Medium, E: From<io::Error>>(
    medium: &M,
    identity: u32,
    mut each: impl FnMut(&Redo) -> Result<(), E>,
) -> Result<Pending, E> {
    let length = medium.len()?;
    let mut header = [0; HEADER_BYTES];
    if length < HEADER_BYTES as u64 {
        return Ok(Pending::Nothing);
    }
    medium.read_at(0, &mut header)?;
    let check = crc32fast::hash(&header[..CHECKED_HEADER_BYTES]);
    if header[..8] != HEADER_MAGIC || u32_at(&header, 24) != check {
        return Ok(Pending::Nothing);
    }
    let first = u64_at(&header, 16);
    let (mut at, mut redo, mut whole) = (HEADER_BYTES as u64, Redo::new(), 0u64);
    while let Some(bytes) = read_transaction(medium, length, at, first.wrapping_add(whole), &mut redo)? {
        if u32_at(&header, 8) != identity {
            return Ok(Pending::OtherVolume);
        }
        each(&redo)?;
        at += bytes;
        whole += 1;
    }
    Ok(if whole == 0 { Pending::Nothing } else { Pending::Transactions(whole) })
}

/// Reads the transaction at `at` if it is whole and has this sequence; returns its bytes.
fn read_transaction<M: Medium>(
    medium: &M,
    length: u64,
    at: u64,
    sequence: u64,
    redo: &mut Redo,
) -> io::Result<Option<u64>> {
    let mut head = [0; TRANSACTION_BYTES];
    if length - at < TRANSACTION_BYTES as u64 {
        return Ok(None);
    }
    medium.read_at(at, &mut head)?;
    let body_bytes = u64::from(u32_at(&head, 20));
    let fits = body_bytes <= length - at - TRANSACTION_BYTES as u64;
    if head[..4] != TRANSACTION_MAGIC || u64_at(&head, 8) != sequence || !fits {
        return Ok(None);
    }
    let mut body = vec![0; body_bytes as usize];
    medium.read_at(at + TRANSACTION_BYTES as u64, &mut body)?;
    let mut check = crc32fast::Hasher::new();
    check.update(&head[CHECKED_FROM..]);
    check.update(&body);
    if check.finalize() != u32_at(&head, 4) {
        return Ok(None);
    }
    redo.clear();
    Ok(read_pieces(&body, redo).map(|()| TRANSACTION_BYTES as u64 + body_bytes))
}

/// The pieces of a transaction; nothing when they do not fill it.
fn read_pieces(mut body: &[u8], redo: &mut Redo) -> Option<()> {
    while !body.is_empty() {
        let (head, rest) = body.split_at_checked(PIECE_BYTES)?;
        let (octets, rest) = rest.split_at_checked(u32_at(head, 4) as usize)?;
        redo.push(u16::try_from(u32_at(head, 0)).ok()?, u64_at(head, 8), octets);
        body = rest;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_medium::MemoryMedium;

    fn transaction(octet: u8, octets: usize) -> Redo {
        let mut redo = Redo::new();
        redo.push(1, u64::from(octet) << 33, &vec![octet; octets]);
        redo.push(0, 7, &[octet]);
        redo
    }

    fn append(journal: &mut Journal<MemoryMedium>, redo: &Redo) {
        if !journal.has_room(redo) {
            journal.restart(redo).unwrap();
        }
        journal.append(redo).unwrap();
    }

    fn replayed(medium: &MemoryMedium, identity: u32) -> (Pending, Vec<Redo>) {
        let mut all = Vec::new();
        let pending = replay(medium, identity, |redo| {
            all.push(redo.clone());
            io::Result::Ok(())
        });
        (pending.unwrap(), all)
    }

    #[test]
    fn what_was_appended_is_replayed_by_its_volume_only() {
        let mut journal = Journal::on_empty(MemoryMedium::default(), 9);
        assert_eq!(replayed(journal.medium(), 9).0, Pending::Nothing);
        let written = [transaction(1, 4096), transaction(2, 0), transaction(3, 70_000)];
        for redo in &written {
            append(&mut journal, redo);
        }
        let (pending, read) = replayed(journal.medium(), 9);
        assert_eq!((pending, &read[..]), (Pending::Transactions(3), &written[..]));
        assert_eq!(replayed(journal.medium(), 8), (Pending::OtherVolume, vec![]));
        journal.empty().unwrap();
        assert_eq!(replayed(journal.medium(), 9).0, Pending::Nothing);
        append(&mut journal, &written[2]);
        assert_eq!(replayed(journal.medium(), 9).1, written[2..]);
    }

    #[test]
    fn a_torn_transaction_ends_the_replay() {
        let mut journal = Journal::on_empty(MemoryMedium::default(), 9);
        append(&mut journal, &transaction(1, 1000));
        let torn_from = journal.at as usize;
        append(&mut journal, &transaction(2, 1000));
        append(&mut journal, &transaction(3, 1000));
        for at in [0, 5, 9, 17, 21, 25, 60, 1030] {
            let mut bytes = journal.medium().bytes().to_vec();
            bytes[torn_from + at] ^= 0x10;
            assert_eq!(replayed(&MemoryMedium::new(bytes), 9).1.len(), 1, "octet {at}");
        }
        let cut = journal.medium().bytes()[..torn_from + 100].to_vec();
        assert_eq!(replayed(&MemoryMedium::new(cut), 9).1.len(), 1);
    }

    #[test]
    fn a_journal_that_starts_again_forgets_what_it_held() {
        let mut journal = Journal::on_empty(MemoryMedium::default(), 9);
        let large = transaction(1, 300_000);
        for _ in 0..3 {
            append(&mut journal, &large);
        }
        assert_eq!(replayed(journal.medium(), 9).1.len(), 3);
        append(&mut journal, &large);
        assert_eq!(replayed(journal.medium(), 9).1.len(), 1);
        assert_eq!(journal.length, 2 * FIRST_BYTES);
        journal.restart(&large).unwrap();
        assert_eq!(replayed(journal.medium(), 9).0, Pending::Nothing);
        append(&mut journal, &transaction(2, 10_000_000));
        assert_eq!(replayed(journal.medium(), 9).1.len(), 1);
    }
}
