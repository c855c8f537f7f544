//! Kinds of compression: `catalog/compression/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::catalog::Catalog;
use crate::shelf::Hardware;

/// Part of a system whose time compression takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payer {
    /// Processors of the partition.
    Processor,
    /// A compression card.
    Card,
    /// The tape drive.
    TapeDrive,
    /// The storage system.
    StorageSystem,
}

const PAYERS: [(&str, Payer); 4] = [
    ("processor", Payer::Processor),
    ("card", Payer::Card),
    ("tape drive", Payer::TapeDrive),
    ("storage system", Payer::StorageSystem),
];

impl Payer {
    /// Returns the name in files and tables.
    pub fn name(self) -> &'static str {
        PAYERS.iter().find(|(_, one)| *one == self).map_or("", |(name, _)| name)
    }

    /// Returns true when compressed data go over the channel, since they are compressed before it.
    pub fn is_before_channel(self) -> bool {
        matches!(self, Self::Processor | Self::Card)
    }
}

/// A kind of compression.
#[derive(Debug, Clone, PartialEq)]
pub struct CompressionFamily {
    /// Name in words.
    pub title: String,
    /// Part whose time it takes.
    pub paid_by: Sourced<Payer>,
    /// Data that it is for.
    pub data: Sourced<String>,
}

impl Hardware for CompressionFamily {
    const DIRECTORY: &'static str = "compression";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let paid_by = fields.sourced("paid_by", Expect::one_of(PAYERS));
        let data = fields.sourced("data", Expect::text());
        Some(Self { title: title?.value, paid_by: paid_by?, data: data? })
    }
}

impl Catalog {
    /// Returns every kind of compression, by id.
    pub fn compression_families(&self) -> impl Iterator<Item = &CompressionFamily> {
        self.compressions.ids().filter_map(|id| self.compressions.get(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_and_a_storage_system_take_no_time_of_processors() {
        let (catalog, _) = Catalog::load(&[]);
        let families: Vec<_> = catalog.compression_families().collect();
        let paid = |payer| families.iter().filter(|one| one.paid_by.value == payer).count();
        let counts = [Payer::Processor, Payer::Card, Payer::TapeDrive, Payer::StorageSystem].map(paid);
        assert_eq!((families.len(), counts), (6, [3, 1, 1, 1]));
    }
}
