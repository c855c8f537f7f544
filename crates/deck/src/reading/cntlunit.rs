//! CNTLUNIT: one control unit, its paths and its unit addresses.
//!
//! Reference: IOCP, section 2.5, rules G14, G16-G18; R117, R126, R230, R232, R233, R236, R245.

use std::ops::Range;

use halftrack_input::Located;
use halftrack_input::messages::deck::CHANNEL_UNDEFINED;
use halftrack_input::messages::iocp::OPENING_EXPECTED;

use crate::model::css_list::{CssScope, split};
use crate::model::machines::PATHS_PER_CSS_MAX;
use crate::model::{ControlUnit, LinkAddress, Path};
use crate::reading::values::{self, yes_no};
use crate::rules;
use crate::rules::definitions::{Definitions, Unit};
use crate::syntax::findings::Findings;
use crate::syntax::number::{
    CHPID, CONTROL_UNIT, CUADD, UNIT_ADDRESS, decimal, hex, hex_byte, malformed, plain_decimal,
};
use crate::syntax::operand::{Form, Value};
use crate::syntax::statement::Statement;

/// A list of CHPIDs or links of one channel subsystem; `None` for an entry that is no number.
struct Row<T> {
    css: u8,
    entries: Vec<(Option<T>, Range<usize>)>,
    span: Range<usize>,
}

/// Takes in a CNTLUNIT statement.
pub(crate) fn read(statement: &Statement, definitions: &mut Definitions, findings: &mut Findings) {
    let before = findings.errors();
    let number = statement
        .value("CUNUMBR")
        .map(Value::sole)
        .and_then(|value| Some(Located::new(hex(value, CONTROL_UNIT, findings)?, value.span.clone())));
    let unit = statement.value("UNIT").map(|value| {
        let sole = value.sole();
        if sole.text().is_none() {
            malformed(value, "a unit type", findings);
        }
        Located::new(sole.text().unwrap_or_default().to_owned(), sole.span.clone())
    });
    let paths = read_paths(statement, definitions, findings);
    let cuadd = statement
        .value("CUADD")
        .map(Value::sole)
        .and_then(|value| Some(Located::new(hex_byte(value, CUADD, findings)?, value.span.clone())));
    let shared = statement.value("SHARED").and_then(|_| yes_no(statement, "SHARED", findings));
    let protocol = values::protocol(statement, findings);
    let coded = statement.value("UNITADD").map(|value| read_unit_addresses(value, findings));
    let (Some(number), Some(unit)) = (number, unit) else {
        definitions.unit_errors = true;
        return;
    };
    let index = definitions.units.len();
    if let Some(&first) = definitions.unit_index.get(&number.value) {
        report_twice(&number, &definitions.units[first].definition, findings);
        definitions.unit_errors = true;
        return;
    }
    let channels: Vec<Option<usize>> =
        paths.iter().map(|path| definitions.channel_index.get(&(path.css, path.chpid)).copied()).collect();
    report_undefined(&paths, definitions, findings);
    let mut unit = Unit {
        definition: ControlUnit {
            number,
            unit,
            paths,
            unit_addresses: coded.unwrap_or_default(),
            cuadd,
            shared,
            protocol,
            managed_paths: managed(statement, definitions),
            span: statement.span.clone(),
        },
        channels,
        sound: findings.errors() == before,
    };
    settle_unit_addresses(statement, &mut unit, definitions, findings);
    rules::paths::check(&unit, index, definitions, findings);
    unit.sound = findings.errors() == before;
    definitions.unit_errors |= !unit.sound;
    definitions.unit_index.insert(unit.definition.number.value, index);
    definitions.units.push(unit);
}

/// Reports R230.
fn report_twice(number: &Located<u16>, first: &ControlUnit, findings: &mut Findings) {
    let message = findings
        .error(230, &number.span, format!("control unit {:04X} is already defined", number.value))
        .other(findings.label(&first.number.span, "defined first here"))
        .fix("use a free control unit number");
    findings.report(message);
}

/// Reads PATH and LINK, joined by position inside each channel subsystem.
fn read_paths(statement: &Statement, definitions: &Definitions, findings: &mut Findings) -> Vec<Path> {
    let scope = definitions.scope();
    let Some(value) = statement.value("PATH") else { return Vec::new() };
    let rows = read_rows(value, scope, findings, |value, findings| match value.atom() {
        // HCD: a control unit or path that is not attached, or is managed (reference, section 8).
        Some("*" | "**") => None,
        _ => hex_byte(value, CHPID, findings),
    });
    check_rows(&rows, findings);
    // Without any channel no link can belong to one; the cause has been reported.
    if rows.is_empty() {
        return Vec::new();
    }
    let untagged = if let [only] = rows.as_slice() { Some(only.css) } else { scope.untagged };
    let before = findings.errors();
    let mut links = statement
        .value("LINK")
        .map(|value| read_rows(value, CssScope { untagged, ..scope }, findings, read_link));
    // Link addresses that could not be read have been reported; their number means nothing.
    if findings.errors() > before {
        links = None;
    }
    let mut paths = Vec::new();
    for row in rows {
        let mine = links.as_mut().and_then(|links| {
            let at = links.iter().position(|link| link.css == row.css)?;
            Some(links.swap_remove(at))
        });
        if let Some(mine) = mine.as_ref().filter(|mine| mine.entries.len() != row.entries.len()) {
            report_counts(row.css, row.entries.len(), mine.entries.len(), &mine.span, findings);
        } else if mine.is_none() && links.is_some() {
            let span = statement.value("LINK").map_or(&row.span, |value| &value.span);
            report_counts(row.css, row.entries.len(), 0, span, findings);
        }
        let links = mine.map(|mine| mine.entries).unwrap_or_default();
        for (position, (chpid, span)) in row.entries.into_iter().enumerate() {
            let Some(chpid) = chpid else { continue };
            let (link, span) = match links.get(position) {
                Some((link, place)) => (*link, place.clone()),
                None => (None, span),
            };
            paths.push(Path { css: row.css, chpid, link, span });
        }
    }
    for extra in links.unwrap_or_default() {
        report_counts(extra.css, 0, extra.entries.len(), &extra.span, findings);
    }
    paths
}

/// Returns the channels that the system may attach by itself, `*` in PATH, by CSS.
fn managed(statement: &Statement, definitions: &Definitions) -> Vec<(u8, u8)> {
    let mut all: Vec<(u8, u8)> = Vec::new();
    for sublist in statement.value("PATH").map(split).unwrap_or_default() {
        let tagged = sublist.tag.and_then(|tag| match &tag.form {
            Form::Css(ids) => ids.first().and_then(plain_decimal),
            _ => None,
        });
        let css = tagged.and_then(|css| u8::try_from(css).ok()).or(definitions.partitions.untagged_css());
        let stars = sublist.values.iter().flat_map(Value::elements).filter(|one| one.atom() == Some("*"));
        if let (Some(css), Ok(count @ 1..)) = (css, u8::try_from(stars.count())) {
            all.push((css, count));
        }
    }
    all
}

/// Reports R245.
fn report_counts(css: u8, chpids: usize, links: usize, span: &Range<usize>, findings: &mut Findings) {
    let message = findings
        .error(
            245,
            span,
            format!("PATH has {chpids} channels in CSS {css} but LINK has {links} link addresses"),
        )
        .fix("give one link address for each channel, ** where there is none");
    findings.report(message);
}

fn read_rows<T>(
    value: &Value,
    scope: CssScope<'_>,
    findings: &mut Findings,
    entry: impl Fn(&Value, &mut Findings) -> Option<T>,
) -> Vec<Row<T>> {
    let mut rows: Vec<Row<T>> = Vec::new();
    if matches!(value.sole().atom(), Some("*" | "**" | "****")) {
        return rows;
    }
    for sublist in split(value) {
        let Some(css) = scope.one(&sublist, findings) else { continue };
        let values = match sublist.values {
            [only] => only.elements(),
            values => values,
        };
        let entries: Vec<_> =
            values.iter().map(|value| (entry(value, findings), value.span.clone())).collect();
        match rows.iter_mut().find(|row| row.css == css) {
            Some(row) => row.entries.extend(entries),
            None => rows.push(Row { css, entries, span: sublist.span }),
        }
    }
    rows
}

/// Reads a link address of two or four hex digits; `**` or `****` for none (G18).
fn read_link(value: &Value, findings: &mut Findings) -> Option<LinkAddress> {
    let word = value.atom().unwrap_or_default();
    if matches!(word, "**" | "****" | "*") {
        return None;
    }
    let hex = word.chars().all(|ch| ch.is_ascii_hexdigit());
    let byte = |digits: &str| u8::from_str_radix(digits, 16).ok();
    let link = match word.len() {
        2 if hex => byte(word).map(|port| LinkAddress { switch: None, port }),
        4 if hex => byte(&word[2..]).map(|port| LinkAddress { switch: byte(&word[..2]), port }),
        _ => None,
    };
    if link.is_none() {
        let words = format!("\"{value}\" is not a link address of two or four hex digits");
        findings.report(findings.error(126, &value.span, words).fix("write ** for no link address"));
    }
    link
}

/// Checks R232, and the limit of paths in a channel subsystem.
fn check_rows(rows: &[Row<u8>], findings: &mut Findings) {
    for row in rows {
        let coded = || row.entries.iter().filter_map(|(chpid, span)| Some(((*chpid)?, span)));
        for (index, (chpid, span)) in coded().enumerate() {
            if let Some((_, first)) = coded().take(index).find(|(earlier, _)| *earlier == chpid) {
                let message = findings
                    .error(232, span, format!("duplicate channel {chpid:02X} in CSS {}", row.css))
                    .other(findings.label(first, "listed first here"))
                    .fix("list each channel once");
                findings.report(message);
            }
        }
        if let Some((_, span)) = row.entries.get(PATHS_PER_CSS_MAX) {
            let words =
                format!("{} channels in CSS {}, limit {PATHS_PER_CSS_MAX}", row.entries.len(), row.css);
            findings.report(findings.error(140, span, words).fix("keep eight channels"));
        }
    }
}

/// Reads UNITADD: `0A`, `((0A))`, `((00,16))`, `((00,16),(20,16))`; R233.
fn read_unit_addresses(value: &Value, findings: &mut Findings) -> Vec<(u8, u16)> {
    let elements = value.elements();
    if matches!(elements, [first, second] if first.atom().is_some() && second.atom().is_some()) {
        let message = findings
            .error(
                OPENING_EXPECTED,
                &elements[0].span,
                "expected `(`: a unit address with a count needs double parentheses",
            )
            .fix(format!("write UNITADD=({value})"));
        findings.report(message);
        return Vec::new();
    }
    let mut ranges: Vec<(u8, u16, &Value)> = Vec::new();
    for element in elements {
        let (first, count) = match element.elements() {
            [first] => (first, None),
            [first, count] => (first, Some(count)),
            _ => {
                malformed(element, "(unit address,count)", findings);
                continue;
            }
        };
        let Some(first) = hex_byte(first.sole(), UNIT_ADDRESS, findings) else { continue };
        let count = match count {
            None => Some(1),
            Some(count) => {
                decimal(count, "a number", 1..=256, findings).and_then(|count| u16::try_from(count).ok())
            }
        };
        let Some(count) = count else { continue };
        if u16::from(first) + count > 256 {
            let words = format!("{count} unit addresses from {first:02X} on run past FF");
            findings.report(findings.error(233, &element.span, words).fix("lower the count"));
            continue;
        }
        let overlaps = |range: &&(u8, u16, &Value)| {
            u16::from(range.0) < u16::from(first) + count && u16::from(first) < u16::from(range.0) + range.1
        };
        if let Some((_, _, other)) = ranges.iter().find(overlaps) {
            let message = findings
                .error(233, &element.span, "unit addresses overlap")
                .other(findings.label(&other.span, "with this range"))
                .fix("make the ranges separate");
            findings.report(message);
        }
        ranges.push((first, count, element));
    }
    ranges.into_iter().map(|(first, count, _)| (first, count)).collect()
}

/// Reports undefined channels, each once for all its channel subsystems, and none after errors in CHPID statements.
fn report_undefined(paths: &[Path], definitions: &mut Definitions, findings: &mut Findings) {
    if definitions.channel_errors {
        return;
    }
    let mut new: Vec<(&Path, Vec<String>)> = Vec::new();
    for path in paths {
        let key = (path.css, path.chpid);
        if definitions.channel_index.contains_key(&key) || !definitions.undefined_channels.insert(key) {
            continue;
        }
        match new.iter_mut().find(|(other, _)| other.chpid == path.chpid) {
            Some((_, css)) => css.push(path.css.to_string()),
            None => new.push((path, vec![path.css.to_string()])),
        }
    }
    for (path, css) in new {
        let words = format!(
            "channel {:02X} is not defined in CSS {} by an earlier CHPID",
            path.chpid,
            css.join(", ")
        );
        let message = findings
            .error(CHANNEL_UNDEFINED, &path.span, words)
            .fix("add the CHPID statement before this one");
        findings.report(message);
    }
}

/// Applies the meaning of UNITADD for the channel types: required (R122), one range only (R236), or not codable at
/// all.
fn settle_unit_addresses(
    statement: &Statement,
    unit: &mut Unit,
    definitions: &Definitions,
    findings: &mut Findings,
) {
    let channels = unit.channels.iter().flatten().filter_map(|&index| definitions.channels.get(index));
    let kind = channels.filter(|channel| channel.sound).find_map(|channel| channel.kind);
    let attached = !unit.channels.is_empty();
    let ranges = &mut unit.definition.unit_addresses;
    let Some(kind) = kind else {
        if !attached && ranges.is_empty() {
            ranges.push((0, 256));
        }
        return;
    };
    match statement.value("UNITADD") {
        None if kind.codes_unit_addresses => {
            let words = format!("CNTLUNIT on TYPE={} needs UNITADD", kind.name);
            let message = findings.error(122, &statement.operation.span, words).fix("add UNITADD=((00,256))");
            findings.report(message);
        }
        None => ranges.push((0, 256)),
        Some(value) if kind.one_unit_address_range && ranges.len() > 1 => {
            let second = value.elements().get(1).map_or(&value.span, |second| &second.span);
            let words = format!("TYPE={} allows one range of unit addresses", kind.name);
            findings.report(findings.error(236, second, words).fix("join the ranges into one"));
        }
        Some(_) if !kind.codes_unit_addresses => *ranges = vec![(0, 256)],
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;

    use super::*;

    #[test]
    fn a_link_has_one_or_two_bytes_or_is_absent() {
        let value = |word: &str| Value { form: Form::Atom(word.to_owned()), span: 0..word.len() };
        let mut findings = Findings::new(&SourceFile::new("x", ""));
        assert_eq!(read_link(&value("04"), &mut findings), Some(LinkAddress { switch: None, port: 4 }));
        assert_eq!(
            read_link(&value("1104"), &mut findings),
            Some(LinkAddress { switch: Some(0x11), port: 4 })
        );
        assert_eq!(read_link(&value("**"), &mut findings), None);
        assert_eq!(read_link(&value("****"), &mut findings), None);
        assert_eq!(findings.errors(), 0);
        assert_eq!(read_link(&value("104"), &mut findings), None);
        assert_eq!(findings.into_list()[0].number, 126);
    }
}
