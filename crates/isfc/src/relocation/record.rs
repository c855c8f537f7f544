//! Records of a relocation: what the two systems send each other over a conversation. Each is one block.
//!
//! ```text
//! to the destination                                         to the source
//! Begin   1 | zeros 3 | guest 8 | octets of memory 8         Greeting 7 | digest there 1 | zeros 2 | digest 32
//! Pass    2 | kind 1 | zeros 2 | number 4 | pages 8          Whole    8 | zeros 3
//! Pages   3 | zeros 3 | runs 4 | run: first 8, pages 4 | …   Refused  9 | reason 1 | zeros 2
//! End     4 | zeros 3 | digest 32
//! Commit  5 | zeros 3
//! Cancel  6 | reason 1 | zeros 2
//! ```
//!
//! The contents of the pages stand behind their runs. Numbers are big-endian, and the name is in EBCDIC. The layout is ours.

use halftrack_base::{LengthError, Octets};
use thiserror::Error;

use super::PAGE_BYTES;
use super::pages::PageRun;
use crate::system_name::{SystemName, SystemNameError};

/// Most pages of a record: each may be a run of its own, and the record is still a block.
pub const PAGES_MAX: u32 = 255;

const BEGIN: u8 = 1;
const PASS: u8 = 2;
const PAGES: u8 = 3;
const END: u8 = 4;
const COMMIT: u8 = 5;
const CANCEL: u8 = 6;
const GREETING: u8 = 7;
const WHOLE: u8 = 8;
const REFUSED: u8 = 9;

/// Digest of a whole memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

/// Kind of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PassKind {
    /// The guest runs.
    Running,
    /// The guest is stopped, as the rest can be moved within the wanted time.
    Converged,
    /// The guest is stopped although that cannot be foreseen.
    Forced,
}

/// Why a guest stays where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Reason {
    /// It changes pages faster than the link moves them.
    #[error("its passes did not converge")]
    NotConverged,
    /// The destination expects another guest.
    #[error("the destination expects another guest")]
    OtherGuest,
    /// A guest of this name with another memory is at the destination.
    #[error("a guest of its name with another memory is at the destination")]
    OtherMemory,
    /// The memory that came is not the one that was sent.
    #[error("its memory at the destination is not the one that was sent")]
    Different,
}

/// Record to the destination.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Record<'a> {
    /// A relocation begins.
    Begin {
        /// Guest.
        guest: SystemName,
        /// Octets of its memory, in whole pages.
        memory_bytes: u64,
    },
    /// A pass begins.
    Pass {
        /// Number, from 1.
        number: u32,
        /// Kind.
        kind: PassKind,
        /// Pages that follow.
        pages: u64,
    },
    /// Pages with their contents.
    Pages {
        /// Runs of pages, in ascending order.
        runs: Vec<PageRun>,
        /// Contents of all of them.
        contents: &'a [u8],
    },
    /// All pages were sent, and the guest stands.
    End(Digest),
    /// The memory is kept as it was at the stop: the guest is the destination's.
    Commit,
    /// The guest stays.
    Cancel(Reason),
}

/// Record to the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reply {
    /// The destination is there, and has this guest already or not.
    Greeting(Option<Digest>),
    /// The whole memory has come.
    Whole,
    /// The guest cannot be taken.
    Refused(Reason),
}

/// Why octets are no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RecordError {
    /// Fewer or more octets than the record has.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// No name.
    #[error(transparent)]
    Name(#[from] SystemNameError),
    /// A kind, a reason or another octet that no record has.
    #[error("a record of a relocation has no octet {0:02X} at its place")]
    Octet(u8),
    /// Pages that do not ascend, or none.
    #[error("the runs of pages do not ascend")]
    Runs,
    /// A memory of no pages, or with a part of one.
    #[error("a memory of {0} octets is not one of whole pages")]
    Memory(u64),
}

impl Reason {
    const ALL: [Self; 4] = [Self::NotConverged, Self::OtherGuest, Self::OtherMemory, Self::Different];

    fn decode(octet: u8) -> Result<Self, RecordError> {
        Self::ALL.get(usize::from(octet)).copied().ok_or(RecordError::Octet(octet))
    }
}

impl PassKind {
    const ALL: [Self; 3] = [Self::Running, Self::Converged, Self::Forced];

    fn decode(octet: u8) -> Result<Self, RecordError> {
        Self::ALL.get(usize::from(octet)).copied().ok_or(RecordError::Octet(octet))
    }
}

impl<'a> Record<'a> {
    /// Returns the octets of the record.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Begin { guest, memory_bytes } => {
                [&[BEGIN, 0, 0, 0][..], &guest.as_ebcdic(), &memory_bytes.to_be_bytes()].concat()
            }
            Self::Pass { number, kind, pages } => {
                [&[PASS, *kind as u8, 0, 0][..], &number.to_be_bytes(), &pages.to_be_bytes()].concat()
            }
            Self::Pages { runs, contents } => {
                let mut octets = Self::before_contents(runs);
                octets.extend_from_slice(contents);
                octets
            }
            Self::End(digest) => [&[END, 0, 0, 0][..], &digest.0].concat(),
            Self::Commit => vec![COMMIT, 0, 0, 0],
            Self::Cancel(reason) => vec![CANCEL, *reason as u8, 0, 0],
        }
    }

    /// Returns the octets of a record of pages before their contents, with room for these.
    pub fn before_contents(runs: &[PageRun]) -> Vec<u8> {
        let pages = runs.iter().fold(0_u32, |pages, run| pages.saturating_add(run.pages)).min(PAGES_MAX);
        let mut octets = Vec::with_capacity(8 + 12 * runs.len() + pages as usize * PAGE_BYTES as usize);
        octets.extend([PAGES, 0, 0, 0]);
        octets.extend((runs.len() as u32).to_be_bytes());
        for run in runs {
            octets.extend(run.first.to_be_bytes());
            octets.extend(run.pages.to_be_bytes());
        }
        octets
    }

    /// Decodes a record.
    ///
    /// # Errors
    /// The octets are none.
    pub fn decode(octets: &'a [u8]) -> Result<Self, RecordError> {
        let mut rest = Octets::new(octets);
        let [kind, second, zeros @ ..] = rest.array::<4>()?;
        zero(&zeros)?;
        if kind != PASS && kind != CANCEL {
            zero(&[second])?;
        }
        let record = match kind {
            BEGIN => {
                let guest = SystemName::from_ebcdic(rest.array()?)?;
                let memory_bytes = rest.double()?;
                if memory_bytes == 0 || memory_bytes % PAGE_BYTES != 0 {
                    return Err(RecordError::Memory(memory_bytes));
                }
                Self::Begin { guest, memory_bytes }
            }
            PASS => {
                Self::Pass { number: rest.word()?, kind: PassKind::decode(second)?, pages: rest.double()? }
            }
            PAGES => {
                let runs = decode_runs(&mut rest)?;
                let pages: usize = runs.iter().map(|run| run.pages as usize).sum();
                Self::Pages { runs, contents: rest.take(pages.saturating_mul(PAGE_BYTES as usize))? }
            }
            END => Self::End(Digest(rest.array()?)),
            COMMIT => Self::Commit,
            CANCEL => Self::Cancel(Reason::decode(second)?),
            kind => return Err(RecordError::Octet(kind)),
        };
        rest.end()?;
        Ok(record)
    }
}

/// Reads the runs of a record. Those that do not ascend are an error, and so are more pages than a record has.
fn decode_runs(rest: &mut Octets<'_>) -> Result<Vec<PageRun>, RecordError> {
    let (mut runs, mut next, mut pages) = (Vec::new(), 0_u64, 0_u32);
    for _ in 0..rest.word()? {
        let run = PageRun { first: rest.double()?, pages: rest.word()? };
        pages = pages.saturating_add(run.pages);
        let end = run.first.checked_add(run.pages.into());
        let is_next = run.first >= next && run.pages > 0 && pages <= PAGES_MAX;
        next = end.filter(|_| is_next).ok_or(RecordError::Runs)?;
        runs.push(run);
    }
    if runs.is_empty() { Err(RecordError::Runs) } else { Ok(runs) }
}

fn zero(octets: &[u8]) -> Result<(), RecordError> {
    octets.iter().find(|octet| **octet != 0).map_or(Ok(()), |octet| Err(RecordError::Octet(*octet)))
}

impl Reply {
    /// Returns the octets of the record.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Greeting(digest) => {
                let octets = digest.map_or([0; 32], |digest| digest.0);
                [&[GREETING, u8::from(digest.is_some()), 0, 0][..], &octets].concat()
            }
            Self::Whole => vec![WHOLE, 0, 0, 0],
            Self::Refused(reason) => vec![REFUSED, *reason as u8, 0, 0],
        }
    }

    /// Decodes a record.
    ///
    /// # Errors
    /// The octets are none.
    pub fn decode(octets: &[u8]) -> Result<Self, RecordError> {
        let mut rest = Octets::new(octets);
        let [kind, second, zeros @ ..] = rest.array::<4>()?;
        zero(&zeros)?;
        let reply = match (kind, second) {
            (GREETING, 0) => {
                zero(&rest.array::<32>()?)?;
                Self::Greeting(None)
            }
            (GREETING, 1) => Self::Greeting(Some(Digest(rest.array()?))),
            (WHOLE, 0) => Self::Whole,
            (REFUSED, reason) => Self::Refused(Reason::decode(reason)?),
            (GREETING | WHOLE, other) | (other, _) => return Err(RecordError::Octet(other)),
        };
        rest.end()?;
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::block::BLOCK_BYTES_MAX;

    fn reason() -> impl Strategy<Value = Reason> {
        prop::sample::select(Reason::ALL.to_vec())
    }

    fn digest() -> impl Strategy<Value = Digest> {
        any::<[u8; 32]>().prop_map(Digest)
    }

    fn runs() -> impl Strategy<Value = Vec<PageRun>> {
        prop::collection::vec((0..1_u64 << 40, 1..4_u32), 1..6).prop_map(|gaps| {
            let mut next = 0;
            gaps.into_iter()
                .map(|(gap, pages)| {
                    let first = next + gap;
                    next = first + u64::from(pages);
                    PageRun { first, pages }
                })
                .collect()
        })
    }

    /// Returns any record, and the contents of its pages.
    fn record() -> impl Strategy<Value = (Record<'static>, Vec<u8>)> {
        let guest = "[A-Z][A-Z0-9]{0,7}".prop_map(|name| name.parse().unwrap());
        prop_oneof![
            (guest, 1..1_u64 << 40)
                .prop_map(|(guest, pages)| Record::Begin { guest, memory_bytes: pages * PAGE_BYTES }),
            (any::<u32>(), prop::sample::select(PassKind::ALL.to_vec()), any::<u64>())
                .prop_map(|(number, kind, pages)| Record::Pass { number, kind, pages }),
            runs().prop_map(|runs| Record::Pages { runs, contents: &[] }),
            digest().prop_map(Record::End),
            Just(Record::Commit),
            reason().prop_map(Record::Cancel),
        ]
        .prop_flat_map(|record| {
            let pages = match &record {
                Record::Pages { runs, .. } => runs.iter().map(|run| run.pages as usize).sum(),
                _ => 0,
            };
            (Just(record), any::<u8>().prop_map(move |octet| vec![octet; pages * PAGE_BYTES as usize]))
        })
    }

    fn reply() -> impl Strategy<Value = Reply> {
        prop_oneof![
            prop::option::of(digest()).prop_map(Reply::Greeting),
            Just(Reply::Whole),
            reason().prop_map(Reply::Refused),
        ]
    }

    /// Returns a record with the contents of its pages.
    fn with<'a>(record: &Record<'a>, contents: &'a [u8]) -> Record<'a> {
        match record.clone() {
            Record::Pages { runs, .. } => Record::Pages { runs, contents },
            record => record,
        }
    }

    proptest! {
        #[test]
        fn a_record_is_itself_after_its_octets((record, contents) in record(), cut in any::<prop::sample::Index>()) {
            let record = with(&record, &contents);
            let octets = record.encode();
            prop_assert_eq!(Record::decode(&octets), Ok(record));
            prop_assert!(Record::decode(&octets[..cut.index(octets.len())]).is_err());
            prop_assert!(Record::decode(&[&octets[..], &[0]].concat()).is_err());
            prop_assert!(Reply::decode(&octets).is_err());
        }

        #[test]
        fn a_reply_is_itself_after_its_octets(reply in reply(), cut in any::<prop::sample::Index>()) {
            let octets = reply.encode();
            prop_assert_eq!(Reply::decode(&octets), Ok(reply));
            prop_assert!(Reply::decode(&octets[..cut.index(octets.len())]).is_err());
            prop_assert!(Reply::decode(&[&octets[..], &[0]].concat()).is_err());
            prop_assert!(Record::decode(&octets).is_err());
        }

        /// Whatever is a record has no other octets than its own.
        #[test]
        fn octets_that_are_a_record_are_its_octets(mut octets in prop::collection::vec(any::<u8>(), 0..60), kind in 0..11_u8) {
            if let Some(first) = octets.first_mut() {
                *first = kind;
            }
            if let Ok(record) = Record::decode(&octets) {
                prop_assert_eq!(record.encode(), &octets[..]);
            }
            if let Ok(reply) = Reply::decode(&octets) {
                prop_assert_eq!(reply.encode(), &octets[..]);
            }
        }
    }

    #[test]
    fn the_longest_record_is_a_block() {
        let runs: Vec<_> =
            (0..u64::from(PAGES_MAX)).map(|page| PageRun { first: 2 * page, pages: 1 }).collect();
        let contents = vec![1; PAGES_MAX as usize * PAGE_BYTES as usize];
        let octets = Record::Pages { runs: runs.clone(), contents: &contents }.encode();
        assert!(octets.len() <= BLOCK_BYTES_MAX as usize, "{}", octets.len());
        assert_eq!(Record::decode(&octets), Ok(Record::Pages { runs, contents: &contents }));
    }

    #[test]
    fn malformed_records_are_refused_with_their_reason() {
        let run = |first, pages| PageRun { first, pages };
        let page = [0; PAGE_BYTES as usize];
        let three = [page, page, page].concat();
        for runs in [
            vec![],
            vec![run(5, 0)],
            vec![run(5, 2), run(6, 1)],
            vec![run(u64::MAX, 3)],
            vec![run(9, 1), run(1, 2)],
        ] {
            let octets = Record::Pages { runs: runs.clone(), contents: &three }.encode();
            assert_eq!(Record::decode(&octets), Err(RecordError::Runs), "{runs:?}");
        }
        let huge = Record::before_contents(&[run(0, u32::MAX), run(u64::from(u32::MAX), u32::MAX)]);
        assert_eq!(Record::decode(&huge), Err(RecordError::Runs));
        let guest = "LINUX01".parse().unwrap();
        for memory_bytes in [0, 1, PAGE_BYTES + 1] {
            let begin = Record::Begin { guest, memory_bytes };
            assert_eq!(Record::decode(&begin.encode()), Err(RecordError::Memory(memory_bytes)));
        }
        assert_eq!(Record::decode(&[CANCEL, 4, 0, 0]), Err(RecordError::Octet(4)));
        assert_eq!(Record::decode(&[COMMIT, 0, 0, 7]), Err(RecordError::Octet(7)));
        assert_eq!(Record::decode(&[COMMIT, 6, 0, 0]), Err(RecordError::Octet(6)));
        assert_eq!(Reply::decode(&[WHOLE, 1, 0, 0]), Err(RecordError::Octet(1)));
    }
}
