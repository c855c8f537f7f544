//! A device model: `catalog/volume/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::shelf::Hardware;

/// One device model.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    /// Name in words.
    pub title: String,
    /// Device type as RMF prints it, such as `33909`.
    pub device_type: String,
    /// Cylinders.
    pub cylinders: Sourced<u32>,
}

impl Hardware for Volume {
    const DIRECTORY: &'static str = "volume";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let words = "one to eight characters";
        let device_type = fields.required(
            "device_type",
            Expect::parsed(words, |text| (1..=8).contains(&text.len()).then(|| text.to_owned())),
        );
        // An extended address volume has at most 1,182,006 cylinders.
        let cylinders = fields.sourced("cylinders", Expect::integer(1..=1_182_006));
        Some(Self { title: title?.value, device_type: device_type?.value, cylinders: cylinders? })
    }
}
