//! The records of a host's volumes when everything is over, read from their files without a channel.

use halftrack_volume::track_image::track_address;
use halftrack_volume::{BLOCK_BYTES, Mode, Opening, Track, Tracks, Volume};
use halftrack_workload::RecordId;

use super::World;
use super::volume_files::VolumeFiles;

/// Opening of a volume that nobody serves any more.
const READ_ONLY: Opening = Opening { mode: Mode::ReadOnly, discards_journal: false };

/// Octets of records.
type Records = Vec<(RecordId, Vec<u8>)>;

impl World {
    /// Ends the control unit in order, and returns by host the octets of these records of its volumes. There are none where the
    /// control unit is not there, which is found as held.
    ///
    /// # Errors
    /// A volume that cannot be closed, opened or read.
    pub fn read_back(&mut self, records: &[Vec<RecordId>]) -> Result<Vec<Records>, String> {
        if self.control_unit.process.is_none() {
            return Ok(records.iter().map(|_| Records::new()).collect());
        }
        let files = self.control_unit.close()?;
        let of_host = self.hosts.iter().zip(records);
        let read = of_host.map(|(host, records)| {
            let bytes = host.account().borrow().history.record_bytes();
            if host.is_fcp() { read_blocks(files, records, bytes) } else { read_tracks(files, records) }
        });
        read.collect()
    }
}

fn read_tracks(files: &VolumeFiles, records: &[RecordId]) -> Result<Records, String> {
    let volume = Volume::open(&files.volume(), READ_ONLY);
    let Volume::Ckd(mut volume) = volume.map_err(|error| error.to_string())? else {
        return Err("the volume has fixed blocks".to_owned());
    };
    let geometry = *volume.geometry();
    let mut found = Vec::new();
    for &id in records {
        let address = track_address(&geometry, id.track);
        let address = address.ok_or_else(|| format!("the volume has no track {}", id.track))?;
        let track = volume.track(address).map_err(|fault| format!("track {}: {fault:?}", id.track))?;
        found.push((id, track.data(id.record).bytes().unwrap_or_default().to_vec()));
    }
    Ok(found)
}

/// Reads records of logical units, of so many bytes each, which come in the order of their units.
fn read_blocks(files: &VolumeFiles, records: &[RecordId], record_bytes: u16) -> Result<Records, String> {
    let mut found = Vec::new();
    for of_unit in records.chunk_by(|one, other| one.volume == other.volume) {
        let lun = of_unit[0].volume as u32;
        let volume = Volume::open(&files.image(lun), READ_ONLY);
        let Volume::Fba(mut volume) = volume.map_err(|error| error.to_string())? else {
            return Err(format!("the unit {lun} has tracks"));
        };
        for &id in of_unit {
            let mut octets = vec![0; record_bytes.into()];
            let block = id.track * (u32::from(record_bytes) / BLOCK_BYTES as u32);
            let read = volume.read_run(block, &mut octets);
            read.map_err(|(block, fault)| format!("unit {lun}, block {block}: {fault:?}"))?;
            found.push((id, octets));
        }
    }
    Ok(found)
}
