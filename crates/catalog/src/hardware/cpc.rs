//! A processor complex: `catalog/cpc/ID.toml`.

use halftrack_input::messages::{catalog as catalog_numbers, toml_file as numbers};
use halftrack_input::{Expect, Fields, Sourced, nearest_or_all};

use crate::hardware::processor::{Processor, ProcessorNumbers};
use crate::shelf::{Hardware, Shelf};

/// One model of a central processor complex.
#[derive(Debug, Clone, PartialEq)]
pub struct Cpc {
    /// Name in words.
    pub title: String,
    /// Machine type, such as 3931.
    pub machine_type: Sourced<u16>,
    /// Model, such as `Max39`.
    pub model: String,
    /// The family of processors that gives what its file leaves out, its machine type always.
    pub family: Option<String>,
    /// Prices and structure, those of the family where its file has no others.
    pub processor: ProcessorNumbers,
    /// Standard SAP cores, the XSAP among them.
    pub sap_cores: Sourced<u16>,
    /// SAP cores that can be added; `None` when not published.
    pub additional_saps: Option<Sourced<u16>>,
    /// Processor drawers; `None` when not published.
    pub drawers: Option<Sourced<u8>>,
    /// Central processors at most; `None` when not published.
    pub cps: Option<Sourced<u16>>,
    /// Slots for fanouts, all drawers together; `None` when not published.
    pub fanout_slots: Option<Sourced<u16>>,
    /// Room for cards and channels.
    pub plugging: Plugging,
}

impl Hardware for Cpc {
    const DIRECTORY: &'static str = "cpc";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Self::read_with(fields, &Shelf::default())
    }
}

impl Cpc {
    /// Reads one file; `families` give what it leaves out if it names one of them.
    pub(crate) fn read_with(fields: &mut Fields<'_>, families: &Shelf<Processor>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let model = fields.required("model", Expect::text());
        let named = fields.optional("processor", Expect::text());
        let family = named.as_ref().and_then(|named| families.get(&named.value));
        let unknown = named.as_ref().filter(|_| family.is_none());
        // Where the name is wrong, what it would have given is not missed too.
        let family = if unknown.is_some() { families.any() } else { family };
        let machine_type = match family {
            Some(family) => Some(family.machine_type.clone()),
            None => fields.sourced("machine_type", Expect::integer(1..=9999)),
        };
        let processor = ProcessorNumbers::read(fields, family.map(|family| &family.numbers));
        let sap_cores = fields.sourced("sap_cores", Expect::integer(1..=1024));
        let additional_saps = fields.sourced_if_given("additional_saps", Expect::integer(0..=1024));
        let drawers = fields.sourced_if_given("drawers", Expect::integer(1..=64));
        let cps = fields.sourced_if_given("cps", Expect::integer(1..=4096));
        let fanout_slots = fields.sourced_if_given("fanout_slots", Expect::integer(1..=1024));
        let plugging = fields.table_if_given("plugging", Plugging::read);
        if let Some(unknown) = unknown {
            let message = format!("processor `{}` is unknown", unknown.value);
            let fix = nearest_or_all(&unknown.value, families.ids());
            fields.error(catalog_numbers::UNKNOWN_PROCESSOR, unknown.span.clone(), message, fix);
            return None;
        }
        let read = Self {
            title: title?.value,
            machine_type: machine_type?,
            model: model?.value,
            family: named.map(|named| named.value),
            processor: processor?,
            sap_cores: sap_cores?,
            additional_saps: additional_saps?,
            drawers: drawers?,
            cps: cps?,
            fanout_slots: fanout_slots?,
            plugging: plugging?.unwrap_or_default(),
        };
        read.check_places(fields).then_some(read)
    }

    /// Returns the ratio of the IOP time of an I/O with `additional` SAP cores to that of its family's smallest
    /// model.
    #[must_use]
    pub fn growth(&self, additional: u16) -> f64 {
        let drawers = self.drawers.as_ref().map_or(1, |drawers| drawers.value);
        let cores = self.sap_cores.value + additional;
        self.processor.growth.as_ref().map_or(1.0, |growth| growth.factor(drawers, cores))
    }

    /// Checks that every SAP core has a place. The drawers of the file are not more than the family has, and SAPs are
    /// not more than their cores.
    fn check_places(&self, fields: &Fields<'_>) -> bool {
        let (Some(structure), Some(drawers)) = (&self.processor.structure, &self.drawers) else {
            return true;
        };
        if drawers.value > structure.drawers.value {
            let message = format!(
                "{} drawers are more than the {} of its family",
                drawers.value, structure.drawers.value
            );
            fields.error(numbers::UNEXPECTED_VALUE, drawers.span.clone(), message, "correct one of them");
            return false;
        }
        let chips = u32::from(structure.chips_per_drawer.value) * u32::from(drawers.value);
        let cores = chips * u32::from(structure.cores_per_chip.value);
        let additional = self.additional_saps.as_ref().map_or(0, |most| most.value);
        let saps = u32::from(self.sap_cores.value) + u32::from(additional);
        if saps > cores {
            let message =
                format!("{saps} SAPs, the additional ones included, are more than its {cores} cores");
            fields.error(
                numbers::UNEXPECTED_VALUE,
                self.sap_cores.span.clone(),
                message,
                "correct one of them",
            );
            return false;
        }
        true
    }
}

/// Room for cards and channels; what is `None` is not limited, or not published.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plugging {
    /// Slots for channel cards.
    pub slots: Option<Sourced<u32>>,
    /// FICON channels, native and to a bridge.
    pub ficon_channels: Option<Sourced<u32>>,
}

impl Plugging {
    /// Reads `[plugging]`.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let mut optional = |key| fields.sourced_if_given(key, Expect::integer(1..=4096));
        let (slots, ficon_channels) = (optional("slots"), optional("ficon_channels"));
        Some(Self { slots: slots?, ficon_channels: ficon_channels? })
    }
}
