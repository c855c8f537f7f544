//! The records of the volume when everything is over, read from its files without a channel.

use halftrack_volume::track_image::track_address;
use halftrack_volume::{Mode, Opening, Track, Tracks, Volume};
use halftrack_workload::RecordId;

use super::World;

impl World {
    /// Ends the control unit in order, and returns the octets of these records of its volume. There are none where it is not
    /// there, which is found as held.
    ///
    /// # Errors
    /// A volume that cannot be closed, opened or read.
    pub fn read_back(&mut self, records: &[RecordId]) -> Result<Vec<(RecordId, Vec<u8>)>, String> {
        if self.control_unit.process.is_none() {
            return Ok(Vec::new());
        }
        let path = self.control_unit.close()?;
        let opening = Opening { mode: Mode::ReadOnly, discards_journal: false };
        let volume = Volume::open(&path, opening);
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
}
