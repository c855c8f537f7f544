//! No text makes the readers panic, and no two right files make the assembly panic.

use halftrack_config::{read_plant, read_workload};
use halftrack_input::SourceFile;
use proptest::prelude::*;

use crate::site::Site;

/// Returns a TOML value of some kind, written out.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "-?[0-9]{1,22}",
        "-?[0-9]{1,3}\\.[0-9]{1,3}",
        Just("nan".to_owned()),
        Just("true".to_owned()),
        Just("2026-01-01T00:00:00".to_owned()),
        "\"[ -!#-\\[\\]-~é]{0,12}\"",
        "\"[0-9A-F]{2}\\.[0-9A-F]{2}\"",
        "\"[0-9A-F]{4}(-[0-9A-F]{4})?\"",
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(|all| format!("[{}]", all.join(", "))),
            proptest::collection::vec((key(), inner), 0..4).prop_map(|pairs| {
                let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{key} = {value}")).collect();
                format!("{{ {} }}", pairs.join(", "))
            }),
        ]
    })
}

/// Returns a key of one of the files, or another.
fn key() -> impl Strategy<Value = String> {
    let known = [
        "model",
        "name",
        "cps",
        "zhpf",
        "type",
        "pchids",
        "chpids",
        "link_gbps",
        "fec",
        "pchid",
        "chpid",
        "system",
        "to",
        "km",
        "id",
        "from",
        "credits",
        "devices",
        "volser",
        "program",
        "select",
        "zipf",
        "closed",
        "jobs",
        "open",
        "rate_per_s",
        "at_s",
        "lasts_s",
        "kind",
        "chpid",
        "control_unit",
        "warmup_s",
        "start",
        "seed",
        "read_share",
        "records",
        "record_bytes",
        "block",
        "think_us",
        "cpc",
        "lpar",
        "card",
        "cable",
        "run",
        "stream",
        "event",
    ];
    prop_oneof![proptest::sample::select(known.to_vec()).prop_map(str::to_owned), "[a-z_]{1,6}"]
}

fn header() -> impl Strategy<Value = String> {
    let known = [
        "[cpc]",
        "[[lpar]]",
        "[[card]]",
        "[[cable]]",
        "[[director]]",
        "[[isl]]",
        "[[control_unit]]",
        "[[control_unit.port]]",
        "[[control_unit.volumes]]",
        "[run]",
        "[[stream]]",
        "[[event]]",
    ];
    proptest::sample::select(known.to_vec()).prop_map(str::to_owned)
}

fn document() -> impl Strategy<Value = String> {
    let line = (key(), value()).prop_map(|(key, value)| format!("{key} = {value}"));
    proptest::collection::vec(prop_oneof![2 => line, 1 => header()], 0..20).prop_map(|lines| lines.join("\n"))
}

fn read_both(text: &str) {
    let source = SourceFile::new("any.toml", text);
    for found in [read_plant(&source).1, read_workload(&source).1] {
        for one in found {
            assert!(!one.to_string().is_empty());
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in any::<String>()) {
        read_both(&text);
    }

    #[test]
    fn no_document_makes_a_reader_panic(text in document()) {
        read_both(&text);
    }

    #[test]
    fn a_site_with_a_line_lost_or_doubled_is_answered(
        at in 0usize..400, doubled in any::<bool>(), file in 0usize..2,
    ) {
        let mut site = Site::new();
        let text = if file == 0 { &mut site.plant } else { &mut site.workload };
        let mut lines: Vec<&str> = text.lines().collect();
        let at = at % lines.len();
        if doubled { lines.insert(at, lines[at]) } else { lines.remove(at); }
        *text = lines.join("\n");
        let loaded = site.assemble_quietly();
        prop_assert!(loaded.configuration.is_some() || !loaded.diagnostics.is_empty());
    }
}
