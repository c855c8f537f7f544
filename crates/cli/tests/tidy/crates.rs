//! The order of the rooms: a crate may use only crates above it.

use std::fs;
use std::path::Path;

/// The rooms of docs/architecture.md, from the top.
const ROOMS: &[&str] = &[
    "base",
    "output",
    "input",
    "engine",
    "deck",
    "drawing",
    "program",
    "volume",
    "control_unit",
    "isfc",
    "zedc",
    "roce",
    "smc",
    "smc_stack",
    "wire",
    "scsi",
    "exchange",
    "subsystem",
    "fabric",
    "exec",
    "catalog",
    "plugging",
    "zedc_twin",
    "smcr_twin",
    "config",
    "generate",
    "record",
    "workload",
    "machine",
    "report",
    "sweep",
    "arrow",
    "published",
    "planner",
    "halftrack",
    "shared_memory",
    "smc_host",
    "smc_udp",
    "smc_preload",
    "zedc_rings",
    "zedc_c",
    "zlib",
    "link",
    "bench",
    "faults",
    "cli",
];

/// Returns the dependencies of the product (not of its tests) that go against the order.
pub fn upward_dependencies(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join("crates")).expect("crates") {
        let path = entry.expect("entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8").to_owned();
        let text = fs::read_to_string(path.join("Cargo.toml")).expect("manifest");
        found.extend(against_order(&name, &text));
    }
    found
}

fn against_order(name: &str, manifest: &str) -> Vec<String> {
    let manifest: toml::Table = manifest.parse().expect("a manifest is TOML");
    let place = |name: &str| ROOMS.iter().position(|room| *room == name);
    let Some(own) = place(name) else { return vec![format!("{name} is no room of the design")] };
    let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
    let ours = dependencies.into_iter().flat_map(toml::Table::keys);
    let ours = ours.filter_map(|key| key.strip_prefix("halftrack-")).map(|room| room.replace('-', "_"));
    ours.filter(|room| place(room).is_none_or(|other| other >= own))
        .map(|room| format!("{name} uses {room}, which is not above it"))
        .collect()
}

#[test]
fn a_dependency_against_the_order_is_found() {
    let manifest = "[dependencies]\nserde = \"1\"\nhalftrack-control-unit = \"0\"\nhalftrack-machine = \"0\"\n\
                    [dev-dependencies]\nhalftrack-cli = \"0\"\n";
    assert_eq!(against_order("exchange", manifest), ["exchange uses machine, which is not above it"]);
    assert_eq!(against_order("report", manifest), [""; 0]);
    assert_eq!(against_order("parlour", manifest), ["parlour is no room of the design"]);
}
