//! The processor complexes of a plant: one alone, or several with names and decks of their own.

use std::ops::Range;

use halftrack_input::messages::study as numbers;
use halftrack_input::{Expect, Fields, Located, nearest_or_all};

use crate::cpc_name::CpcName;
use crate::plant::host::partition;
use crate::study_files::{DECK, DECK_SUFFIX, TOML_ENDING};
use crate::unique::check_unique;

/// Processor complexes at most: the systems of a Parallel Sysplex.
const CPCS_MAX: usize = 32;

/// `[cpc]`, or one `[[cpc]]`.
#[derive(Debug, Clone)]
pub struct Cpc {
    /// Its name; none for the one of a `[cpc]`.
    pub name: CpcName,
    /// Catalog id of the processor complex.
    pub model: Located<String>,
    /// File name of its deck.
    pub deck: Located<String>,
    /// Name of the one system of a machine in BASIC mode.
    pub system: Option<Located<String>>,
    /// SAP cores beyond the standard ones of the model; none by default.
    pub additional_saps: Option<Located<u16>>,
    /// Which power-on reset it is: each may place the SAPs on other cores.
    pub activation: u16,
    /// File name of its hardware: where its adapters are plugged.
    pub hardware: Option<Located<String>>,
}

/// Keys that both forms of the table have.
struct Common {
    additional_saps: Option<Located<u16>>,
    activation: u16,
    hardware: Option<Located<String>>,
}

impl Cpc {
    fn new(
        name: CpcName,
        model: Located<String>,
        deck: Located<String>,
        system: Option<Located<String>>,
        common: Common,
    ) -> Self {
        let Common { additional_saps, activation, hardware } = common;
        Self { name, model, deck, system, additional_saps, activation, hardware }
    }
}

impl Common {
    fn read(cpc: &mut Fields<'_>) -> Self {
        let additional_saps = cpc.optional("additional_saps", Expect::integer(0..=1024));
        let activation = cpc.or("activation", Expect::integer(1..=u16::MAX), 1);
        let hardware = cpc.optional("hardware", Expect::parsed(HARDWARE_WORDS, hardware_name));
        Self { additional_saps, activation, hardware }
    }
}

/// Words for the name of an undivided machine's system.
const SYSTEM_WORDS: &str = "a system name of 1 to 8 characters A-Z and 0-9, a letter first";

/// Words for the name of a deck.
const DECK_WORDS: &str = "the name of a deck beside the plant, such as \"deck-b.iocp\"";

/// Words for the name of a hardware file.
const HARDWARE_WORDS: &str = "the name of a hardware file beside the plant, such as \"hardware.toml\"";

/// Returns the processor complexes, by name; none when one of them cannot be read.
pub(super) fn read_cpcs(fields: &mut Fields<'_>) -> Option<Vec<Cpc>> {
    if !fields.is_array("cpc") {
        return fields.table("cpc", read_alone).map(|alone| vec![alone]);
    }
    let mut names = Vec::new();
    let mut tables = 0;
    let mut cpcs = fields.tables("cpc", |cpc| {
        tables += 1;
        if tables == CPCS_MAX + 1 {
            let message = format!("a plant has at most {CPCS_MAX} CPCs");
            cpc.error(numbers::NO_CPC, cpc.span(), message, "remove what is too much");
        }
        let name = cpc.required("name", cpc_name());
        names.extend(name.clone());
        read_named(cpc, name)
    });
    if tables == 0 {
        fields.error(numbers::NO_CPC, fields.span(), "the plant has no CPC", "describe one by `[cpc]`");
    }
    check_unique(fields, "CPC", names);
    check_decks(fields, &cpcs);
    cpcs.sort_by_key(|cpc| cpc.name);
    (cpcs.len() == tables && (1..=CPCS_MAX).contains(&tables)).then_some(cpcs)
}

fn read_alone(cpc: &mut Fields<'_>) -> Option<Cpc> {
    let model = cpc.required("model", Expect::text());
    let system = cpc.optional("system", Expect::parsed(SYSTEM_WORDS, partition));
    let common = Common::read(cpc);
    let deck = Located::new(DECK.to_owned(), cpc.span());
    Some(Cpc::new(CpcName::UNNAMED, model?, deck, system, common))
}

fn read_named(cpc: &mut Fields<'_>, name: Option<Located<CpcName>>) -> Option<Cpc> {
    let model = cpc.required("model", Expect::text());
    let deck = cpc.required("deck", Expect::parsed(DECK_WORDS, deck_name));
    let system = cpc.optional("system", Expect::parsed(SYSTEM_WORDS, partition));
    let common = Common::read(cpc);
    Some(Cpc::new(name?.value, model?, deck?, system, common))
}

/// Checks that every deck describes one machine.
fn check_decks(fields: &Fields<'_>, cpcs: &[Cpc]) {
    check_unique(fields, "the deck", cpcs.iter().map(|cpc| cpc.deck.clone()));
}

/// Returns a file of the study's directory that ends in `.iocp`.
fn deck_name(text: &str) -> Option<String> {
    let plain = !text.contains(['/', '\\']) && text.len() > DECK_SUFFIX.len();
    (plain && text.ends_with(DECK_SUFFIX)).then(|| text.to_owned())
}

/// Returns a file of the study's directory that ends in `.toml`.
fn hardware_name(text: &str) -> Option<String> {
    let plain = !text.contains(['/', '\\']) && text.len() > TOML_ENDING.len();
    (plain && text.ends_with(TOML_ENDING)).then(|| text.to_owned())
}

/// Returns the name of a CPC.
pub(crate) fn cpc_name() -> Expect<'static, CpcName> {
    Expect::parsed(CpcName::WORDS, CpcName::parse)
}

/// Reads `cpc` of a table: the CPC that it belongs to, by default the only one. `None`, with a message, when it is left
/// out among several or names an unknown one.
pub(super) fn read_owner(fields: &mut Fields<'_>, cpcs: &[Cpc]) -> Option<CpcName> {
    match read_named_owner(fields, cpcs)? {
        Some(said) => Some(said),
        None => only(cpcs).or_else(|| {
            let message = format!("{} does not name its CPC", fields.name());
            let fix = format!("add `cpc`; {}", known(cpcs));
            fields.error(numbers::WHICH_CPC, fields.span(), message, fix);
            None
        }),
    }
}

/// Reads `cpc` of a table where it is given; `None`, with a message, when it names an unknown one.
pub(super) fn read_named_owner(fields: &mut Fields<'_>, cpcs: &[Cpc]) -> Option<Option<CpcName>> {
    let said = fields.optional("cpc", cpc_name());
    if !fields.has("cpc") {
        return Some(None);
    }
    let said = said?;
    // A plant whose own CPCs cannot be read has that message already.
    if cpcs.is_empty() || cpcs.iter().any(|cpc| cpc.name == said.value) {
        return Some(Some(said.value));
    }
    report_unknown(fields, &said.value, said.span, cpcs);
    None
}

fn report_unknown(fields: &Fields<'_>, name: &CpcName, span: Range<usize>, cpcs: &[Cpc]) {
    let message = format!("the plant has no CPC {name}");
    let fix = match only(cpcs) {
        Some(CpcName::UNNAMED) => "drop `cpc`, or describe several CPCs by `[[cpc]]`".to_owned(),
        _ => {
            let names: Vec<_> = cpcs.iter().map(|cpc| cpc.name.to_string()).collect();
            nearest_or_all(&name.to_string(), names.iter().map(String::as_str))
        }
    };
    fields.error(numbers::NO_CPC, span, message, fix);
}

/// Returns the CPC that is meant where none is named: the only one. A plant whose own CPCs cannot be read has that
/// message already.
pub(crate) fn only(cpcs: &[Cpc]) -> Option<CpcName> {
    match cpcs {
        [] => Some(CpcName::UNNAMED),
        [one] => Some(one.name),
        _ => None,
    }
}

/// Returns the names of the CPCs in words.
pub(crate) fn known(cpcs: &[Cpc]) -> String {
    match cpcs {
        [Cpc { name: CpcName::UNNAMED, .. }] => "the plant has one, without a name".to_owned(),
        _ => {
            let names: Vec<_> = cpcs.iter().map(|cpc| cpc.name.to_string()).collect();
            format!("the plant has {}", names.join(", "))
        }
    }
}
