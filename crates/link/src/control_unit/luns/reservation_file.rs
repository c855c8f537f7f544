//! Persistent reservations of a unit in a file beside its image: those that outlive a loss of power (APTPL).
//!
//! ```text
//! registration 5005076400000040 1 0000000000000001
//! reservation 5005076400000040 1 1
//! ```
//!
//! A line has the initiator, the relative id of the target port, and the key, or the type of the reservation. The file is
//! written beside the old one and renamed, so that it is whole at any time.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use halftrack_scsi::{
    BlockFault, Nexus, Registration, Reservation, ReservationStore, ReservationType, SavedReservations,
};
use halftrack_volume::sync_directory_of;

/// Added to the name of the image.
const EXTENSION: &str = ".reservations";

/// Failures of files of reservations that are not reported yet.
#[derive(Debug, Clone, Default)]
pub struct StoreFailures(Arc<Mutex<Vec<(PathBuf, io::Error)>>>);

impl StoreFailures {
    /// Takes them.
    pub fn take(&self) -> Vec<(PathBuf, io::Error)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, place: &Path, error: io::Error) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((place.to_owned(), error));
    }
}

/// The file of the reservations of one unit.
#[derive(Debug)]
pub struct ReservationFile {
    place: PathBuf,
    failures: StoreFailures,
}

impl ReservationFile {
    /// Returns the file at `place`, whose failures are added to `failures`.
    pub fn new(place: PathBuf, failures: StoreFailures) -> Self {
        Self { place, failures }
    }
}

impl ReservationStore for ReservationFile {
    fn store(&mut self, state: Option<&SavedReservations>) -> Result<(), BlockFault> {
        store(&self.place, state).map_err(|error| {
            self.failures.add(&self.place, error);
            BlockFault::Internal
        })
    }
}

/// Returns the place of the reservations of an image.
pub fn place_of(image: &Path) -> PathBuf {
    let mut name = image.as_os_str().to_owned();
    name.push(EXTENSION);
    PathBuf::from(name)
}

/// Stores reservations, or erases them. They are on the medium when it returns.
///
/// # Errors
/// An error of the operating system; the file is as it was, or as it is to be.
pub fn store(place: &Path, reservations: Option<&SavedReservations>) -> io::Result<()> {
    match reservations {
        Some(reservations) => {
            let mut new = place.as_os_str().to_owned();
            new.push(".new");
            let mut file = File::create(&new)?;
            file.write_all(text(reservations).as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, place)?;
        }
        None => match fs::remove_file(place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            result => result?,
        },
    }
    sync_directory_of(place)
}

/// Returns the reservations that were stored; none where there is no file.
///
/// # Errors
/// An error of the operating system; a file that is none of these.
pub fn load(place: &Path) -> io::Result<Option<SavedReservations>> {
    match fs::read_to_string(place) {
        Ok(text) => parse(&text)
            .map(Some)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "these are no reservations")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn text(reservations: &SavedReservations) -> String {
    let mut text = String::new();
    for Registration { nexus, key } in &reservations.registrations {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "registration {:016x} {} {key:016x}", nexus.initiator, nexus.target_port);
    }
    if let Some(Reservation { holder, kind }) = reservations.reservation {
        let code = kind as u8;
        let _ = writeln!(text, "reservation {:016x} {} {code}", holder.initiator, holder.target_port);
    }
    text
}

fn parse(text: &str) -> Option<SavedReservations> {
    let mut saved = SavedReservations::default();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (what, initiator, port, value) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let initiator = u64::from_str_radix(initiator, 16).ok()?;
        let nexus = Nexus { initiator, target_port: port.parse().ok()? };
        match what {
            "registration" => {
                let key = u64::from_str_radix(value, 16).ok()?;
                saved.registrations.push(Registration { nexus, key });
            }
            "reservation" => {
                let kind = ReservationType::of_cdb_byte(value.parse().ok()?)?;
                saved.reservation = Some(Reservation { holder: nexus, kind });
            }
            _ => return None,
        }
    }
    Some(saved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_loaded_until_it_is_erased() {
        let directory = tempfile::tempdir().unwrap();
        let place = place_of(&directory.path().join("disk.img"));
        assert_eq!(load(&place).unwrap(), None);
        let nexus = |initiator, target_port| Nexus { initiator, target_port };
        let saved = SavedReservations {
            registrations: vec![
                Registration { nexus: nexus(0x5005_0764_0000_0040, 1), key: 7 },
                Registration { nexus: nexus(0x5005_0764_0000_0041, 2), key: u64::MAX },
            ],
            reservation: ReservationType::of_cdb_byte(5)
                .map(|kind| Reservation { holder: nexus(0x5005_0764_0000_0041, 2), kind }),
        };
        store(&place, Some(&saved)).unwrap();
        assert_eq!(load(&place).unwrap(), Some(saved));
        store(&place, None).unwrap();
        store(&place, None).unwrap();
        assert_eq!(load(&place).unwrap(), None);
        fs::write(&place, "registration 5 5\n").unwrap();
        assert!(load(&place).is_err(), "cut short");
    }
}
