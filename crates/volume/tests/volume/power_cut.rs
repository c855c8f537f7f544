//! Whatever the disk holds after a power cut, the volume opens, what was committed is there, and every record is
//! whole.

use std::fmt::Debug;

use halftrack_program::{DeviceType, Geometry, Octets, TrackAddress};
use halftrack_volume::cckd::Compression;
use halftrack_volume::medium::Medium;
use halftrack_volume::power_cut::{Effort, LoggedMedium, PowerCut};
use halftrack_volume::{
    Blocks, CkdVolume, CountArea, MemoryMedium, Mode, NewFormat, Track, Tracks, Volume, VolumeDevice, create,
};

/// Tracks that the runs write; the others stay as they were.
const TRACKS: u8 = 3;
const EFFORT: Effort = Effort { exhaustive_sectors: 4, samples: 6, seed: 20_261_120 };

/// The octets of the tracks that a run writes.
type Snapshot = Vec<Vec<u8>>;

fn address(head: u8) -> TrackAddress {
    TrackAddress::new(0, head).unwrap()
}

fn snapshot<T: Tracks>(volume: &mut T) -> Snapshot {
    let octets = |head| {
        let track = volume.track(address(head)).unwrap();
        (0..track.records()).flat_map(|place| track.record(place).bytes().unwrap().to_vec()).collect()
    };
    (0..TRACKS).map(octets).collect()
}

/// Returns a new volume as octets.
fn image(format: NewFormat) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume");
    let geometry = Geometry::of_type(DeviceType::D3375, 1).unwrap();
    create(&path, VolumeDevice::Ckd(geometry), format, None).unwrap();
    std::fs::read(path).unwrap()
}

fn open<M: Medium + Debug>(mut files: Vec<M>, mode: Mode) -> CkdVolume<M> {
    let journal = files.pop();
    match Volume::from_media(files, journal, mode) {
        Ok(Volume::Ckd(volume)) => volume,
        other => panic!("no CKD volume: {other:?}"),
    }
}

/// Runs one chain: formats a track, updates records of two, or erases some; commits.
fn chain(volume: &mut CkdVolume<LoggedMedium>, number: u8) {
    let head = number % TRACKS;
    let track = address(head);
    let data = vec![number; 700];
    let formatted = volume.track(track).unwrap().records() > 3;
    if !formatted {
        for record in 1..=4 {
            let count = CountArea { cchh: track.to_cchh(), record, key_bytes: 0, data_bytes: 700 };
            volume.format_record(track, record, count, Octets::Bytes(&data)).unwrap();
        }
    } else if number.is_multiple_of(7) {
        volume.erase(track, 3).unwrap();
    } else {
        volume.write_data(track, 1 + number % 4, Octets::Bytes(&data)).unwrap();
        volume.write_data(track, 1 + (number + 1) % 4, Octets::Bytes(&data[..600])).unwrap();
    }
    volume.commit().unwrap();
}

/// A run and what it had promised when: events so far, and the state of the volume.
struct Run {
    power: PowerCut,
    committed: Vec<(usize, Snapshot)>,
}

/// Runs chains, with a flush after every third in write-back mode, and closes the volume.
fn run(format: NewFormat, mode: Mode, chains: u8) -> Run {
    let power = PowerCut::new(vec![image(format), vec![]]);
    let mut volume = open(power.media(), mode);
    let mut committed = vec![(0, snapshot(&mut volume))];
    for number in 1..=chains {
        chain(&mut volume, number);
        if mode == Mode::WriteBack && number % 3 == 0 {
            volume.flush().unwrap();
        }
        let state = snapshot(&mut volume);
        committed.push((power.events(), state));
    }
    volume.close().unwrap();
    Run { power, committed }
}

/// Tries every cut of a run: what the volume may be after each.
fn try_cuts(run: &Run, legal: impl Fn(usize) -> std::ops::RangeInclusive<usize>) -> usize {
    let mut tried = 0;
    for cut in 0..=run.power.events() {
        let legal = legal(cut);
        let states: Vec<_> =
            legal.filter_map(|chain| run.committed.get(chain)).map(|(_, state)| state).collect();
        run.power.states(cut, EFFORT, |files| {
            let found = snapshot(&mut open(files, Mode::Sync));
            assert!(states.contains(&&found), "cut after event {cut}");
            tried += 1;
        });
    }
    tried
}

/// Returns the last chain that had been committed when so many events had passed.
fn last_committed(run: &Run, cut: usize) -> usize {
    run.committed.iter().rposition(|(events, _)| *events <= cut).unwrap()
}

#[test]
fn sync_mode_keeps_every_chain_that_ended() {
    for format in [NewFormat::Plain, NewFormat::Compressed(Compression::zlib())] {
        let run = run(format, Mode::Sync, 12);
        let tried = try_cuts(&run, |cut| {
            let last = last_committed(&run, cut);
            last..=last + 1
        });
        assert!(tried > 300, "{tried} states");
    }
}

#[test]
fn write_back_mode_keeps_a_run_of_chains_from_the_first() {
    for format in [NewFormat::Plain, NewFormat::Compressed(Compression::none())] {
        let run = run(format, Mode::WriteBack, 12);
        let tried = try_cuts(&run, |cut| {
            let last = last_committed(&run, cut);
            last / 3 * 3..=last + 3
        });
        assert!(tried > 100, "{tried} states");
    }
}

#[test]
fn a_cut_during_recovery_loses_nothing() {
    let run = run(NewFormat::Compressed(Compression::zlib()), Mode::Sync, 5);
    let mut seed = 1;
    for cut in (0..=run.power.events()).step_by(7) {
        let last = last_committed(&run, cut);
        let states: Vec<_> = run.committed[last..].iter().take(2).map(|(_, state)| state).collect();
        run.power.states(cut, Effort { samples: 2, ..EFFORT }, |files| {
            let again = PowerCut::new(files.iter().map(|file| file.bytes().to_vec()).collect());
            drop(open(again.media(), Mode::Sync));
            seed += 1;
            for cut in 0..=again.events() {
                again.states(cut, Effort { samples: 1, seed, ..EFFORT }, |files| {
                    assert!(states.contains(&&snapshot(&mut open(files, Mode::Sync))));
                });
            }
        });
    }
}

/// Chains that fill the journal, so that it starts again between them: the image is marked, and every cut on the way
/// leaves a journal that is its own or has nothing more to give.
#[test]
fn a_journal_that_starts_again_loses_nothing() {
    let power = PowerCut::new(vec![image(NewFormat::Plain), vec![]]);
    let mut volume = open(power.media(), Mode::Sync);
    let mut committed = Vec::new();
    for number in 1..=7_u8 {
        for head in 0..12 {
            let track = address(head);
            let count = CountArea { cchh: track.to_cchh(), record: 1, key_bytes: 0, data_bytes: 30_000 };
            volume.format_record(track, 1, count, Octets::Bytes(&[number; 30_000])).unwrap();
        }
        volume.commit().unwrap();
        committed.push((power.events(), number));
    }
    let mut tried = 0;
    for cut in committed[0].0..=power.events() {
        let last = committed.iter().rfind(|(events, _)| *events <= cut).unwrap().1;
        power.states(cut, Effort { samples: 2, ..EFFORT }, |files| {
            let mut volume = open(files, Mode::Sync);
            let octets: Vec<u8> = (0..12)
                .map(|head| volume.track(address(head)).unwrap().data(1).bytes().unwrap()[29_999])
                .collect();
            assert!(
                [[last; 12], [last + 1; 12]].iter().any(|legal| octets == legal),
                "cut {cut}: {octets:?}"
            );
            tried += 1;
        });
    }
    assert!(tried > 100, "{tried} states");
}

#[test]
fn reading_only_shows_the_recovered_state() {
    let run = run(NewFormat::Plain, Mode::Sync, 6);
    for cut in (0..=run.power.events()).step_by(5) {
        run.power.states(cut, Effort { samples: 3, ..EFFORT }, |files| {
            let read = snapshot(&mut open(files.clone(), Mode::ReadOnly));
            assert_eq!(read, snapshot(&mut open(files, Mode::Sync)));
        });
    }
}

#[test]
fn blocks_survive_a_cut_as_well() {
    let power = PowerCut::new(vec![vec![0; 300 * 512], vec![]]);
    let mut media = power.media();
    let journal = media.pop();
    let Volume::Fba(mut volume) = Volume::from_media(media, journal, Mode::Sync).unwrap() else { panic!() };
    let mut committed = vec![0];
    for number in 1..=6 {
        for block in [0, 150, 299] {
            volume.write(block, &[number; 512]).unwrap();
        }
        volume.commit().unwrap();
        committed.push(power.events());
    }
    for cut in 0..=power.events() {
        let last = committed.iter().rposition(|events| *events <= cut).unwrap() as u8;
        power.states(cut, EFFORT, |mut files: Vec<MemoryMedium>| {
            let journal = files.pop();
            let Volume::Fba(mut volume) = Volume::from_media(files, journal, Mode::Sync).unwrap() else {
                panic!("an FBA volume")
            };
            let found = [0, 150, 299].map(|block| volume.read(block).unwrap()[0]);
            assert!([[last; 3], [last + 1; 3]].contains(&found), "cut after event {cut}: {found:?}");
        });
    }
}

/// The test would see a volume without journal lose what it promised.
#[test]
fn without_a_journal_a_cut_loses_records() {
    let power = PowerCut::new(vec![image(NewFormat::Plain)]);
    let Volume::Ckd(mut volume) = Volume::from_media(power.media(), None, Mode::Sync).unwrap() else {
        panic!()
    };
    let before = snapshot(&mut volume);
    chain(&mut volume, 1);
    let after = snapshot(&mut volume);
    let mut torn = 0;
    power.states(power.events(), Effort { samples: 50, ..EFFORT }, |files| {
        let Volume::Ckd(mut volume) = Volume::from_media(files, None, Mode::Sync).unwrap() else { panic!() };
        let track = volume.track(address(1)).map(|track| track.records());
        let whole = track.is_ok() && [&before, &after].contains(&&snapshot(&mut volume));
        torn += usize::from(!whole);
    });
    assert!(torn > 0);
}
