//! Reader of an uncompressed CKD image by the layout that Hercules documents, without the code of `volume`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Octets of the device header, of a home address, and of a count area.
const HEADER_BYTES: usize = 512;
const HOME_ADDRESS_BYTES: usize = 5;
const COUNT_BYTES: usize = 8;

/// Reads the data of every record but record zero, by track and record number.
pub fn read(path: &Path) -> Result<BTreeMap<(u32, u8), Vec<u8>>, String> {
    let image = fs::read(path).map_err(|error| error.to_string())?;
    if !image.starts_with(b"CKD_P370") {
        return Err("no image".to_owned());
    }
    let word = |at: usize| u32::from_le_bytes([image[at], image[at + 1], image[at + 2], image[at + 3]]);
    let (heads, track_bytes) = (word(8), word(12) as usize);
    let mut found = BTreeMap::new();
    for (number, track) in image[HEADER_BYTES..].chunks(track_bytes).enumerate() {
        let number = number as u32;
        let wrong = |what: &str| format!("track {number}: {what}");
        let half = |at: usize| -> Result<u32, String> {
            let octets = track.get(at..at + 2).ok_or_else(|| wrong("cut off"))?;
            Ok(u32::from(u16::from_be_bytes([octets[0], octets[1]])))
        };
        if (half(1)?, half(3)?) != (number / heads, number % heads) {
            return Err(wrong("home address"));
        }
        let mut at = HOME_ADDRESS_BYTES;
        while !track
            .get(at..at + COUNT_BYTES)
            .ok_or_else(|| wrong("no end"))?
            .iter()
            .all(|octet| *octet == 0xFF)
        {
            let (record, key_bytes) = (track[at + 4], usize::from(track[at + 5]));
            let data = at + COUNT_BYTES + key_bytes;
            let end = data + half(at + 6)? as usize;
            let octets = track.get(data..end).ok_or_else(|| wrong("data beyond the track"))?;
            if record > 0 {
                found.insert((number, record), octets.to_vec());
            }
            at = end;
        }
    }
    Ok(found)
}
