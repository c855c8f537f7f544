//! The figures, experiments and studies that the program carries, as text.

macro_rules! texts {
    ($directory:literal; $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../", $directory, "/", $name)))),*]
    };
}

macro_rules! studies {
    ($($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_str!(concat!("../../../studies/published/", $name, "/deck.iocp")),
            include_str!(concat!("../../../studies/published/", $name, "/plant.toml")),
            include_str!(concat!("../../../studies/published/", $name, "/workload.toml")),
        )),*]
    };
}

macro_rules! further_decks {
    ($(($study:literal, $name:literal)),* $(,)?) => {
        &[$((
            $study,
            $name,
            include_str!(concat!("../../../studies/published/", $study, "/", $name)),
        )),*]
    };
}

/// The units file.
pub const UNITS: &str = include_str!("../../../published/units.toml");

/// File name and text of each file of figures.
pub const FIGURES: &[(&str, &str)] = texts!["published";
    "fex32s-2023.toml",
    "ficon-2002.toml",
    "isfc.toml",
    "pcie-2015.toml",
    "sap-2023.toml",
];

/// File name and text of each file of experiments.
pub const EXPERIMENTS: &[(&str, &str)] = texts!["published/experiments";
    "fex32s-4k.toml",
    "fex32s-distance.toml",
    "fex32s-endpoint-security.toml",
    "fex32s-fcp.toml",
    "fex32s-functions.toml",
    "fex32s-interconnect.toml",
    "fex32s-large.toml",
    "fex32s-mix.toml",
    "fex32s-programs.toml",
    "fex32s-rmf-channels.toml",
    "fex32s-rmf-devices.toml",
    "fex32s-zhyperlink.toml",
    "ficon-2002-boxes.toml",
    "ficon-2002-bridge.toml",
    "ficon-2002-consolidation.toml",
    "ficon-2002-definitions.toml",
    "ficon-2002-directors.toml",
    "ficon-2002-distance.toml",
    "ficon-2002-escon.toml",
    "ficon-2002-knees.toml",
    "ficon-2002-layouts.toml",
    "ficon-2002-machines.toml",
    "ficon-2002-maxima.toml",
    "ficon-2002-parallel.toml",
    "isfc.toml",
    "pcie-2015.toml",
    "pcie-2015-smcr.toml",
    "sap-2023-capacity.toml",
    "sap-2023-images.toml",
    "sap-2023-queuing.toml",
    "sap-2023-structure.toml",
];

/// File name and text of each deck from which answers are computed.
pub const DECKS: &[(&str, &str)] = texts!["published/decks";
    "z13-access.iocp",
    "z13-fid-count.iocp",
    "z13-fid-digits.iocp",
    "z13-fid-hex.iocp",
    "z13-fid.iocp",
    "z13-function-css.iocp",
    "z13-functions.iocp",
    "z13-osd.iocp",
    "z13-pnetids.iocp",
    "z13-roce-adapters.iocp",
    "z13-roce-all.iocp",
    "z13-roce-sharing.iocp",
    "z13-roce-redundant.iocp",
    "z13-roce-software.iocp",
    "z13-roce-vf.iocp",
    "z13-shared-roce.iocp",
    "z13-vf-digits.iocp",
    "z13-zedc-adapters.iocp",
    "z13-zedc-all.iocp",
    "z13-zedc-cards.iocp",
    "z13-zedc-data.iocp",
    "z13-zedc-sharing.iocp",
    "z13-zedc-software.iocp",
    "z13-zedc-vf.iocp",
    "z16-zhyperlink-adapters.iocp",
    "z16-zhyperlink-ports.iocp",
    "z16-zhyperlink-vf.iocp",
    "z900-chpids.iocp",
    "z900-cnc-addresses.iocp",
    "z900-fc-addresses.iocp",
    "z900-mixed-chpids.iocp",
    "z900-one-ficon.iocp",
    "zec12-roce-adapters.iocp",
    "zedc-unplugged.iocp",
];

/// File name and text of each hardware file from which answers are computed.
pub const HARDWARE: &[(&str, &str)] = texts!["published/hardware";
    "unplugged.toml",
    "z13-mixed.toml",
    "z13-native.toml",
    "z13-one-card.toml",
    "z13-zedc-cards.toml",
];

/// Name, deck, plant and workload of each study of `studies/published`.
pub const STUDIES: &[(&str, &str, &str, &str)] = studies![
    "escon-one-channel",
    "fcv-four-channels",
    "fcv-one-channel",
    "fcv-one-channel-g6",
    "fcp-card",
    "fcp-encrypted",
    "fcp-port",
    "fex32s-100km",
    "fex32s-card",
    "fex32s-display",
    "fex32s-encrypted",
    "fex32s-fanout",
    "fex32s-mix",
    "fex32s-one-channel",
    "fex32s-rmf-channels",
    "fex32s-rmf-devices",
    "fex32s-zhyperlink",
    "fex32s-zhyperlink-latency",
    "ficon-2002-boxes",
    "ficon-2002-channel",
    "ficon-2002-distance",
    "ficon-2002-g6",
    "ficon-2002-layout-consolidated",
    "ficon-2002-layout-escon",
    "ficon-2002-layout-ficon",
    "ficon-2002-layout-shared",
    "isfc",
    "parallel-one-channel",
    "sap-z15-max108",
    "sap-z15-max145",
    "sap-z15-max34",
    "sap-z15-max71",
    "sap-z16-max125",
    "sap-z16-max168",
    "sap-z16-max200",
    "sap-z16-max39",
    "sap-z16-max82",
    "smcr-distance",
    "two-systems",
    "two-systems-escon",
];

/// Study, file name and text of each deck of `studies/published` beside a `deck.iocp`.
pub const FURTHER_DECKS: &[(&str, &str, &str)] =
    further_decks![("two-systems", "deck-g6.iocp"), ("two-systems-escon", "deck-g6.iocp")];

/// Study, file name and text of each hardware file of `studies/published`.
pub const STUDY_HARDWARE: &[(&str, &str, &str)] = further_decks![("smcr-distance", "hardware.toml")];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn names_in(directory: &str) -> Vec<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
        let entries = std::fs::read_dir(path).expect("directory");
        entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn every_file_of_the_repository_is_built_in() {
        for name in names_in("published") {
            let known = FIGURES.iter().any(|one| one.0 == name) || name == "units.toml";
            assert!(known || !name.ends_with(".toml"), "published/{name}");
        }
        for name in names_in("published/experiments") {
            assert!(EXPERIMENTS.iter().any(|one| one.0 == name), "published/experiments/{name}");
        }
        for (directory, files) in [("published/decks", DECKS), ("published/hardware", HARDWARE)] {
            for name in names_in(directory) {
                assert!(files.iter().any(|one| one.0 == name), "{directory}/{name}");
            }
        }
        for name in names_in("studies/published") {
            assert!(STUDIES.iter().any(|one| one.0 == name), "studies/published/{name}");
            for file in names_in(&format!("studies/published/{name}")) {
                let usual = ["deck.iocp", "plant.toml", "workload.toml"].contains(&file.as_str());
                let further = FURTHER_DECKS
                    .iter()
                    .chain(STUDY_HARDWARE)
                    .any(|one| (one.0, one.1) == (name.as_str(), file.as_str()));
                assert!(usual || further, "studies/published/{name}/{file}");
            }
        }
    }
}
