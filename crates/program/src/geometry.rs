//! Geometry of a device: cylinders and heads, and how many records of a length fit on a track.

use crate::address::{ADDRESSABLE_CYLINDERS, RecordAddress, TrackAddress};
use crate::device_type::DeviceType;

/// The models of the 3390 with a fixed number of cylinders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Model {
    /// 3390-1.
    Model1,
    /// 3390-2.
    Model2,
    /// 3390-3.
    Model3,
    /// 3390-9.
    Model9,
    /// 3390-27.
    Model27,
    /// 3390-54.
    Model54,
}

impl Model {
    /// Every model.
    pub const ALL: [Self; 6] =
        [Self::Model1, Self::Model2, Self::Model3, Self::Model9, Self::Model27, Self::Model54];

    /// Returns the cylinders of the model.
    pub const fn cylinders(self) -> u32 {
        match self {
            Self::Model1 => 1113,
            Self::Model2 => 2226,
            Self::Model3 => 3339,
            Self::Model9 => 10_017,
            Self::Model27 => 32_760,
            Self::Model54 => LARGEST_FIXED_MODEL_CYLINDERS,
        }
    }
}

/// Cylinders above which a 3390 is an extended address volume (3390-A).
const LARGEST_FIXED_MODEL_CYLINDERS: u32 = 65_520;

/// Cylinders, heads and type of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    cylinders: u32,
    heads: u8,
    device: DeviceType,
}

impl Geometry {
    /// Returns the geometry of a model.
    pub const fn of(model: Model) -> Self {
        Self::new(DeviceType::D3390, model.cylinders())
    }

    /// Creates a 3390 of any number of cylinders, an extended address volume (3390-A) when there are more than
    /// 65,520. Nothing when there are none, or more than a CCHH can name.
    pub fn with_cylinders(cylinders: u32) -> Option<Self> {
        Self::of_type(DeviceType::D3390, cylinders)
    }

    /// Creates a device of a type with any number of cylinders; nothing when there are none, or more than a CCHH can
    /// name.
    pub fn of_type(device: DeviceType, cylinders: u32) -> Option<Self> {
        (1..=ADDRESSABLE_CYLINDERS).contains(&cylinders).then(|| Self::new(device, cylinders))
    }

    /// Returns the geometry of a model by its name, `3390-3` or `3380-K`; nothing when there is no such model.
    /// Letters may be small.
    pub fn named(name: &str) -> Option<Self> {
        let mut models =
            DeviceType::ALL.into_iter().flat_map(|device| device.models().map(move |model| (device, model)));
        models
            .find(|(_, (model, _))| model.eq_ignore_ascii_case(name))
            .map(|(device, (_, cylinders))| Self::new(device, cylinders))
    }

    const fn new(device: DeviceType, cylinders: u32) -> Self {
        Self { cylinders, heads: device.heads(), device }
    }

    /// Returns the type of the device.
    pub const fn device_type(&self) -> DeviceType {
        self.device
    }

    /// Returns the model of the 3390 with exactly these cylinders, if there is one.
    pub fn model(&self) -> Option<Model> {
        let mut models = Model::ALL.into_iter().filter(|_| self.device == DeviceType::D3390);
        models.find(|model| model.cylinders() == self.cylinders)
    }

    /// Returns the name of the model with exactly these cylinders, `3390-3`; `3390-A` of an extended address volume, the
    /// bare number of the type otherwise.
    pub fn model_name(&self) -> String {
        let model = self.device.models().find(|(_, cylinders)| *cylinders == self.cylinders);
        match model {
            Some((name, _)) => name.to_owned(),
            None if self.is_extended_address_volume() => "3390-A".to_owned(),
            None => format!("{:04X}", self.device.number()),
        }
    }

    /// Returns the model code that the device reports.
    pub fn model_code(&self) -> u8 {
        self.device.model_code(self.cylinders)
    }

    /// Returns whether this is an extended address volume.
    pub fn is_extended_address_volume(&self) -> bool {
        self.device == DeviceType::D3390 && self.cylinders > LARGEST_FIXED_MODEL_CYLINDERS
    }

    /// Returns the cylinders of the volume.
    pub const fn cylinders(&self) -> u32 {
        self.cylinders
    }

    /// Returns the tracks of a cylinder.
    pub const fn heads(&self) -> u8 {
        self.heads
    }

    /// Returns the tracks of the volume.
    pub const fn tracks(&self) -> u64 {
        self.cylinders as u64 * self.heads as u64
    }

    /// Returns whether the volume has this track.
    pub const fn contains(&self, track: TrackAddress) -> bool {
        track.cylinder() < self.cylinders && track.head() < self.heads
    }

    /// Returns the number of a track, counted from cylinder 0 head 0; nothing for a track that the volume has not.
    pub fn track_number(&self, track: TrackAddress) -> Option<u32> {
        let number = u64::from(track.cylinder()) * u64::from(self.heads) + u64::from(track.head());
        u32::try_from(number).ok().filter(|_| self.contains(track))
    }

    /// Returns the track that lies `tracks` after `track`, or nothing past the end of the volume.
    pub fn advance(&self, track: TrackAddress, tracks: u32) -> Option<TrackAddress> {
        let heads = u64::from(self.heads);
        let number = u64::from(track.cylinder()) * heads + u64::from(track.head()) + u64::from(tracks);
        if number >= self.tracks() {
            return None;
        }
        TrackAddress::new((number / heads) as u32, (number % heads) as u8)
    }

    /// Returns the number of records with this much data and key fit on a track; 0 when not even one does. Record zero
    /// of 8 bytes is on the track besides.
    pub fn records_per_track(&self, record_bytes: u16, key_bytes: u8) -> u8 {
        let cells = self.device.record_cells(u32::from(key_bytes), u32::from(record_bytes));
        (self.device.cells() / cells) as u8
    }

    /// Returns the rotational sector at which record `record` (from 1) of a track of keyless records of
    /// `record_bytes` begins. Nothing when the track has no such record.
    pub fn sector(&self, record: u8, record_bytes: u16) -> Option<u8> {
        if record == 0 || record > self.records_per_track(record_bytes, 0) {
            return None;
        }
        let before = u32::from(record - 1) * self.device.record_cells(0, u32::from(record_bytes));
        Some(self.device.sector(before))
    }

    /// Returns the record that lies `records` after `start` on tracks of `per_track` records each. Nothing past the
    /// end of the volume or when `start` names no such record.
    pub fn advance_records(
        &self,
        start: &RecordAddress,
        records: u32,
        per_track: u8,
    ) -> Option<RecordAddress> {
        if start.record == 0 || start.record > per_track {
            return None;
        }
        let index = u32::from(start.record) - 1;
        let index = index.checked_add(records)?;
        let per_track = u32::from(per_track);
        let track = self.advance(TrackAddress::new(start.cylinder, start.head)?, index / per_track)?;
        let record = (index % per_track) as u8 + 1;
        Some(RecordAddress { cylinder: track.cylinder(), head: track.head(), record })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model_3() -> Geometry {
        Geometry::of(Model::Model3)
    }

    #[test]
    fn records_per_track_of_the_printed_table() {
        let printed = [
            (80, 78),
            (512, 49),
            (1024, 33),
            (2048, 21),
            (4096, 12),
            (8906, 6),
            (13_682, 4),
            (18_452, 3),
            (27_998, 2),
            (27_999, 1),
            (56_664, 1),
            (56_665, 0),
        ];
        for (bytes, records) in printed {
            assert_eq!(model_3().records_per_track(bytes, 0), records, "{bytes} bytes");
        }
        assert_eq!(model_3().records_per_track(4096, 8), 11);
    }

    #[test]
    fn lengths_just_below_a_step_hold_one_more() {
        for (bytes, records) in [(8907, 5), (13_683, 3), (18_453, 2)] {
            assert_eq!(model_3().records_per_track(bytes, 0), records, "{bytes} bytes");
        }
        assert_eq!(model_3().records_per_track(u16::MAX, u8::MAX), 0);
    }

    #[test]
    fn sectors_of_4k_records() {
        let sectors: Vec<_> = (1..=12).map(|record| model_3().sector(record, 4096).unwrap()).collect();
        assert_eq!(sectors, [6, 24, 41, 59, 77, 95, 113, 131, 149, 167, 184, 202]);
        assert_eq!(model_3().sector(13, 4096), None);
        assert_eq!(model_3().sector(0, 4096), None);
    }

    #[test]
    fn every_sector_is_below_224() {
        for bytes in 1..=56_664 {
            let last = model_3().records_per_track(bytes, 0);
            assert!(model_3().sector(last, bytes).unwrap() < crate::locate_record::SECTORS, "{bytes}");
        }
    }

    #[test]
    fn volume_sizes() {
        let bytes = |model| Geometry::of(model).tracks() * 56_664;
        assert_eq!(bytes(Model::Model3), 2_838_016_440);
        assert_eq!(bytes(Model::Model9), 8_514_049_320);
        for model in Model::ALL {
            assert_eq!(Geometry::of(model).model(), Some(model));
            assert!(!Geometry::of(model).is_extended_address_volume());
        }
        assert!(Geometry::with_cylinders(262_668).unwrap().is_extended_address_volume());
        assert_eq!(Geometry::with_cylinders(0), None);
    }

    #[test]
    fn tracks_advance_over_heads_cylinders_and_not_past_the_end() {
        let track = |cylinder, head| TrackAddress::new(cylinder, head).unwrap();
        assert_eq!(model_3().advance(track(0, 14), 1), Some(track(1, 0)));
        assert_eq!(model_3().advance(track(7, 3), 30), Some(track(9, 3)));
        assert_eq!(model_3().advance(track(3338, 14), 1), None);
        assert_eq!(model_3().advance(track(3338, 14), u32::MAX), None);
        let start = RecordAddress { cylinder: 0, head: 14, record: 12 };
        let next = RecordAddress { cylinder: 1, head: 0, record: 1 };
        assert_eq!(model_3().advance_records(&start, 1, 12), Some(next));
        assert_eq!(model_3().advance_records(&RecordAddress { record: 13, ..start }, 1, 12), None);
    }

    #[test]
    fn models_have_names() {
        for (name, cylinders) in [("3390-3", 3339), ("3380-k", 2655), ("9345-2", 2156), ("3375-1", 959)] {
            let geometry = Geometry::named(name).unwrap();
            assert_eq!(geometry.cylinders(), cylinders);
            assert_eq!(geometry.model_name(), name.to_uppercase());
        }
        assert_eq!(Geometry::named("3390-4"), None);
        assert_eq!(Geometry::with_cylinders(262_668).unwrap().model_name(), "3390-A");
        assert_eq!(Geometry::of_type(DeviceType::D3380, 5).unwrap().model_name(), "3380");
        assert_eq!(Geometry::of_type(DeviceType::D3380, 3339).unwrap().model(), None);
    }
}
