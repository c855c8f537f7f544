//! The catalog that the program carries: the files of the repository's `catalog/`, as text.

/// A catalog file: kind directory, id, text.
pub type CatalogText = (&'static str, &'static str, &'static str);

macro_rules! catalog_text {
    ($directory:literal, $id:literal) => {
        ($directory, $id, include_str!(concat!("../../../catalog/", $directory, "/", $id, ".toml")))
    };
}

/// Every built-in file.
pub const BUILTIN: &[CatalogText] = &[
    // Before the channels, which may name them.
    catalog_text!("firmware", "ficon-2002"),
    catalog_text!("firmware", "ficon-2023"),
    // Before the models, which name them.
    catalog_text!("processor", "z15"),
    catalog_text!("processor", "z16"),
    catalog_text!("channel", "escon"),
    catalog_text!("channel", "escon-g5g6"),
    catalog_text!("channel", "fex16sa"),
    catalog_text!("channel", "fex16sp"),
    catalog_text!("channel", "fex32s"),
    catalog_text!("channel", "ficon-express"),
    catalog_text!("channel", "ficon-express16s"),
    catalog_text!("channel", "ficon-express2"),
    catalog_text!("channel", "ficon-express4"),
    catalog_text!("channel", "ficon-express8"),
    catalog_text!("channel", "ficon-express8s"),
    catalog_text!("channel", "ficon-g5g6"),
    catalog_text!("channel", "ficon-z900"),
    catalog_text!("channel", "parallel"),
    catalog_text!("control-unit", "3990"),
    catalog_text!("control-unit", "ds8950"),
    catalog_text!("control-unit", "ess-f10"),
    catalog_text!("control-unit", "ess-f20"),
    catalog_text!("control-unit", "ess-f20-escon"),
    catalog_text!("cpc", "9672-g5"),
    catalog_text!("cpc", "9672-g6"),
    catalog_text!("cpc", "z15-max34"),
    catalog_text!("cpc", "z15-max71"),
    catalog_text!("cpc", "z15-max108"),
    catalog_text!("cpc", "z15-max145"),
    catalog_text!("cpc", "z15-max190"),
    catalog_text!("cpc", "z16-max39"),
    catalog_text!("cpc", "z16-max82"),
    catalog_text!("cpc", "z16-max125"),
    catalog_text!("cpc", "z16-max168"),
    catalog_text!("cpc", "z16-max200"),
    catalog_text!("cpc", "z900"),
    catalog_text!("director", "9032-5"),
    catalog_text!("director", "director-1g"),
    catalog_text!("director", "director-2g"),
    catalog_text!("director", "director-4g"),
    catalog_text!("director", "director-8g"),
    catalog_text!("director", "director-16g"),
    catalog_text!("director", "director-32g"),
    catalog_text!("director", "director-64g"),
    catalog_text!("drawer", "pcie-16"),
    catalog_text!("drawer", "pcie-32"),
    catalog_text!("feature", "coupling"),
    catalog_text!("feature", "ficon"),
    catalog_text!("feature", "osa-10gbe"),
    catalog_text!("feature", "osa-gbe"),
    catalog_text!("feature", "roce"),
    catalog_text!("feature", "roce-2"),
    catalog_text!("feature", "zedc"),
    catalog_text!("feature", "zhyperlink"),
    catalog_text!("fibre", "single-mode"),
    catalog_text!("multiplexer", "dwdm"),
    catalog_text!("service", "stations"),
    catalog_text!("volume", "3390-3"),
    catalog_text!("volume", "3390-9"),
    catalog_text!("volume", "3390-27"),
    catalog_text!("volume", "3390-54"),
];
