//! A process that writes chain after chain is killed; what it had reported as ended is there, and every record is
//! whole.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use halftrack_program::{DeviceType, Geometry, Octets, TrackAddress};
use halftrack_volume::cckd::Compression;
use halftrack_volume::{
    CkdVolume, CountArea, FileMedium, Mode, NewFormat, Track, Tracks, Volume, VolumeDevice, create,
};

/// Names the volume to the process that writes.
const VOLUME: &str = "HALFTRACK_TEST_VOLUME";
const RECORDS: u8 = 8;
const RECORD_BYTES: u16 = 4000;

fn track() -> TrackAddress {
    TrackAddress::new(0, 5).unwrap()
}

fn open(path: &Path, mode: Mode) -> CkdVolume<FileMedium> {
    match Volume::open(path, mode) {
        Ok(Volume::Ckd(volume)) => volume,
        other => panic!("no CKD volume: {other:?}"),
    }
}

/// Returns the data of a record that chain `number` wrote.
fn data(number: u32) -> Vec<u8> {
    number.to_be_bytes().repeat(usize::from(RECORD_BYTES) / 4)
}

/// The process that is killed: writes chain `number` to record `number` modulo the records, and reports it.
#[test]
#[ignore = "runs as the child of the test below"]
fn writer() {
    let Some(path) = std::env::var_os(VOLUME) else { return };
    let mut volume = open(Path::new(&path), Mode::Sync);
    let mut output = std::io::stdout();
    // Far more than a parent lets it.
    for number in 1..=1_000_000u32 {
        let place = 1 + (number % u32::from(RECORDS)) as u8;
        volume.write_data(track(), place, Octets::Bytes(&data(number))).unwrap();
        volume.commit().unwrap();
        writeln!(output, "ended {number}").unwrap();
    }
}

fn format(path: &Path, format: NewFormat) {
    let geometry = Geometry::of_type(DeviceType::D3390, 1).unwrap();
    create(path, VolumeDevice::Ckd(geometry), format, None).unwrap();
    let mut volume = open(path, Mode::Sync);
    for record in 1..=RECORDS {
        let count = CountArea { cchh: track().to_cchh(), record, key_bytes: 0, data_bytes: RECORD_BYTES };
        volume.format_record(track(), record, count, Octets::Bytes(&data(0))).unwrap();
    }
    volume.commit().unwrap();
    volume.close().unwrap();
}

/// Kills a writer after it has reported so many chains; returns the number of the last that it reported.
fn write_and_kill(path: &Path, chains: usize) -> u32 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--ignored", "--nocapture"])
        .env(VOLUME, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut ended = Vec::new();
    let mut read = |lines: &mut dyn Iterator<Item = String>| {
        for line in lines {
            ended.extend(line.split_once("ended ").and_then(|(_, number)| number.parse::<u32>().ok()));
            if ended.len() == chains {
                break;
            }
        }
    };
    read(&mut lines);
    child.kill().unwrap();
    child.wait().unwrap();
    read(&mut lines);
    *ended.last().unwrap()
}

/// Looks at every record, and returns the last chain that wrote one.
fn inspect(volume: &mut CkdVolume<FileMedium>) -> u32 {
    let view = volume.track(track()).unwrap();
    let last = |place| {
        let octets = view.data(place).bytes().unwrap().to_vec();
        let number = u32::from_be_bytes(*octets.first_chunk().unwrap());
        assert_eq!(octets, data(number), "record {place} is not whole");
        assert!(number == 0 || number % u32::from(RECORDS) == u32::from(place - 1));
        number
    };
    (1..=RECORDS).map(last).max().unwrap()
}

#[test]
fn a_killed_writer_leaves_whole_records_and_all_that_it_reported() {
    let directory = tempfile::tempdir().unwrap();
    let formats = [NewFormat::Plain, NewFormat::Compressed(Compression::zlib())];
    for (number, new_format) in formats.into_iter().enumerate() {
        let path = directory.path().join(format!("volume{number}"));
        format(&path, new_format);
        for chains in [1, 2, 13, 40, 101] {
            let reported = write_and_kill(&path, chains);
            let read_only = inspect(&mut open(&path, Mode::ReadOnly));
            assert!(read_only >= reported, "chain {reported} had ended, {read_only} is there");
            let mut volume = open(&path, Mode::Sync);
            assert_eq!(inspect(&mut volume), read_only);
            volume.close().unwrap();
        }
    }
}
