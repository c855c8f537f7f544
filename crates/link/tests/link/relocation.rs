//! Both systems of a relocation on files, without a link: memories that are changed on their way, and files that are gone.

use std::fs;
use std::path::PathBuf;

use halftrack_base::{SharedOctets, Span, Time};
use halftrack_isfc::relocation::{
    Changes, Conclusion, Otherwise, PAGE_BYTES, Plan, Reason, Record, RelocationReport,
};
use halftrack_link::islink::{
    Arriving, Conversation, ConversationError, ConversationReport, Departing, Guest, GuestWrites,
};
use tempfile::TempDir;

const PAGES: u64 = 1500;

struct World {
    directory: TempDir,
    now: Time,
    departing: Departing,
    arriving: Arriving,
    /// Octets that each side has sent.
    sent: [u64; 2],
}

impl World {
    fn new(pages_per_s: u64, quiesce_ms: u64, otherwise: Otherwise) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("linux01.mem");
        fs::write(&path, (0..PAGES * PAGE_BYTES).map(|at| ((at * 31) >> 7) as u8).collect::<Vec<_>>())
            .unwrap();
        let writes = GuestWrites { pages_per_s, working_set_pages: 200, seed: 5 };
        let plan = Plan {
            memory_bytes: PAGES * PAGE_BYTES,
            changes: Changes::Counted,
            quiesce_max: Span::from_ms(quiesce_ms),
            passes_max: 6,
            otherwise,
        };
        let guest = Guest::load(&path, writes).unwrap();
        let name = "LINUX01".parse().unwrap();
        let departing = Departing::new(name, plan, guest, &path).unwrap();
        let arriving = Arriving::new(name, &directory.path().join("moved.mem")).unwrap();
        let mut world = Self { directory, now: Time::ZERO, departing, arriving, sent: [0; 2] };
        world.departing.restarted(world.now);
        world.arriving.restarted(world.now);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Takes turns until both are finished; `carry` may change the octets of a record to the destination.
    fn run(
        &mut self,
        mut carry: impl FnMut(&mut Vec<u8>),
    ) -> Result<[RelocationReport; 2], ConversationError> {
        for _ in 0..10_000 {
            self.now += Span::from_ms(1);
            let now = self.now;
            self.departing.turn(now)?;
            self.arriving.turn(now)?;
            if let Some(record) = self.departing.take(1 << 20, now)? {
                let mut octets = record.to_vec();
                carry(&mut octets);
                self.arriving.put(self.sent[0], &octets.into(), now)?;
                self.sent[0] += record.len() as u64;
                self.departing.acknowledged(self.sent[0], now);
            }
            if let Some(reply) = self.arriving.take(1 << 20, now)? {
                self.departing.put(self.sent[1], &reply, now)?;
                self.sent[1] += reply.len() as u64;
            }
            if self.departing.is_finished() && self.arriving.is_finished() {
                let (ConversationReport::Departure(one), ConversationReport::Arrival(other)) =
                    (self.departing.report(), self.arriving.report())
                else {
                    panic!("reports of a relocation");
                };
                return Ok([one, other]);
            }
        }
        panic!("no end");
    }

    fn files(&self) -> [Option<Vec<u8>>; 2] {
        ["linux01.mem", "moved.mem"].map(|name| fs::read(self.path(name)).ok())
    }

    fn has_parts(&self) -> bool {
        self.path("linux01.mem.part").exists() || self.path("moved.mem.part").exists()
    }
}

#[test]
fn both_files_have_the_memory_of_the_stop() {
    let mut world = World::new(20_000, 5, Otherwise::Quiesce);
    let [before, _] = world.files();
    let reports = world.run(|_| {}).unwrap();
    assert!(reports.iter().all(|report| report.conclusion.is_some_and(Conclusion::is_moved)), "{reports:?}");
    let [source, destination] = world.files();
    assert!(source == destination && source != before && !world.has_parts());
}

/// A page that changes on its way is found, of the running guest and of the stopped one: there is no file, and the source has its
/// own as it was.
#[test]
fn a_page_that_changes_on_its_way_leaves_no_file() {
    // The first pass has six records. Pages that come again are right in the end when their last record is.
    for wanted in [1..=1, 4..=4, 7..=u32::MAX] {
        let mut world = World::new(20_000, 5, Otherwise::Quiesce);
        let before = world.files();
        let mut records = 0;
        let reports = world.run(|octets| {
            if matches!(Record::decode(octets), Ok(Record::Pages { .. })) {
                records += 1;
                *octets.last_mut().unwrap() ^= if wanted.contains(&records) { 0x40 } else { 0 };
            }
        });
        let reports = reports.unwrap();
        assert!(records >= 7, "{reports:?}");
        let different = Some(Conclusion::Stays(Reason::Different));
        assert_eq!(reports.map(|report| report.conclusion), [different; 2], "{wanted:?}");
        assert!(world.files() == before && before[1].is_none() && !world.has_parts(), "{wanted:?}");
    }
}

#[test]
fn a_guest_that_stays_leaves_both_files_as_they_were() {
    let mut world = World::new(900_000, 0, Otherwise::Cancel);
    let before = world.files();
    let reports = world.run(|_| {}).unwrap();
    let stays = Some(Conclusion::Stays(Reason::NotConverged));
    assert_eq!(reports.map(|report| report.conclusion), [stays; 2]);
    assert!(world.files() == before && !world.has_parts());
}

#[test]
fn octets_that_are_no_record_end_the_conversation_and_leave_no_file() {
    let mut world = World::new(0, 5, Otherwise::Cancel);
    let mut records = 0;
    let ended = world.run(|octets| {
        records += 1;
        if records == 4 {
            octets.pop();
        }
    });
    assert!(matches!(ended, Err(ConversationError::Record(_))), "{ended:?}");
    let World { directory, departing, arriving, .. } = world;
    drop((departing, arriving));
    assert!(
        !directory.path().join("moved.mem.part").exists() && !directory.path().join("moved.mem").exists()
    );
    assert!(directory.path().join("linux01.mem").exists());
}

/// A part that an earlier start has left is no part of the guest.
#[test]
fn parts_of_earlier_starts_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("moved.mem");
    fs::write(directory.path().join("moved.mem.part"), "half").unwrap();
    let mut arriving = Arriving::new("LINUX01".parse().unwrap(), &path).unwrap();
    assert!(!directory.path().join("moved.mem.part").exists());
    let garbage = SharedOctets::from(vec![1, 2, 3]);
    assert!(arriving.put(0, &garbage, Time::ZERO).is_err());
    assert!(Arriving::new("LINUX01".parse().unwrap(), &directory.path().join("missing/moved.mem")).is_err());
}
