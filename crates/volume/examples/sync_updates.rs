//! Synchronous 4K updates of a CKD volume: how many a second, and how many bytes each costs.
//!
//! ```text
//! cargo run --profile ship -p halftrack-volume --example sync_updates -- DIRECTORY [UPDATES]
//! fio --name=sync --directory=DIRECTORY --filesize=256m --rw=randwrite --bs=4k --ioengine=sync --fdatasync=1 \
//!     --number_ios=UPDATES --overwrite=1
//! ```

use std::path::PathBuf;
use std::time::Instant;

use halftrack_program::{Geometry, Octets, TrackAddress};
use halftrack_volume::{CountArea, Mode, NewFormat, Tracks, Volume, VolumeDevice, create};

/// Cylinders of the volume: 256 MiB of 4K records.
const CYLINDERS: u32 = 365;
const RECORDS: u8 = 12;
const RECORD_BYTES: usize = 4096;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().ok_or("name a directory")?);
    let updates: u32 = arguments.next().map_or(Ok(5000), |text| text.parse())?;
    let path = directory.join("sync_updates.ckd");
    let geometry = Geometry::with_cylinders(CYLINDERS).ok_or("no such geometry")?;
    create(&path, VolumeDevice::Ckd(geometry), NewFormat::OneFile, None)?;
    let Volume::Ckd(mut volume) = Volume::open(&path, Mode::WriteBack)? else {
        return Err("no CKD volume".into());
    };
    let tracks = u32::try_from(geometry.tracks())?;
    let address = |track: u32| TrackAddress::new(track / 15, (track % 15) as u8).unwrap_or_default();
    for track in 0..tracks {
        for record in 1..=RECORDS {
            let cchh = address(track).to_cchh();
            let count = CountArea { cchh, record, key_bytes: 0, data_bytes: RECORD_BYTES as u16 };
            volume.format_record(address(track), record, count, Octets::Bytes(&[0; RECORD_BYTES]))?;
        }
        volume.commit()?;
    }
    volume.close()?;
    let Volume::Ckd(mut volume) = Volume::open(&path, Mode::Sync)? else {
        return Err("no CKD volume".into());
    };
    let (mut state, data) = (1u64, [0x5A; RECORD_BYTES]);
    let begin = Instant::now();
    for _ in 0..updates {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let place = ((state >> 33) % u64::from(tracks * u32::from(RECORDS))) as u32;
        let record = 1 + (place % u32::from(RECORDS)) as u8;
        volume.write_data(address(place / u32::from(RECORDS)), record, Octets::Bytes(&data))?;
        volume.commit()?;
    }
    let written = begin.elapsed();
    volume.close()?;
    let closed = begin.elapsed();
    let rate = |elapsed: std::time::Duration| f64::from(updates) / elapsed.as_secs_f64();
    println!("{:.0} updates/s, {:.0} updates/s with the close", rate(written), rate(closed));
    std::fs::remove_file(path)?;
    Ok(())
}
