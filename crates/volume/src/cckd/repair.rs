//! A sound image made of what can be read of a damaged one.

use std::collections::{BTreeMap, BTreeSet};

use super::LEVEL2_ENTRIES;
use super::fault::Finding;
use super::free_space::NODE_BYTES;
use super::header::Header;
use super::image::CckdImage;
use super::image_writer::CckdWriter;
use super::level_tables::Entry;
use super::packed_unit::{salvage_unit, unpack_unit};
use super::scan::{Found, scan};
use super::space_map::stated_free_spaces;
use crate::layout::{Layout, LayoutError};
use crate::medium::Medium;

/// Units that cannot be read beyond which a repair is given up, so that a header that lies about the size of the
/// device does not fill the memory: more than the largest count-key-data device of the format has.
const MOST_UNREADABLE: usize = 1 << 20;

/// Results of a repair. Every unit of the image that is in none of the lists is unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repair {
    /// Units that the tables did not lead to and that were found by their header: unit, offset in bytes.
    pub found: Vec<(u32, u64)>,
    /// Units that were found in free space only: they may be an earlier state of the unit.
    pub found_in_free_space: Vec<(u32, u64)>,
    /// Units of which only the first records, or blocks, can be read: unit, how many.
    pub cut: Vec<(u32, u32)>,
    /// Units of which nothing can be read, and why. They are null units of the new image.
    pub lost: Vec<Finding>,
    /// Bytes of the new image.
    pub image_bytes: u64,
}

/// Writes into the empty file `into` a sound image of all units that can be read in `file`. `file` is only read: the
/// others stay in it, and the caller keeps it aside.
///
/// # Errors
/// The headers cannot be used; a file cannot be read or written.
pub fn repair<M: Medium, N: Medium>(file: &M, into: &mut N) -> Result<Repair, LayoutError> {
    let image = CckdImage::open(file)?;
    let mut source = Source::survey(file, image)?;
    source.search()?;
    let mut writer = CckdWriter::with_header(into, *source.image.header())?;
    let mut repair = Repair::default();
    for unit in 0..Layout::<M>::units(&source.image) {
        source.copy(unit, &mut writer, &mut repair)?;
    }
    repair.image_bytes = writer.finish()?;
    Ok(repair)
}

/// A damaged image, and what is known of its units.
struct Source<'a, M> {
    file: &'a M,
    image: CckdImage,
    /// Units that cannot be read where the tables lead, and why. Those of doubtful tables that should be null
    /// are not there.
    unreadable: BTreeMap<u32, Finding>,
    /// Begins and ends of what can be read, headers counted.
    readable: Vec<(u64, u64)>,
    /// Level-2 tables of which no entry leads to a unit and some lead nowhere.
    doubtful: BTreeSet<u32>,
    found: BTreeMap<u32, Found>,
    packed: Vec<u8>,
    octets: Vec<u8>,
}

impl<'a, M: Medium> Source<'a, M> {
    /// Reads every unit that the tables lead to.
    fn survey(file: &'a M, image: CckdImage) -> Result<Self, LayoutError> {
        let headers = (0, image.header().tables_end().min(file.len()?));
        let mut source = Self {
            file,
            image,
            unreadable: BTreeMap::new(),
            readable: vec![headers],
            doubtful: BTreeSet::new(),
            found: BTreeMap::new(),
            packed: Vec::new(),
            octets: Vec::new(),
        };
        let units = Layout::<M>::units(&source.image);
        for table in 0..units.div_ceil(LEVEL2_ENTRIES) {
            let first = table * LEVEL2_ENTRIES;
            let (mut read, mut failed) = (0, 0);
            for unit in first..units.min(first.saturating_add(LEVEL2_ENTRIES)) {
                match source.read(unit)? {
                    Ok(None) => {}
                    Ok(Some(entry)) => {
                        let begin = u64::from(entry.position);
                        source.readable.push((begin, begin + u64::from(entry.length)));
                        read += 1;
                    }
                    Err(finding) => {
                        source.unreadable.insert(unit, finding);
                        failed += 1;
                        if source.unreadable.len() > MOST_UNREADABLE {
                            let units = format!("more than {MOST_UNREADABLE} units cannot be read");
                            return Err(LayoutError::Corrupt(units + ": the header states a wrong size"));
                        }
                    }
                }
            }
            if read == 0 && failed > 0 {
                source.doubtful.insert(table);
            }
        }
        source.readable.sort_unstable();
        Ok(source)
    }

    /// Reads a unit where the tables lead: `packed` and `octets` have it. Nothing for a null unit.
    fn read(&mut self, unit: u32) -> Result<Result<Option<Entry>, Finding>, LayoutError> {
        let entry = match self.image.located(self.file, unit)? {
            Ok(Some(entry)) => entry,
            other => return Ok(other),
        };
        self.load(u64::from(entry.position), u32::from(entry.length))?;
        let unpacked = unpack_unit(self.image.device(), unit, &self.packed, &mut self.octets);
        Ok(match unpacked {
            Ok(taken) => {
                self.packed.truncate(taken);
                Ok(Some(entry))
            }
            Err(fault) => Err(Finding::of_unit(unit, u64::from(entry.position), fault)),
        })
    }

    fn load(&mut self, offset: u64, octets: u32) -> Result<(), LayoutError> {
        self.octets.clear();
        self.packed.resize(octets as usize, 0);
        Ok(self.file.read_at(offset, &mut self.packed)?)
    }

    /// Looks for the units that cannot be read in all space that no readable unit uses.
    fn search(&mut self) -> Result<(), LayoutError> {
        if self.unreadable.is_empty() {
            return Ok(());
        }
        let file_bytes = self.file.len()?;
        let mut spaces = Vec::new();
        let mut end = 0;
        for &(begin, piece_end) in self.readable.iter().chain([&(file_bytes, file_bytes)]) {
            if begin > end {
                spaces.push((end, begin));
            }
            end = end.max(piece_end);
        }
        let freed = freed_spaces(self.file, self.image.header())?;
        let (unreadable, doubtful) = (&self.unreadable, &self.doubtful);
        let wanted =
            |unit: u32| unreadable.contains_key(&unit) || doubtful.contains(&(unit / LEVEL2_ENTRIES));
        self.found = scan(self.file, self.image.device(), &spaces, &freed, wanted)?;
        Ok(())
    }

    /// Adds a unit to the new image: as the tables lead to it, as it was found, or what is left of it.
    fn copy<N: Medium>(
        &mut self,
        unit: u32,
        writer: &mut CckdWriter<'_, N>,
        repair: &mut Repair,
    ) -> Result<(), LayoutError> {
        let found = self.found.get(&unit).copied();
        if let Some(found) = found.filter(|found| !found.freed) {
            repair.found.push((unit, found.offset));
            return self.copy_found(unit, found, writer);
        }
        let Some(finding) = self.unreadable.get(&unit).cloned() else {
            return match self.read(unit)? {
                Ok(Some(_)) => writer.add_image(unit, &self.packed),
                Ok(None) | Err(_) => writer.add_null(unit, self.image.null_format_of(unit)),
            };
        };
        if let Some(left) = self.salvage(unit)? {
            repair.cut.push((unit, left));
            return writer.add(unit, &self.octets);
        }
        if let Some(found) = found {
            repair.found_in_free_space.push((unit, found.offset));
            return self.copy_found(unit, found, writer);
        }
        repair.lost.push(finding);
        writer.add_null(unit, self.image.null_format())
    }

    fn copy_found<N: Medium>(
        &mut self,
        unit: u32,
        found: Found,
        writer: &mut CckdWriter<'_, N>,
    ) -> Result<(), LayoutError> {
        self.load(found.offset, found.octets)?;
        writer.add_image(unit, &self.packed)
    }

    /// Returns the rest of a unit whose image is cut off, by the end of the file or within itself.
    fn salvage(&mut self, unit: u32) -> Result<Option<u32>, LayoutError> {
        let Ok(entry) = self.image.tables().entry(unit) else { return Ok(None) };
        let begin = u64::from(entry.position);
        let there = self.file.len()?.saturating_sub(begin).min(u64::from(entry.length));
        if entry.is_null() || there == 0 {
            return Ok(None);
        }
        self.load(begin, there as u32)?;
        Ok(salvage_unit(self.image.device(), unit, &self.packed, &mut self.octets))
    }
}

/// Begins and ends of the spaces that the image states to be free.
fn freed_spaces<M: Medium>(file: &M, header: &Header) -> Result<Vec<(u64, u64)>, LayoutError> {
    let stated = stated_free_spaces(file, header)?.unwrap_or_default();
    let ends = |(position, length): (u32, u32)| {
        let begin = u64::from(position);
        (begin, begin + u64::from(length.max(NODE_BYTES)))
    };
    Ok(stated.into_iter().map(ends).collect())
}
