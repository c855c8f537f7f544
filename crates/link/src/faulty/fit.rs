//! Events of a script fitted to the parts of one process.

use halftrack_base::Span;
use halftrack_config::fault_script::{FaultKind, ScriptFile, Target, WrittenEvent};
use halftrack_input::Diagnostic;
use halftrack_input::messages::study;

use super::line_faults::LineFault;
use super::process_parts::ProcessParts;

/// Channels of a card, and domains of a control unit, whose ports they share in turn: as in virtual time.
const CHANNELS_OF_CARD: usize = 2;
const DOMAINS: usize = 2;
/// Domains of directors (FC-SW).
const DIRECTOR_DOMAINS: std::ops::RangeInclusive<u8> = 0x01..=0xEF;

/// Fault of the process itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessFault {
    /// When, from the start of the script.
    pub at: Span,
    /// How long it does nothing; nothing when it ends at once.
    pub stops: Option<Span>,
}

/// Events of a script that happen to one process.
#[derive(Debug, Default)]
pub struct Fitted {
    /// Faults of its lines, in their order.
    pub lines: Vec<Vec<LineFault>>,
    /// Faults of itself.
    pub process: Vec<ProcessFault>,
    /// Events that happen elsewhere, in words.
    pub elsewhere: Vec<String>,
}

/// The part of an event, as one process sees it.
enum Part {
    /// These of its lines.
    Lines(Vec<usize>),
    /// Itself.
    Process,
    /// A part of another process.
    Elsewhere,
}

/// Fits a script to a process.
///
/// # Errors
/// A message for every part that no process can have, or that this one would have to have.
pub fn fit(script: &ScriptFile, parts: &ProcessParts) -> Result<Fitted, Vec<Diagnostic>> {
    let mut fitted = Fitted { lines: vec![Vec::new(); parts.lines()], ..Fitted::default() };
    let mut wrong = Vec::new();
    for event in &script.events {
        match part_of(event, parts) {
            Ok(Part::Lines(lines)) => {
                for line in lines {
                    fitted.lines[line].push(line_fault(event));
                }
            }
            Ok(Part::Process) => {
                let stops = (event.kind == FaultKind::ProcessStopped).then_some(event.lasts.value);
                fitted.process.push(ProcessFault { at: event.at.value, stops });
            }
            Ok(Part::Elsewhere) => fitted.elsewhere.push(words(event)),
            Err((message, fix)) => wrong.push(refusal(script, event, message, fix)),
        }
    }
    if wrong.is_empty() { Ok(fitted) } else { Err(wrong) }
}

fn line_fault(event: &WrittenEvent) -> LineFault {
    LineFault {
        at: event.at.value,
        lasts: event.lasts.value,
        kind: event.kind,
        share_ppm: (event.share * 1e6).round() as u32,
        late: event.late,
    }
}

/// Returns the event in words: `light-lost of chpid 40`.
fn words(event: &WrittenEvent) -> String {
    match &event.part {
        Some((target, name)) => format!("{} of {} {}", event.kind.word(), target.key(), name.value),
        None => event.kind.word().to_owned(),
    }
}

fn refusal(script: &ScriptFile, event: &WrittenEvent, message: String, fix: &str) -> Diagnostic {
    let span = event.part.as_ref().map_or(event.at.span.clone(), |(_, name)| name.span.clone());
    Diagnostic::error(study::EVENT_MISSES, &script.source, span, message).fix(fix)
}

/// Result with the message and the fix for a part that nothing has.
type Sought = Result<Part, (String, &'static str)>;

fn part_of(event: &WrittenEvent, parts: &ProcessParts) -> Sought {
    let Some((target, name)) = &event.part else { return Ok(of_control_unit(event.kind, parts)) };
    let name = name.value.as_str();
    let none = |fix| Err((format!("there can be no {} {name}", target.key()), fix));
    match target {
        Target::Chpid => match hexadecimal(name) {
            Some(chpid) => Ok(lines_where(channel(parts), |_, own| *own == chpid)),
            None => none("write two hexadecimal digits, such as \"40\""),
        },
        Target::Card => match name.parse::<usize>() {
            Ok(card) => Ok(lines_where(channel(parts), |place, _| place / CHANNELS_OF_CARD == card)),
            Err(_) => none("count the cards from \"0\"; a card has two of the channel paths, in their order"),
        },
        Target::Port if name.len() == 4 && u16::from_str_radix(name, 16).is_ok() => {
            Ok(lines_where(control_unit(parts), |_, own| own.eq_ignore_ascii_case(name)))
        }
        Target::Port => none("write four hexadecimal digits, such as \"0030\""),
        Target::Domain => match name.parse::<usize>() {
            Ok(domain) if domain < DOMAINS => {
                Ok(lines_where(control_unit(parts), |place, _| place % DOMAINS == domain))
            }
            _ => none("write \"0\" or \"1\""),
        },
        Target::Director => match hexadecimal(name).filter(|domain| DIRECTOR_DOMAINS.contains(domain)) {
            Some(domain) => Ok(of_director(event.kind, domain, parts)),
            None => none("write the domain of a director, such as \"61\""),
        },
        Target::Isl => isl(name, parts).unwrap_or_else(none),
    }
}

fn hexadecimal(text: &str) -> Option<u8> {
    (text.len() == 2).then(|| u8::from_str_radix(text, 16).ok())?
}

fn channel(parts: &ProcessParts) -> &[u8] {
    if let ProcessParts::Channel { chpids } = parts { chpids } else { &[] }
}

fn control_unit(parts: &ProcessParts) -> &[String] {
    if let ProcessParts::ControlUnit { ports } = parts { ports } else { &[] }
}

fn lines_where<L>(lines: &[L], is_meant: impl Fn(usize, &L) -> bool) -> Part {
    let meant = lines.iter().enumerate().filter(|(place, line)| is_meant(*place, line));
    let meant: Vec<_> = meant.map(|(place, _)| place).collect();
    if meant.is_empty() { Part::Elsewhere } else { Part::Lines(meant) }
}

/// Returns the part of an event without a key: the control unit, or all that has power of its own.
fn of_control_unit(kind: FaultKind, parts: &ProcessParts) -> Part {
    match (kind, parts) {
        (FaultKind::PowerLost, ProcessParts::Director { .. }) => Part::Process,
        (
            FaultKind::PowerLost | FaultKind::ProcessStopped | FaultKind::ProcessKilled,
            ProcessParts::ControlUnit { .. },
        ) => Part::Process,
        (FaultKind::ControlUnitLost, ProcessParts::ControlUnit { ports }) => {
            Part::Lines((0..ports.len()).collect())
        }
        _ => Part::Elsewhere,
    }
}

fn of_director(kind: FaultKind, meant: u8, parts: &ProcessParts) -> Part {
    match (kind, parts) {
        (_, ProcessParts::Director { domain, .. }) if *domain != meant => Part::Elsewhere,
        (FaultKind::DirectorLost, ProcessParts::Director { ports, .. }) => {
            Part::Lines((0..ports.len()).collect())
        }
        (_, ProcessParts::Director { .. }) => Part::Process,
        _ => Part::Elsewhere,
    }
}

/// Returns the inter-switch link of a name, domain and link address; a fix when it is none.
fn isl(name: &str, parts: &ProcessParts) -> Result<Sought, &'static str> {
    let digits = name.split_once('.').and_then(|(domain, area)| hexadecimal(domain).zip(hexadecimal(area)));
    let (meant, area) = digits
        .filter(|(domain, _)| DIRECTOR_DOMAINS.contains(domain))
        .ok_or("write domain and link address, such as \"61.E0\"")?;
    let ProcessParts::Director { domain, ports } = parts else { return Ok(Ok(Part::Elsewhere)) };
    if *domain != meant {
        return Ok(Ok(Part::Elsewhere));
    }
    match lines_where(ports, |_, (own, is_isl)| *is_isl && *own == area) {
        Part::Elsewhere => Ok(Err((
            format!("this director has no isl {name}"),
            "name an inter-switch link of its file: domain and link address",
        ))),
        found => Ok(Ok(found)),
    }
}
