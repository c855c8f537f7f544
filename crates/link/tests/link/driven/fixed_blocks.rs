//! Volumes with fixed blocks: written and read by block numbers, and found in the file of the image.

use std::fs;
use std::path::Path;

use halftrack_link::InProcessTransport;
use halftrack_link::connector::SingleConnector;
use halftrack_link::driver::{DriveError, Report};
use halftrack_link::plug::OneFibre;
use halftrack_volume::{NewFormat, VolumeDevice, create};
use halftrack_workload::{Pattern, RecordId, UNWRITTEN};

use crate::driven::site::{channel, run, serve};

/// Blocks of the volume.
const BLOCKS: u32 = 1000;
/// Bytes of a record: eight blocks.
const RECORD_BYTES: usize = 4096;

const STREAMS: &str = r#"
[run]
ios = 800
contents = "pattern"
[[stream]]
name = "blocks"
devices = ["00"]
program = { block = "4K" }
read_share = 0.5
closed = { jobs = 3 }
[[stream]]
name = "long"
devices = ["00"]
program = { block = "4K", records = 15 }
closed = { jobs = 1 }
"#;

fn make_volume(directory: &Path) {
    let device = VolumeDevice::Fba { blocks: BLOCKS };
    create(&directory.join("blocks.fba"), device, NewFormat::Plain, None).unwrap();
}

fn drive(directory: &Path, rest: &str, format: bool) -> Result<Report, DriveError> {
    let toml = "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n\
        [[port]]\nid = \"0030\"\nlisten = \"127.0.0.1:3220\"\nwwpn = \"50:05:07:63:00:00:00:30\"\n\
        [[logical_control_unit]]\ncuadd = \"00\"\n\
        [[logical_control_unit.volume]]\nunit_address = \"00\"\nfile = \"blocks.fba\"\n";
    let (near, far) = InProcessTransport::pair().unwrap();
    let serving = serve(directory, toml, vec![OneFibre(Some(far))]);
    let result = run(channel(&["127.0.0.1:1".to_owned()], rest), vec![SingleConnector(Some(near))], format);
    serving.join().unwrap();
    result
}

#[test]
fn blocks_are_written_read_and_compared() {
    let directory = tempfile::tempdir().unwrap();
    make_volume(directory.path());
    let report = drive(directory.path(), STREAMS, true).unwrap();
    assert!(report.is_right(), "{report:?}");
    let [blocks, long] = &report.streams[..] else { panic!("two streams") };
    assert!(blocks.statistics.writes > 50 && blocks.statistics.reads > 50 && long.statistics.reads > 10);
    assert_eq!(blocks.statistics.verified_bytes, blocks.statistics.read_bytes);
    let report = drive(directory.path(), &STREAMS.replace("ios", "seed = 9\nios"), false).unwrap();
    assert!(report.is_right(), "another channel finds what this one left: {report:?}");
}

/// The reader is no part of the driver: record n has its blocks from 8 n on in the file.
#[test]
fn a_plain_image_has_every_block_in_its_place() {
    let directory = tempfile::tempdir().unwrap();
    make_volume(directory.path());
    let reads = STREAMS.replace("read_share = 0.5\n", "").replace("ios = 800", "ios = 20");
    assert!(drive(directory.path(), &reads, true).unwrap().is_right());
    let image = fs::read(directory.path().join("blocks.fba")).unwrap();
    assert_eq!(image.len(), BLOCKS as usize * 512);
    for (number, octets) in image.as_chunks::<RECORD_BYTES>().0.iter().enumerate() {
        let mut expected = vec![0; RECORD_BYTES];
        if number > 0 {
            let id = RecordId { volume: 0, track: number as u32, record: 1 };
            Pattern::new(1).fill(id, UNWRITTEN, &mut expected);
        }
        assert!(octets[..] == expected, "record {number}");
    }
}

#[test]
fn what_blocks_do_not_have_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    make_volume(directory.path());
    for (change, words) in [
        ("program = { record_bytes = 1000 }", "blocks of 512 bytes"),
        ("program = { block = \"4K\", records = 16 }", "one CCW"),
        ("program = { block = \"4K\" }\ncylinders = \"1\"", "no cylinders"),
        ("program = { block = \"4K\" }\nprotocol = \"transport\"", "fixed blocks does not have"),
    ] {
        let rest = format!(
            "[run]\nios = 1\n[[stream]]\nname = \"one\"\ndevices = [\"00\"]\n{change}\nclosed = {{ jobs = 1 }}\n"
        );
        let error = drive(directory.path(), &rest, false).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
