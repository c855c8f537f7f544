//! Hardware that no deck describes: `plant.toml`, read and checked by itself.

mod box_identity;
mod boxes;
pub(crate) mod cpcs;
mod fabric;
mod host;
pub(crate) mod interconnect;
mod luns;
pub(crate) mod network;
mod security;
mod speed_setting;
mod volser;
pub(crate) mod zhyperlink;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

pub use box_identity::BoxIdentity;
pub use boxes::{ControlUnit, HostAdapterPort, PortProtocol, VolumeRange, Volumes};
pub use cpcs::Cpc;
pub use fabric::{Cable, Director, InterSwitchLink, SwitchPortSetting};
use halftrack_fabric::endpoint_security::Policy;
use halftrack_input::{Diagnostic, Expect, Fields, Label, SourceFile, read_document};
pub use host::{Card, Lpar, PortName};
pub use interconnect::{Domain, Fanout};
pub use luns::{LunRange, Luns};
pub use network::Network;
pub use security::KeyManager;
pub use speed_setting::SpeedSetting;
pub use volser::VolserPattern;
pub use zhyperlink::ZHyperLink;

use crate::frame_errors::BIT_ERROR_RATE_MAX;

/// A plant file by meaning, each entry with its place in the text.
#[derive(Debug, Clone)]
pub struct Plant {
    /// The text that the spans point into.
    pub source: Arc<SourceFile>,
    /// The processor complexes, by name; at least one.
    pub cpcs: Vec<Cpc>,
    /// Logical partitions with their processors.
    pub lpars: Vec<Lpar>,
    /// Channel cards.
    pub cards: Vec<Card>,
    /// I/O interconnects with their cards.
    pub domains: Vec<Domain>,
    /// Fanouts with their interconnects.
    pub fanouts: Vec<Fanout>,
    /// Cables from channels.
    pub cables: Vec<Cable>,
    /// Directors.
    pub directors: Vec<Director>,
    /// Inter-switch links.
    pub isls: Vec<InterSwitchLink>,
    /// Storage boxes.
    pub control_units: Vec<ControlUnit>,
    /// zHyperLink cables.
    pub zhyperlinks: Vec<ZHyperLink>,
    /// Networks between partitions.
    pub networks: Vec<Network>,
    /// The hardware files of the study, by name.
    pub hardware: BTreeMap<String, Arc<SourceFile>>,
    /// The key manager, which endpoint security needs.
    pub key_manager: Option<KeyManager>,
}

impl Plant {
    /// Returns true when a card, box or port takes part in endpoint security.
    #[must_use]
    pub fn takes_part_in_security(&self) -> bool {
        let cards = self.cards.iter().map(|card| &card.endpoint_security);
        let boxes = self.control_units.iter().flat_map(|one| {
            one.ports.iter().map(|port| &port.endpoint_security).chain([&one.endpoint_security])
        });
        cards.chain(boxes).flatten().any(|policy| policy.value != Policy::Off)
    }

    /// Returns a place in the plant file.
    pub fn label(&self, span: &Range<usize>, text: impl Into<String>) -> Label {
        Label::new(&self.source, span.clone(), text)
    }
}

/// Reads a plant file; the messages are about this file alone.
pub fn read_plant(source: &Arc<SourceFile>) -> (Option<Plant>, Vec<Diagnostic>) {
    read_document(source, |fields| {
        let cpcs = cpcs::read_cpcs(fields);
        let known = cpcs.as_deref().unwrap_or_default();
        let lpars = host::read_lpars(fields);
        let cards = host::read_cards(fields, known);
        let domains = interconnect::read_domains(fields, known);
        let fanouts = interconnect::read_fanouts(fields, known);
        let cables = fabric::read_cables(fields, known, &cards);
        let directors = fabric::read_directors(fields);
        let isls = fabric::read_isls(fields);
        let control_units = boxes::read_control_units(fields);
        let zhyperlinks = zhyperlink::read_zhyperlinks(fields, known);
        let networks = network::read_networks(fields);
        let key_manager = fields.table_if_given("key_manager", KeyManager::read);
        fabric::check_plugs(fields, &cables, &isls, &control_units);
        let source = Arc::clone(fields.source());
        let cpcs = cpcs?;
        Some(Plant {
            source,
            cpcs,
            lpars,
            cards,
            domains,
            fanouts,
            cables,
            directors,
            isls,
            control_units,
            zhyperlinks,
            networks,
            hardware: BTreeMap::new(),
            key_manager: key_manager.flatten(),
        })
    })
}

/// How long a fibre or cable is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Length {
    /// km one way.
    pub km: f64,
    /// Repeaters of the signal on the way: repeaters, channel extenders, DWDM.
    pub repeaters: u32,
}

impl Length {
    /// Reads `km` and `repeaters`.
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let km = fields.required("km", km());
        let repeaters = fields.or("repeaters", repeaters(), 0);
        Some(Self { km: km?.value, repeaters })
    }
}

/// Returns the expectation of a number of repeaters of a fibre.
fn repeaters() -> Expect<'static, u32> {
    Expect::integer(0..=16)
}

/// Returns the expectation of the share of wrong bits of a fibre.
fn bit_error_rate() -> Expect<'static, f64> {
    Expect::number(0.0..=BIT_ERROR_RATE_MAX)
}

/// Returns a length of fibre, km one way.
pub(crate) fn km() -> Expect<'static, f64> {
    Expect::number(0.0..=1000.0)
}
