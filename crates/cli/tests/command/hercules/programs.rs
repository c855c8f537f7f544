//! Channel programs run by Hercules and by halftrack, each on a disk of its own.

use std::fs;
use std::path::Path;

use halftrack_control_unit::EckdDevice;
use halftrack_exec::{Check, Program, RunOptions, assemble, run};
use halftrack_input::SourceFile;
use halftrack_volume::{Mode, Volume};

use crate::hercules::machine::{self, Ended, Ran};
use crate::hercules::tools::Hercules;

/// A disk of three cylinders without a data set, twice.
struct Disks {
    hercules: Hercules,
}

const THEIRS: &str = "theirs.ckd";
const OURS: &str = "ours.ckd";

/// Track 1/0: twelve records of 4 KiB. Track 1/1: six of 80 octets. Track 1/2: three of 80 with keys of 8. Track 1/3: a
/// record, an end-of-file record and a record.
const LAID_OUT: [(u8, &[(u8, u16)]); 4] =
    [(0, &[(0, 4096); 12]), (1, &[(0, 80); 6]), (2, &[(8, 80); 3]), (3, &[(0, 80), (0, 0), (0, 80)])];

impl Disks {
    fn find() -> Option<Self> {
        let hercules = Hercules::find()?;
        hercules.run("dasdinit", &[THEIRS, "3390", "VOL001", "3"]);
        fs::copy(hercules.path(THEIRS), hercules.path(OURS)).expect("a second disk");
        Some(Self { hercules })
    }

    /// Makes disks with records on them.
    fn laid_out() -> Option<Self> {
        let disks = Self::find()?;
        let mut text = String::new();
        for (head, records) in LAID_OUT {
            text += "start\n  define-extent CC (extent 1/0-1/14)\n";
            text += &format!(
                "  locate-record CC (operation format-write count {} search 1/{head}/0)\n",
                records.len()
            );
            for (number, (key, data)) in (1..).zip(records) {
                let chained = if number < records.len() { "CC" } else { "" };
                let octets = match u16::from(*key) + data {
                    0 => String::new(),
                    octets => format!("{octets}X'{number:02X}'"),
                };
                let area = format!("record 1/{head}/{number} key-length {key} data-length {data}");
                text += &format!("  write-ckd {chained} count-area({area}) {octets}\n");
            }
        }
        for (ours, theirs) in disks.both(&text) {
            assert_eq!((ours.device_status, ours), (0x0C, theirs));
        }
        Some(disks)
    }

    fn theirs(&self, program: &Program) -> Ran {
        machine::run(&self.hercules, THEIRS, program)
    }

    /// Returns the endings of the starts of a program here, whatever it expects.
    fn ours(&self, program: &Program) -> Vec<Ended> {
        let volume = Volume::open(&self.hercules.path(OURS), Mode::Sync).expect("the volume opens");
        let Volume::Ckd(tracks) = volume else { panic!("a CKD volume was made") };
        let mut device = EckdDevice::new(tracks);
        let report = run(program, &mut device, RunOptions::default());
        device.into_tracks().close().expect("the files can be written");
        let ending = |step: &halftrack_exec::StepRecord| {
            let ending = step.ending.as_ref().expect("an ending");
            Ended {
                device_status: ending.device_status_bits,
                subchannel_status: ending.subchannel_status_bits,
                residual: ending.residual.unwrap_or_default() as u16,
                ccw_address: ending.address,
                sense: ending.sense.as_ref().map(|sense| [sense.0[0], sense.0[1], sense.0[7]]),
            }
        };
        report.steps.iter().map(ending).collect()
    }

    /// Runs a text on both: the endings, ours and theirs.
    fn both(&self, text: &str) -> Vec<(Ended, Ended)> {
        let program = assembled("test.ccw", text);
        self.ours(&program).into_iter().zip(self.theirs(&program).ended).collect()
    }
}

fn assembled(name: &str, text: &str) -> Program {
    let source = SourceFile::new(name, text);
    assemble(&source, &|_| Err("no files".to_owned())).unwrap_or_else(|found| panic!("{found:#?}"))
}

fn repository(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Asserts what a program expects of its endings and of storage.
fn assert_as_expected(name: &str, program: &Program, ran: &Ran) {
    for (number, (step, ended)) in program.steps.iter().zip(&ran.ended).enumerate() {
        for check in &step.checks {
            let holds = match &check.check {
                Check::Normal => (ended.device_status, ended.subchannel_status & 0x7F) == (0x0C, 0),
                Check::DeviceStatus(status) => ended.device_status == *status,
                Check::SubchannelStatus(status) => ended.subchannel_status == *status,
                Check::Residual(residual) => u64::from(ended.residual) == *residual,
                Check::CcwAddress(address) => u64::from(ended.ccw_address) == *address,
                Check::Sense(bytes) => {
                    ended.sense.map(|[zero, one, _]| u16::from_be_bytes([zero, one])) == Some(*bytes)
                }
                Check::Octets { address, octets } => {
                    let at = *address as usize;
                    ran.storage.get(at..at + octets.len()) == Some(&octets[..])
                }
                other => panic!("{name}: {other:?} cannot be told of Hercules"),
            };
            assert!(holds, "{name}: start {number} ended so: {ended:02X?}, against {:?}", check.check);
        }
    }
}

/// The programs of the repository in command mode on a CKD volume, in an order in which they find what they need, and
/// the example of the book. `read-4k-transport.ccw` and `fixed-blocks.ccw` are not for this machine.
#[test]
fn the_programs_of_the_repository_end_as_they_say() {
    let Some(disks) = Disks::find() else { return };
    let programs =
        ["format-track", "read-4k", "update-write", "read-track", "search-key", "sense", "ipl-record"];
    let book = repository("docs/formats/program-text.md");
    let example = book.split("```").nth(1).expect("an example");
    let texts = programs.map(|name| (name, repository(&format!("programs/{name}.ccw"))));
    for (name, text) in texts.into_iter().chain([("program-text.md", example.to_owned())]) {
        let program = assembled(name, &text);
        let ran = disks.theirs(&program);
        assert_eq!(ran.ended.len(), program.steps.len(), "{name}");
        // Sense ID of another maker's control unit differs.
        if name != "sense" {
            let same = |ended: &Ended| Ended { residual: 0, ..ended.clone() };
            assert_eq!(
                disks.ours(&program).iter().map(same).collect::<Vec<_>>(),
                ran.ended.iter().map(same).collect::<Vec<_>>(),
                "{name}"
            );
        }
        assert_as_expected(name, &program, &ran);
    }
}

/// Locate Record in every orientation and operation, one start each.
#[test]
fn locate_record_takes_the_same_orientations() {
    let Some(disks) = Disks::laid_out() else { return };
    let operations = [0x00, 0x01, 0x03, 0x06, 0x0B, 0x0C, 0x16];
    let pairs: Vec<u8> = operations
        .iter()
        .flat_map(|&operation| [0x00, 0x40, 0x80, 0xC0].map(|bits| bits | operation))
        .collect();
    let mut text = String::new();
    for pair in &pairs {
        let count = u8::from(pair & 0x3F != 0);
        text += &format!(
            "start\n  define-extent CC (extent 1/0-1/14)\n  \
             locate-record (byte 0 {pair} count {count} search 1/0/1)\n"
        );
    }
    let ended = disks.both(&text);
    for (pair, (ours, theirs)) in pairs.iter().zip(&ended) {
        assert_eq!(ours, theirs, "{pair:02X}");
    }
    let refused = ended.iter().filter(|(_, theirs)| theirs.sense == Some([0x80, 0, 4])).count();
    assert_eq!(refused, 10);
}

/// Sense bytes 0, 1 and 7: a command that may not stand where it stands; a domain that is left; a record of another length.
const SEQUENCE: Option<[u8; 3]> = Some([0x80, 0, 2]);
const INCOMPLETE: Option<[u8; 3]> = Some([0x81, 0, 0]);
const TRACK_FORMAT: Option<[u8; 3]> = Some([0, 0x40, 0]);

const EXTENT: &str = "define-extent CC (extent 1/0-1/14)\n";

/// Returns chains that begin a domain, and the sense with which they end.
fn domains() -> Vec<(String, Option<[u8; 3]>)> {
    let located = |operation: &str| format!("{EXTENT}locate-record CC (operation {operation})\n");
    let read = |count: u8| located(&format!("read-data count {count} search 1/0/1"));
    vec![
        (format!("{}read-data 4096\n", read(1)), None),
        (format!("{}read-data 4096\n", read(2)), INCOMPLETE),
        (format!("{}read-data SLI 80\n", read(2)), INCOMPLETE),
        (format!("{}read-data 80\n", read(2)), INCOMPLETE),
        (format!("{}read-data CC 80\nread-data 80\n", read(2)), None),
        (format!("{}read-data CC 4096\nread-data 4096\n", read(2)), None),
        (format!("{}read-data CC 4096\nno-op 1\n", read(2)), SEQUENCE),
        (read(2).replace("locate-record CC", "locate-record"), None),
        (
            format!("{}read-track SLI 65535\n", located("read-tracks orientation home count 2 search 1/0/0")),
            INCOMPLETE,
        ),
        (format!("{}read-data SLI 80\n", located("read-data count 3 search 1/3/2")), INCOMPLETE),
        (format!("{}read-data SLI 80\n", located("read-data count 1 search 1/3/2")), None),
    ]
}

/// Returns update writes in extents of some block size, with a transfer-length factor or none.
fn updates() -> Vec<(String, Option<[u8; 3]>)> {
    let write = |blocks: u16, factor: &str, head: u8, command: &str| {
        format!(
            "define-extent CC (extent 1/0-1/14 block-size {blocks})\n\
             locate-record CC (operation write-data count 1 search 1/{head}/2 {factor})\n{command}\n"
        )
    };
    let of = |length: u16| format!("transfer-length {length}");
    vec![
        (write(80, &of(80), 1, "write-data 80X'AA'").replace("count 1", "count 2"), INCOMPLETE),
        (write(80, "", 1, "write-data 80X'AB'"), None),
        (write(0, &of(80), 1, "write-data 80X'AC'"), None),
        (write(0, &of(80), 1, "write-data SLI 10X'AD'"), None),
        (write(0, "", 1, "write-data SLI 80X'AE'"), TRACK_FORMAT),
        (write(4096, "", 1, "write-data SLI 80X'AF'"), TRACK_FORMAT),
        (write(4096, &of(79), 1, "write-data SLI 80X'B0'"), TRACK_FORMAT),
        (write(4096, &of(81), 1, "write-data SLI 80X'B1'"), TRACK_FORMAT),
        (write(88, &of(88), 2, "write-data SLI 80X'B2'"), TRACK_FORMAT),
        (write(88, &of(80), 2, "write-data SLI 80X'B3'"), None),
        // Write Update Key and Data; the plain Write Key and Data compares the data alone there.
        (write(88, &of(88), 2, "0x8D 88X'B4'"), None),
        (write(88, &of(80), 2, "0x8D SLI 88X'B5'"), TRACK_FORMAT),
    ]
}

/// Returns commands that reserve or release the disk, behind others.
fn reservations() -> Vec<(String, Option<[u8; 3]>)> {
    let suspend = "suspend-multipath-reconnection CC SLI 1\n";
    vec![
        ("device-reserve 32\n".to_owned(), None),
        (format!("{suspend}device-reserve 32\n"), None),
        ("no-op CC SLI 1\ndevice-reserve SLI 32\n".to_owned(), SEQUENCE),
        ("sense CC\nunconditional-reserve SLI 32\n".to_owned(), SEQUENCE),
        ("unconditional-reserve CC 32\nno-op SLI 1\n".to_owned(), None),
        (format!("{suspend}{suspend}device-reserve SLI 32\n"), SEQUENCE),
        (format!("{EXTENT}device-release SLI 32\n"), SEQUENCE),
        ("set-file-mask CC X'00'\ndevice-release SLI 32\n".to_owned(), SEQUENCE),
        ("no-op CC SLI 1\ndevice-release 32\n".to_owned(), None),
    ]
}

#[test]
fn chains_that_are_not_as_they_should_be_end_the_same() {
    let Some(disks) = Disks::laid_out() else { return };
    let cases = [domains(), updates(), reservations()].concat();
    let text: String = cases.iter().map(|(chain, _)| format!("start\n{chain}")).collect();
    for ((chain, expected), (ours, theirs)) in cases.iter().zip(disks.both(&text)) {
        assert_eq!((ours.sense, theirs.sense), (*expected, *expected), "{chain}");
        assert_eq!(ours.device_status, theirs.device_status, "{chain}");
        // How much of a command that is rejected was taken from the channel is of no account.
        if *expected != SEQUENCE {
            let counts = |ended: &Ended| (ended.residual, ended.subchannel_status);
            assert_eq!(counts(&ours), counts(&theirs), "{chain}");
        }
    }
    let [ours, theirs] = [OURS, THEIRS].map(|name| disks.hercules.read(name));
    assert!(ours == theirs, "the same chains left other tracks");
}
