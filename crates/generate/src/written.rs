//! A study as text, and what it came to.

use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_config::{Loaded, StudyFiles, configure};
use halftrack_input::{Diagnostic, SourceFile};
use serde::Serialize;

use crate::deck_text::deck_text;
use crate::equipment::Equipment;
use crate::layout::Layout;
use crate::limits;
use crate::plant_text::plant_text;
use crate::refusals::Refusals;
use crate::request::{Load, Request};
use crate::workload_text::workload_text;

/// A study that has been written, as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Written {
    /// The arguments that write it again.
    pub arguments: String,
    /// Catalog id of the processor complex.
    pub cpc: String,
    /// Logical partitions.
    pub lpars: u32,
    /// Central processors of each.
    pub cps_of_one: u32,
    /// Channel subsystems.
    pub channel_subsystems: u32,
    /// Channels.
    pub channels: u32,
    /// True when every channel is in all channel subsystems.
    pub spanned: bool,
    /// Catalog id of the channel cards.
    pub card: String,
    /// Channel cards.
    pub cards: u32,
    /// Domains.
    pub domains: u32,
    /// Fanouts.
    pub fanouts: u32,
    /// Catalog id of the directors.
    pub director: String,
    /// Directors.
    pub directors: u32,
    /// Catalog id of the boxes.
    pub control_unit: String,
    /// Boxes.
    pub boxes: u32,
    /// Logical control units.
    pub logical_control_units: u32,
    /// Base devices.
    pub bases: u32,
    /// Aliases.
    pub aliases: u32,
    /// Closed jobs, where the work is closed.
    pub jobs: Option<u32>,
    /// I/Os a second, where they arrive at a rate.
    pub rate_per_s: Option<f64>,
    /// The files, by name.
    #[serde(skip)]
    pub files: [(&'static str, String); 3],
}

/// Writes the study of `request` with what `catalog` has.
///
/// # Errors
/// Everything that does not fit, each with the limit that it passes.
pub fn write(request: &Request, catalog: &Catalog) -> Result<Written, Vec<Diagnostic>> {
    let mut refusals = Refusals::new(request);
    let layout = Equipment::of(request, catalog, &mut refusals).and_then(|equipment| {
        let sizes = limits::sizes(request, &equipment, &mut refusals)?;
        let layout = Layout::new(request, equipment, sizes);
        limits::check_paths(&layout, &mut refusals);
        Some(layout)
    });
    match layout {
        Some(layout) if refusals.found.is_empty() => Ok(Written::new(&layout)),
        _ => Err(refusals.found),
    }
}

impl Written {
    fn new(layout: &Layout<'_>) -> Self {
        let equipment = &layout.equipment;
        let (jobs, rate_per_s) = match layout.load {
            Load::Jobs(jobs) => (Some(jobs), None),
            Load::Rate(rate) => (None, Some(rate)),
        };
        Self {
            arguments: layout.request.line(),
            cpc: equipment.cpc_id.to_owned(),
            lpars: layout.partitions.len() as u32,
            cps_of_one: layout.cps,
            channel_subsystems: u32::from(layout.css_count),
            channels: layout.channels.all.len() as u32,
            spanned: layout.channels.are_spanned() && layout.css_count > 1,
            card: equipment.card_id.to_owned(),
            cards: layout.cards.len() as u32,
            domains: layout.interconnects.domains as u32,
            fanouts: layout.interconnects.fanouts() as u32,
            director: equipment.director_id.to_owned(),
            directors: layout.channels.directors.len() as u32,
            control_unit: equipment.box_id.to_owned(),
            boxes: layout.storage.boxes.len() as u32,
            logical_control_units: layout.storage.control_units.len() as u32,
            bases: layout.request.bases,
            aliases: layout.request.aliases,
            jobs,
            rate_per_s,
            files: [
                ("deck.iocp", deck_text(layout)),
                ("plant.toml", plant_text(layout)),
                ("workload.toml", workload_text(layout)),
            ],
        }
    }

    /// Reads the study again: gives a configuration, and the messages about it.
    pub fn read_again(&self, catalog: &Catalog) -> Loaded {
        let [deck, plant, workload] =
            self.files.each_ref().map(|(name, text)| SourceFile::new(*name, text.as_str()));
        let files = StudyFiles {
            name: "study".to_owned(),
            deck,
            further_decks: Default::default(),
            hardware: Default::default(),
            plant,
            workload: Arc::clone(&workload),
            traces: Default::default(),
            samples: Default::default(),
            faults: None,
        };
        configure(&files, catalog)
    }
}
