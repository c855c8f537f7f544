//! Directory of a machine: a socket for each card, and a note of the firmware that is updated.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use halftrack_zedc::{CARDS_MAX, CardId, ResourceGroup};

/// Directory of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(PathBuf);

impl Place {
    /// Returns the machine of a directory.
    pub fn new(directory: &Path) -> Self {
        Self(directory.to_owned())
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        &self.0
    }

    /// Returns the socket of a card.
    pub fn socket(&self, card: CardId) -> PathBuf {
        self.0.join(format!("card-{}.sock", card.get()))
    }

    /// Returns every place for a card.
    pub fn cards() -> impl Iterator<Item = CardId> {
        (0..CARDS_MAX as u8).filter_map(CardId::new)
    }

    fn update_note(&self) -> PathBuf {
        self.0.join("update")
    }

    /// Returns the resource group whose firmware is updated.
    pub fn update(&self) -> Option<ResourceGroup> {
        match fs::read_to_string(self.update_note()).ok()?.trim() {
            "RG1" => Some(ResourceGroup::One),
            "RG2" => Some(ResourceGroup::Two),
            _ => None,
        }
    }

    /// Notes that the firmware of a group is updated.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] when that of a group is updated already; the directory cannot be written.
    pub fn begin_update(&self, group: ResourceGroup) -> io::Result<()> {
        let temporary = self.0.join(format!("update.{}", std::process::id()));
        fs::write(&temporary, format!("{group}\n"))?;
        // A link is made for a name that nobody has, or not at all.
        let linked = fs::hard_link(&temporary, self.update_note());
        fs::remove_file(&temporary)?;
        linked
    }

    /// Takes the note away, if there is one.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn end_update(&self) -> io::Result<()> {
        match fs::remove_file(self.update_note()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn firmware_of_one_group_is_updated_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let place = Place::new(directory.path());
        assert_eq!((place.update(), Place::cards().count()), (None, 8));
        place.begin_update(ResourceGroup::Two).unwrap();
        assert_eq!(place.update(), Some(ResourceGroup::Two));
        let second = place.begin_update(ResourceGroup::One);
        assert_eq!(second.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left over");
        place.end_update().unwrap();
        place.end_update().unwrap();
        assert_eq!(place.update(), None);
    }
}
