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
        let devices: Vec<String> = end.devices.iter().map(|(first, count)| range(*first, *count)).collect();
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
        let verdict = match (pair.same_unit_addresses, pair.same_devices) {
            (false, _) => "UNIT ADDRESSES DIFFER",
            (true, false) => "device numbers differ",
            (true, true) => "fine",
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
    let wrong = found.pairs.iter().filter(|pair| !pair.same_unit_addresses).count();
    text + &format!(
        "pairs: {}, with unlike unit addresses: {wrong}; ends without the other: {}, leading elsewhere: {}\n",
        found.pairs.len(),
        found.missing.len(),
        found.elsewhere.len()
    )
}

fn range(first: u16, count: u16) -> String {
    if count == 1 {
        format!("{first:04X}")
    } else {
        format!("{first:04X}-{:04X}", u32::from(first) + u32::from(count) - 1)
    }
}
