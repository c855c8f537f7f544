//! The redo journal beside a volume: what a transaction changes is safe in it before a file is changed.
//!
//! ```text
//! 0   header: which state of which volume
//! 512 transaction n | transaction n+1 | ... | whatever an earlier run left
//! transaction: magic, check word, sequence, runs, octets | (file, octets, offset, the octets, check words before) ...
//! ```
//!
//! Numbers are big-endian. The file is written full of zeros once and then in place, so that making a transaction
//! safe costs one write and one barrier and no change of the file's own description. When it is full, the files
//! of the volume are made safe and marked anew, and it starts again with a new header; what lies behind the new
//! transactions has another nonce, and counts for nothing.

use std::io;

use crate::fingerprint::Fingerprint;
use crate::journal_header::JournalHeader;
use crate::medium::Medium;
use crate::redo::Piece;
use crate::sector::{SECTOR_BYTES, check_word, read_padded};
use crate::stamp::{self, Stamp};
use crate::transaction::{Transaction, sectors_of};
use halftrack_base::fields::{u32_at, u64_at};

/// Bytes before the first transaction: one sector, which a disk writes whole or not at all.
const HEADER_BYTES: usize = SECTOR_BYTES;

const TRANSACTION_BYTES: usize = 24;
const TRANSACTION_MAGIC: [u8; 4] = *b"HTTX";
/// Offset behind the check word of a transaction, from which it is counted.
const CHECKED_FROM: usize = 8;
const RUN_BYTES: usize = 16;
const CHECK_WORD_BYTES: usize = 4;

/// Bytes of a new journal.
const FIRST_BYTES: u64 = 1 << 20;
/// Bytes that a journal grows to, doubled whenever it is full; a longer transaction makes it longer.
const FULL_BYTES: u64 = 128 << 20;
/// Bytes written at a time when the journal is filled with zeros.
const ZEROS_BYTES: usize = 1 << 16;
/// Bytes written at a time when a journal is written again.
const RENEWED_BYTES: u64 = 1 << 20;

/// A journal.
#[derive(Debug)]
pub struct Journal<M> {
    medium: M,
    /// Bytes of the file, all written; 0 before the first transaction.
    length: u64,
    /// Where the next transaction goes.
    at: u64,
    /// Sequence of the next transaction.
    sequence: u64,
    /// Of the header.
    nonce: u64,
    /// The files with every transaction so far, once there is a header.
    fingerprint: Option<Fingerprint>,
    buffer: Vec<u8>,
}

/// The first sector of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// No transaction can follow.
    Nothing,
    /// A header.
    Header(JournalHeader),
    /// Something else.
    Unreadable,
}

impl<M: Medium> Journal<M> {
    /// Creates a journal on an empty file.
    pub fn on_empty(medium: M) -> Self {
        let at = HEADER_BYTES as u64;
        Self { medium, length: 0, at, sequence: 1, nonce: 0, fingerprint: None, buffer: Vec::new() }
    }

    /// Returns the file of the journal.
    pub fn medium(&self) -> &M {
        &self.medium
    }

    /// Returns the medium, to be changed.
    pub fn medium_mut(&mut self) -> &mut M {
        &mut self.medium
    }

    /// Returns whether a transaction can be appended without starting again.
    pub fn has_room(&self, transaction: &Transaction) -> bool {
        self.at.saturating_add(bytes_of(transaction)) <= self.length
    }

    /// Starts again from the beginning, for the files of the volume as they are: what was appended before must be safe
    /// in them. They are marked. The journal becomes longer, by as much as `transaction` needs at least.
    ///
    /// # Errors
    /// Errors of the media.
    pub fn restart(&mut self, files: &mut [M], transaction: &Transaction) -> io::Result<()> {
        let needed = HEADER_BYTES as u64 + bytes_of(transaction);
        let doubled = (self.length * 2).clamp(FIRST_BYTES, FULL_BYTES.max(self.length));
        let length = doubled.max(needed.next_multiple_of(FIRST_BYTES));
        let zeros = [0; ZEROS_BYTES];
        while self.length < length {
            let bytes = (length - self.length).min(ZEROS_BYTES as u64);
            self.medium.write_at(self.length, &zeros[..bytes as usize])?;
            self.length += bytes;
        }
        let header = self.mark(files)?;
        let octets = header.to_bytes().ok_or_else(|| io::Error::other("the volume has too many files"))?;
        self.medium.write_at(0, &octets)?;
        self.medium.sync()?;
        (self.at, self.nonce) = (HEADER_BYTES as u64, header.stamp.nonce);
        Ok(())
    }

    /// Gives the files their next mark, and the header that belongs to it.
    fn mark(&mut self, files: &mut [M]) -> io::Result<JournalHeader> {
        let mut salt = self.medium.salt()? ^ self.sequence;
        for file in &*files {
            salt = salt.rotate_left(17) ^ file.salt()?;
        }
        let marked = stamp::next(files, salt)?;
        for (number, file) in files.iter_mut().enumerate() {
            let Some(stamp) = &marked else { break };
            let before = first_check(file)?;
            stamp::write(file, stamp)?;
            let after = first_check(file)?;
            if let Some(fingerprint) = &mut self.fingerprint {
                fingerprint.change(number as u16, 0, before, after);
            }
        }
        let fingerprint = match self.fingerprint {
            Some(kept) => kept,
            None => Fingerprint::new(files)?,
        };
        self.fingerprint = Some(fingerprint);
        let lengths = files.iter().map(Medium::len).collect::<io::Result<_>>()?;
        let unmarked = Stamp { identity: 0, generation: 0, nonce: salt, previous: 0 };
        Ok(JournalHeader {
            stamp: marked.unwrap_or(unmarked),
            is_marked: marked.is_some(),
            sequence: self.sequence,
            fingerprint,
            lengths,
        })
    }

    /// Appends a transaction, which is safe after [`Journal::sync`]. There must be room for it. After an error of either the
    /// journal is of no use.
    ///
    /// # Errors
    /// Errors of the medium.
    pub fn write(&mut self, transaction: &Transaction) -> io::Result<()> {
        self.buffer.clear();
        self.buffer.resize(TRANSACTION_BYTES, 0);
        let mut runs = 0u32;
        for run in transaction.runs() {
            let Piece { file, offset, octets } = run.piece;
            self.buffer.extend_from_slice(&u32::from(file).to_be_bytes());
            self.buffer.extend_from_slice(&(octets.len() as u32).to_be_bytes());
            self.buffer.extend_from_slice(&offset.to_be_bytes());
            self.buffer.extend_from_slice(octets);
            self.buffer.extend(run.before.iter().flat_map(|check| check.to_be_bytes()));
            runs += 1;
        }
        let body = (self.buffer.len() - TRANSACTION_BYTES) as u32;
        self.buffer[..4].copy_from_slice(&TRANSACTION_MAGIC);
        self.buffer[8..16].copy_from_slice(&self.sequence.to_be_bytes());
        self.buffer[16..20].copy_from_slice(&runs.to_be_bytes());
        self.buffer[20..24].copy_from_slice(&body.to_be_bytes());
        let check = check_of(self.nonce, &[&self.buffer[CHECKED_FROM..]]);
        self.buffer[4..8].copy_from_slice(&check.to_be_bytes());
        self.medium.write_at(self.at, &self.buffer)?;
        self.at += self.buffer.len() as u64;
        self.sequence += 1;
        if let Some(fingerprint) = &mut self.fingerprint {
            fingerprint.follow(transaction);
        }
        Ok(())
    }

    /// Makes safe what was appended.
    ///
    /// # Errors
    /// Errors of the medium.
    pub fn sync(&mut self) -> io::Result<()> {
        self.medium.sync()
    }

    /// Empties the journal; what was appended must be safe in the files.
    ///
    /// # Errors
    /// Errors of the medium.
    pub fn empty(&mut self) -> io::Result<()> {
        if self.length > 0 {
            self.medium.set_len(0)?;
            self.medium.sync()?;
            self.length = 0;
            self.at = HEADER_BYTES as u64;
            self.fingerprint = None;
        }
        Ok(())
    }
}

/// Returns the check word of the first sector of a file.
fn first_check<M: Medium>(file: &M) -> io::Result<u32> {
    let mut sector = [0; SECTOR_BYTES];
    read_padded(file, 0, &mut sector)?;
    Ok(check_word(&sector))
}

/// Returns the check word of a transaction of a journal with this nonce.
fn check_of(nonce: u64, parts: &[&[u8]]) -> u32 {
    let mut check = crc32fast::Hasher::new();
    check.update(&nonce.to_be_bytes());
    for part in parts {
        check.update(part);
    }
    check.finalize()
}

/// Returns the bytes of a transaction in the journal.
fn bytes_of(transaction: &Transaction) -> u64 {
    let runs = transaction.runs().count() * RUN_BYTES + transaction.sectors() * CHECK_WORD_BYTES;
    (TRANSACTION_BYTES + runs + transaction.redo().octets()) as u64
}

/// Reads the first sector of a journal.
pub(crate) fn read_beginning<M: Medium>(medium: &M) -> io::Result<Beginning> {
    let mut octets = [0; HEADER_BYTES];
    if medium.len()? < HEADER_BYTES as u64 {
        return Ok(Beginning::Nothing);
    }
    medium.read_at(0, &mut octets)?;
    if octets.iter().all(|octet| *octet == 0) {
        return Ok(Beginning::Nothing);
    }
    Ok(JournalHeader::from_bytes(&octets).map_or(Beginning::Unreadable, Beginning::Header))
}

/// Reads the transactions of the journal with this header; whole ones go to `each`, in the order in which they were
/// appended. A transaction that a crash tore ends them. Returns how many there are.
///
/// # Errors
/// Errors of the medium and of `each`.
pub(crate) fn replay<M: Medium, E: From<io::Error>>(
    medium: &M,
    header: &JournalHeader,
    mut each: impl FnMut(&Transaction) -> Result<(), E>,
) -> Result<u64, E> {
    let length = medium.len()?;
    let (mut at, mut transaction, mut whole) = (HEADER_BYTES as u64, Transaction::default(), 0u64);
    let next = |at, whole: u64, transaction: &mut Transaction| {
        let sequence = header.sequence.wrapping_add(whole);
        read_transaction(medium, length, at, (header.stamp.nonce, sequence), transaction)
    };
    while let Some(bytes) = next(at, whole, &mut transaction)? {
        each(&transaction)?;
        at += bytes;
        whole += 1;
    }
    Ok(whole)
}

/// Writes the header and the whole transactions of a journal again and makes them safe. After a barrier that failed they may be
/// in memory only, where no later barrier finds them changed.
///
/// # Errors
/// Errors of the medium.
pub(crate) fn renew<M: Medium>(medium: &mut M, header: &JournalHeader) -> io::Result<()> {
    let mut end = HEADER_BYTES as u64;
    replay(medium, header, |transaction| {
        end += bytes_of(transaction);
        io::Result::Ok(())
    })?;
    let mut octets = vec![0; end.min(RENEWED_BYTES) as usize];
    let mut at = 0;
    while at < end {
        let piece = &mut octets[..(end - at).min(RENEWED_BYTES) as usize];
        medium.read_at(at, piece)?;
        medium.write_at(at, piece)?;
        at += piece.len() as u64;
    }
    medium.sync()
}

/// Reads the transaction at `at` if it is whole and has this nonce and sequence; returns its bytes.
fn read_transaction<M: Medium>(
    medium: &M,
    length: u64,
    at: u64,
    (nonce, sequence): (u64, u64),
    transaction: &mut Transaction,
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
    if check_of(nonce, &[&head[CHECKED_FROM..], &body]) != u32_at(&head, 4) {
        return Ok(None);
    }
    transaction.clear();
    Ok(read_runs(&body, transaction).map(|()| TRANSACTION_BYTES as u64 + body_bytes))
}

/// Returns the runs of a transaction; nothing when they do not fill it.
fn read_runs(mut body: &[u8], transaction: &mut Transaction) -> Option<()> {
    while !body.is_empty() {
        let (head, rest) = body.split_at_checked(RUN_BYTES)?;
        let length = u32_at(head, 4) as usize;
        let (octets, rest) = rest.split_at_checked(length)?;
        let (before, rest) = rest.split_at_checked(sectors_of(length) * CHECK_WORD_BYTES)?;
        let piece = Piece { file: u16::try_from(u32_at(head, 0)).ok()?, offset: u64_at(head, 8), octets };
        transaction.push(piece, before.chunks_exact(CHECK_WORD_BYTES).map(|check| u32_at(check, 0)));
        body = rest;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_medium::MemoryMedium;
    use crate::redo::{RedoRecord, apply};

    fn volume() -> [MemoryMedium; 2] {
        [MemoryMedium::new(vec![9; 2048]), MemoryMedium::default()]
    }

    fn transaction(files: &[MemoryMedium], octet: u8, octets: usize) -> Transaction {
        let mut redo = RedoRecord::new();
        redo.push(1, u64::from(octet) << 13, &vec![octet; octets]);
        redo.push(0, 7, &[octet]);
        let mut transaction = Transaction::default();
        transaction.gather(&redo, files).unwrap();
        transaction
    }

    fn append(journal: &mut Journal<MemoryMedium>, files: &mut [MemoryMedium], transaction: &Transaction) {
        if !journal.has_room(transaction) {
            journal.restart(files, transaction).unwrap();
        }
        journal.write(transaction).unwrap();
        journal.sync().unwrap();
        apply(transaction.redo(), files).unwrap();
    }

    /// Appends a transaction, and returns it.
    fn write(
        journal: &mut Journal<MemoryMedium>,
        files: &mut [MemoryMedium],
        octet: u8,
        octets: usize,
    ) -> Transaction {
        let transaction = transaction(files, octet, octets);
        append(journal, files, &transaction);
        transaction
    }

    fn replayed(medium: &MemoryMedium) -> Vec<Transaction> {
        let Beginning::Header(header) = read_beginning(medium).unwrap() else { return Vec::new() };
        let mut all = Vec::new();
        let whole = replay(medium, &header, |transaction| {
            all.push(transaction.clone());
            io::Result::Ok(())
        });
        assert_eq!(whole.unwrap(), all.len() as u64);
        all
    }

    #[test]
    fn what_was_appended_is_replayed() {
        let (mut journal, mut files) = (Journal::on_empty(MemoryMedium::default()), volume());
        assert_eq!(read_beginning(journal.medium()).unwrap(), Beginning::Nothing);
        let written = [(1, 4096), (2, 0), (3, 70_000)]
            .map(|(octet, octets)| write(&mut journal, &mut files, octet, octets));
        assert!(replayed(journal.medium()) == written);
        journal.empty().unwrap();
        assert_eq!(replayed(journal.medium()), []);
        let last = write(&mut journal, &mut files, 4, 70_000);
        assert!(replayed(journal.medium()) == [last]);
        let mut foreign = journal.medium().bytes().to_vec();
        foreign[3] = b'0';
        assert_eq!(read_beginning(&MemoryMedium::new(foreign)).unwrap(), Beginning::Unreadable);
    }

    #[test]
    fn a_torn_transaction_ends_the_replay() {
        let (mut journal, mut files) = (Journal::on_empty(MemoryMedium::default()), volume());
        write(&mut journal, &mut files, 1, 1000);
        let torn_from = journal.at as usize;
        write(&mut journal, &mut files, 2, 1000);
        write(&mut journal, &mut files, 3, 1000);
        for at in [0, 5, 9, 17, 21, 25, 60, 1030] {
            let mut bytes = journal.medium().bytes().to_vec();
            bytes[torn_from + at] ^= 0x10;
            assert_eq!(replayed(&MemoryMedium::new(bytes)).len(), 1, "octet {at}");
        }
        let cut = journal.medium().bytes()[..torn_from + 100].to_vec();
        assert_eq!(replayed(&MemoryMedium::new(cut)).len(), 1);
    }

    #[test]
    fn a_journal_that_starts_again_forgets_what_it_held() {
        let (mut journal, mut files) = (Journal::on_empty(MemoryMedium::default()), volume());
        for _ in 0..3 {
            write(&mut journal, &mut files, 1, 300_000);
        }
        assert_eq!(replayed(journal.medium()).len(), 3);
        write(&mut journal, &mut files, 1, 300_000);
        assert_eq!(replayed(journal.medium()).len(), 1);
        assert_eq!(journal.length, 2 * FIRST_BYTES);
        let next = transaction(&files, 1, 300_000);
        journal.restart(&mut files, &next).unwrap();
        assert_eq!(replayed(journal.medium()), []);
        write(&mut journal, &mut files, 2, 10_000_000);
        assert_eq!(replayed(journal.medium()).len(), 1);
    }

    #[test]
    fn a_header_has_the_fingerprint_of_the_files_as_they_are() {
        let (mut journal, mut files) = (Journal::on_empty(MemoryMedium::default()), volume());
        for octet in 1..=9 {
            write(&mut journal, &mut files, octet, 200_000);
            assert_eq!(journal.fingerprint, Some(Fingerprint::new(&files).unwrap()));
        }
    }
}
