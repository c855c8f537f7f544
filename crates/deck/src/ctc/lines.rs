//! Connections as text, one a line.

use super::ends::End;
use super::pairs::Connections;

/// Returns the pairs of `found`, and the ends that have none, as text. `names` are those of the decks.
pub fn listing(found: &Connections, names: &[String]) -> String {
    if found.ends.is_empty() {
        return "no control units of UNIT=FCTC, SCTC or BCTC\n".to_owned();
    }
    let several = names.len() > 1;
    let shown = |end: &End| {
        let deck =
            names.get(end.image.deck).filter(|_| several).map(|name| format!("{name} ")).unwrap_or_default();
        let link = end.link.map_or_else(|| "**".to_owned(), |link| link.to_string());
        let devices: Vec<String> = end.devices.iter().map(|run| range(run.number, run.count)).collect();
        let devices = if devices.is_empty() { "-".to_owned() } else { devices.join(" ") };
        format!(
            "{deck}{:10} {:04X} {}.{:02X}  {:4} {link:4} {:5} {}   {devices:9}",
            end.image.to_string(),
            end.unit,
            end.image.css,
            end.chpid,
            end.channel_type,
            end.target(),
            end.unit_addresses()
        )
    };
    let head = "PARTITION  CU   CHPID TYPE LINK CUADD UNITADD DEVICES  ";
    let head = if several { format!("DECK {head}") } else { head.to_owned() };
    let mut text = format!("{head}  <->  {}\n", head.trim_end());
    for pair in &found.pairs {
        let (one, other) = (&found.ends[pair.one], &found.ends[pair.other]);
        let verdict = match (pair.same_unit_addresses, pair.same_devices, pair.other_cable) {
            (false, ..) => "UNIT ADDRESSES DIFFER",
            (true, false, _) => "device numbers differ",
            (true, true, true) => "ANOTHER CABLE THAN ITS NEIGHBOURS",
            (true, true, false) => "fine",
        };
        text += &format!("{}  <->  {}  {verdict}\n", shown(one), shown(other));
    }
    for &at in &found.missing {
        text += &format!("{}  <->  NO CONTROL UNIT POINTS BACK\n", shown(&found.ends[at]));
    }
    for &at in &found.elsewhere {
        text += &format!(
            "{}  <->  not in {}\n",
            shown(&found.ends[at]),
            if several { "these decks" } else { "this deck" }
        );
    }
    for misfit in &found.misfits {
        let (one, other) = (&found.ends[misfit.one], &found.ends[misfit.other]);
        let how = if misfit.is_known { "" } else { " (alike in devices; the ports are unknown)" };
        text += &format!("{}  <->  {}  {}{how}\n", shown(one), shown(other), misfit.words(found));
    }
    let wrong = found.pairs.iter().filter(|pair| !pair.same_unit_addresses).count();
    text + &format!(
        "pairs: {}, with unlike unit addresses: {wrong}; ends without the other: {}, leading elsewhere: {}\n",
        found.pairs.len(),
        found.missing.len(),
        found.elsewhere.len()
    )
}

/// Formats `4000`, `4000-4003`.
pub(super) fn range(first: u16, count: u16) -> String {
    if count == 1 {
        format!("{first:04X}")
    } else {
        format!("{first:04X}-{:04X}", u32::from(first) + u32::from(count) - 1)
    }
}
