//! `D IOS`: the configuration in force and switches of the I/O supervisor.
//!
//! Source: reference, displays, 6.6, which gives numbers and what is shown; the layout is a line for each value.

use halftrack_deck::HcdToken;
use serde::Serialize;

use super::command::IosArea;
use super::device::has_midaw;
use super::rows::value;
use super::view::View;

/// Contents of `D IOS`: names and values in the order of the lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IosDisplay {
    /// Number and title.
    #[serde(skip)]
    pub(super) heading: (&'static str, &'static str),
    /// Names and values; `None` where the study gives none.
    pub values: Vec<(&'static str, Option<String>)>,
}

/// Said of what the twin does not do.
const NOT_SIMULATED: &str = "NOT SIMULATED";

impl IosDisplay {
    pub(super) fn new(view: &View<'_>, area: IosArea) -> Self {
        let lpar = view.lpar();
        let enabled = |is: bool| Some(if is { "ENABLED" } else { "DISABLED" }.to_owned());
        let not_simulated = || Some(NOT_SIMULATED.to_owned());
        let (heading, values) = match area {
            IosArea::Config => (("IOS506I", "I/O CONFIG DATA"), config(view)),
            IosArea::Midaw => {
                (("IOS097I", "MIDAW FACILITY"), vec![("MIDAW FACILITY", enabled(has_midaw(view)))])
            }
            IosArea::Hyperpav => {
                let mode = if lpar.is_some_and(|lpar| lpar.hyperpav) { "YES" } else { "NO" };
                (("IOS098I", "HYPERPAV DATA"), vec![("HYPERPAV MODE", Some(mode.to_owned()))])
            }
            IosArea::Zhpf => {
                let zhpf = lpar.is_some_and(|lpar| lpar.zhpf);
                (("IOS630I", "ZHPF FACILITY"), vec![("HIGH PERFORMANCE FICON FACILITY", enabled(zhpf))])
            }
            IosArea::Zhyperlink => {
                let on = view.zhyperlink();
                let values =
                    vec![("ZHYPERLINK READ", enabled(on.read)), ("ZHYPERLINK WRITE", enabled(on.write))];
                (("IOS634I", "ZHYPERLINK FACILITY"), values)
            }
            IosArea::Mih => (("IOS086I", "MIH VALUES"), vec![("MISSING INTERRUPT HANDLER", not_simulated())]),
            IosArea::Recovery => (("", "RECOVERY DATA"), vec![("PATH RECOVERY", not_simulated())]),
            IosArea::Dcm => (("", "DCM STATUS"), vec![("DYNAMIC CHANNEL PATH MANAGEMENT", not_simulated())]),
        };
        Self { heading, values }
    }

    /// Formats the display as z/OS prints it.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (name, said) in &self.values {
            value(&mut text, name, said.as_deref());
        }
        text
    }
}

/// Returns the configuration in force: of the definition file only the part that HCD leaves in the deck.
fn config(view: &View<'_>) -> Vec<(&'static str, Option<String>)> {
    let Some(token) = HcdToken::of(&view.machine.deck.id) else {
        return with_sets(view, None, None);
    };
    let HcdToken { processor, date, time, qualifier, name } = token;
    let source = format!("{processor} {date} {time} {qualifier} {name}");
    with_sets(view, Some(format!("{qualifier}.{name}")), Some(source))
}

fn with_sets(
    view: &View<'_>,
    data_set: Option<String>,
    token: Option<String>,
) -> Vec<(&'static str, Option<String>)> {
    let sets: Vec<String> =
        view.machine.subchannel_sets(view.css).iter().map(|set| format!("{set:X}")).collect();
    let iocds = view.machine.deck.id.msg1.as_ref();
    vec![
        ("ACTIVE IODF DATA SET", data_set),
        ("CONFIGURATION ID", None),
        ("EDT ID", None),
        ("TOKEN", token),
        ("IOCDS", iocds.map(|name| name.value.chars().take(8).collect())),
        ("ACTIVE CSS", Some(view.css.to_string())),
        ("SUBCHANNEL SETS CONFIGURED", Some(sets.join(", "))),
    ]
}
