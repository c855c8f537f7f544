//! A feature that is plugged into an I/O drawer: `catalog/feature/ID.toml`.

use halftrack_input::{Expect, Fields, Sourced};

use crate::catalog::Catalog;
use crate::hardware::compression::Compression;
use crate::hardware::roce_network::RoceNetwork;
use crate::hardware::synchronous::Synchronous;
use crate::shelf::Hardware;

/// One kind of I/O cards, by the feature codes of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// Name in words.
    pub title: String,
    /// Its firmware runs in a resource group; otherwise it has one channel ASIC for each PCHID.
    pub native: bool,
    /// Values of TYPE= of the CHPID or FUNCTION statements that it serves.
    pub types: Vec<String>,
    /// Feature codes.
    pub codes: Sourced<Vec<String>>,
    /// PCHIDs of one card.
    pub pchids: Sourced<u16>,
    /// Ports of one card, shared out evenly over its PCHIDs.
    pub ports: Sourced<Vec<String>>,
    /// Industry-standard card on the mother card of a native adapter; `None` where none is known.
    pub daughter: Option<Sourced<String>>,
    /// Its ports carry synchronous requests; `None` for other features.
    pub synchronous: Option<Synchronous>,
    /// It compresses; `None` for other features.
    pub compression: Option<Compression>,
    /// Rules of the network of its ports; `None` for other features.
    pub network: Option<RoceNetwork>,
}

impl Hardware for Feature {
    const DIRECTORY: &'static str = "feature";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let native = fields.required("native", Expect::flag());
        let types = fields.list("types", Expect::text());
        let words = |text: &str| Some(text.split_whitespace().map(str::to_owned).collect::<Vec<String>>());
        let codes = Expect::parsed("feature codes with blanks between", move |text| {
            words(text).filter(|codes| !codes.is_empty())
        });
        let codes = fields.sourced("codes", codes);
        let pchids = fields.sourced("pchids", Expect::integer(1..=64));
        let ports = fields.sourced("ports", Expect::parsed("names of ports with blanks between", words));
        let daughter = fields.sourced_if_given("daughter", Expect::text());
        let synchronous = fields.table_if_given("synchronous", Synchronous::read);
        let compression = fields.table_if_given("compression", Compression::read);
        let network = fields.table_if_given("network", RoceNetwork::read);
        Some(Self {
            title: title?.value,
            native: native?.value,
            types: types?.into_iter().map(|kind| kind.value).collect(),
            codes: codes?,
            pchids: pchids?,
            ports: ports?,
            daughter: daughter?,
            synchronous: synchronous?,
            compression: compression?,
            network: network?,
        })
    }
}

impl Feature {
    /// Names of the ports behind PCHID number `index` of a card with `pchids` of them, counted from 0.
    pub fn ports_of(&self, index: usize) -> &[String] {
        let each = self.ports.value.len() / usize::from(self.pchids.value);
        self.ports.value.get(index * each..(index + 1) * each).unwrap_or_default()
    }
}

impl Catalog {
    /// Returns the feature with feature code `code`.
    pub fn feature_of(&self, code: &str) -> Option<&Feature> {
        let all = self.features.ids().filter_map(|id| self.features.get(id));
        all.into_iter().find(|feature| feature.codes.value.iter().any(|known| known == code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_leads_to_its_feature_and_to_one_only() {
        let (catalog, _) = Catalog::load(&[]);
        let roce = catalog.feature_of("0411").expect("built in");
        assert_eq!((roce.native, roce.types.as_slice()), (true, ["ROCE".to_owned()].as_slice()));
        assert_eq!(roce.ports_of(0), ["D1", "D2"]);
        let ficon = catalog.feature_of("0461").expect("built in");
        assert_eq!((ficon.ports_of(0), ficon.ports_of(1)), (&["D1".to_owned()][..], &["D2".to_owned()][..]));
        assert_eq!(ficon.ports_of(2), [""; 0]);
        assert!(catalog.feature_of("4711").is_none());
        let mut codes: Vec<&String> = catalog
            .features
            .ids()
            .filter_map(|id| catalog.features.get(id))
            .flat_map(|feature| &feature.codes.value)
            .collect();
        let all = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), all);
    }
}
