//! ACTIVATE ISLINK statements against the channel-to-channel connections of a deck.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::deck::{
    ISLINK_CROSSED, ISLINK_DEVICE, ISLINK_MIXED, ISLINK_NO_END, ISLINK_PARTNER, ISLINK_TOO_MANY,
    ISLINK_TWICE, ISLINK_UNSTRIPED,
};
use halftrack_input::{Diagnostic, Label, Severity, SourceFile};

use super::devices::{LinkEnd, devices};
use super::statements::{Activation, activations};
use crate::ctc::islink::DEVICES_MAX;
use crate::ctc::{Image, connections};
use crate::model::Deck;

/// A device that a statement names.
#[derive(Clone)]
struct Member<'a> {
    number: u16,
    span: Range<usize>,
    end: LinkEnd<'a>,
}

/// Reports faults of the logical links that `config`, of the system in `partition`, makes of the devices of `deck`.
pub fn check_system_config(deck: &Deck, partition: &str, config: &Arc<SourceFile>) -> Vec<Diagnostic> {
    let Some(system) = Image::all(deck, 0).find(|image| image.name == partition) else {
        let names: Vec<String> = Image::all(deck, 0).map(|image| image.name).collect();
        let words = format!("the deck has no partition {partition}");
        let message = Diagnostic::error(ISLINK_DEVICE, config, 0..0, words);
        return vec![message.fix(format!("partitions are {}", names.join(", ")))];
    };
    let found = connections(&[deck], &[]);
    let known = devices(&found, &system);
    let (statements, errors) = activations(config);
    let mut check = Check { deck, config, partition, known: &known, named: BTreeMap::new(), found: errors };
    let mut links: Vec<(Option<String>, Vec<Member<'_>>, Range<usize>)> = Vec::new();
    for statement in &statements {
        let members = check.members(statement);
        let node = statement.node.as_ref();
        let span = node.map_or_else(|| statement.devices[0].1.clone(), |(_, span)| span.clone());
        let name = node.map(|(name, _)| name.clone());
        match links.iter_mut().find(|(one, ..)| name.is_some() && *one == name) {
            Some((_, all, _)) => all.extend(members),
            None => links.push((name, members, span)),
        }
    }
    for (place, (name, members, span)) in links.iter().enumerate() {
        check.link(members);
        let first = members.first();
        let other = links[..place].iter().find(|(one, others, _)| {
            let partner = first.zip(others.first());
            one != name && partner.is_some_and(|(first, other)| first.end.has_partner_of(&other.end))
        });
        if let (Some((_, _, earlier)), Some(first)) = (other, first) {
            let words = format!("another logical link leads to {} already", first.end.partner());
            let message = check.message(ISLINK_PARTNER, Severity::Error, span, words);
            let message = message.other(Label::new(config, earlier.clone(), "the other link"));
            check.found.push(
                message.fix("give both statements the name of one node, or use the devices of another"),
            );
        }
    }
    check.found.sort_by_key(|message| (message.at.span.start, message.number));
    check.found
}

struct Check<'a> {
    deck: &'a Deck,
    config: &'a Arc<SourceFile>,
    partition: &'a str,
    known: &'a BTreeMap<u16, LinkEnd<'a>>,
    /// Where each device was named first.
    named: BTreeMap<u16, Range<usize>>,
    found: Vec<Diagnostic>,
}

impl<'a> Check<'a> {
    fn message(&self, number: u16, severity: Severity, span: &Range<usize>, words: String) -> Diagnostic {
        Diagnostic::error(number, self.config, span.clone(), words).severity(severity)
    }

    /// Adds a message about `member`, which shows its control unit.
    fn report(&mut self, number: u16, severity: Severity, member: &Member<'_>, words: &str, fix: &str) {
        let words = format!("device {:04X} {words}", member.number);
        let message = self.message(number, severity, &member.span, words);
        let unit = Label::new(&self.deck.source, member.end.own.span.clone(), "its control unit");
        self.found.push(message.other(unit).fix(fix));
    }

    /// Returns the devices of a statement that can be used, in its order. Checks that each is one and in no link yet.
    fn members(&mut self, statement: &Activation) -> Vec<Member<'a>> {
        let mut members = Vec::new();
        for (number, span) in &statement.devices {
            if let Some(first) = self.named.get(number) {
                let words = format!("device {number:04X} is in a logical link already");
                let message = self.message(ISLINK_TWICE, Severity::Error, span, words);
                let message =
                    message.other(Label::new(self.config, first.clone(), "where it was named first"));
                self.found.push(message.fix("name it once, in one link"));
                continue;
            }
            self.named.insert(*number, span.clone());
            match self.known.get(number) {
                Some(end) => members.push(Member { number: *number, span: span.clone(), end: *end }),
                None => {
                    let (words, label) = self.why_unknown(*number);
                    let words = format!("device {number:04X} {words}");
                    let message = self.message(ISLINK_DEVICE, Severity::Error, span, words);
                    let labels = label.map(|at| Label::new(&self.deck.source, at, "the IODEVICE"));
                    let message = labels.into_iter().fold(message, Diagnostic::other);
                    self.found
                        .push(message.fix("name a device on a control unit of UNIT=FCTC of the partition"));
                }
            }
        }
        members
    }

    /// Returns why a device is none of the partition's ends, and the statement that defines it.
    fn why_unknown(&self, number: u16) -> (String, Option<Range<usize>>) {
        let holds = |first: u16, count: u16| {
            (u32::from(first)..u32::from(first) + u32::from(count)).contains(&u32::from(number))
        };
        let mut devices = self.deck.devices.iter();
        let Some(device) = devices.find(|device| holds(device.number.value, device.count)) else {
            return ("is not defined in the deck".to_owned(), None);
        };
        let is_end = device.control_units.iter().any(|named| {
            let mut units = self.deck.control_units.iter();
            units.any(|unit| {
                unit.number.value == named.value
                    && crate::model::unit::is_channel_to_channel(&unit.unit.value)
            })
        });
        let words = if is_end {
            format!("is not accessible to {}", self.partition)
        } else {
            format!("is UNIT={}, on no channel-to-channel control unit", device.unit.value)
        };
        (words, Some(device.number.span.clone()))
    }

    /// Checks the devices of one link against each other.
    fn link(&mut self, members: &[Member<'a>]) {
        let Some(first) = members.first() else { return };
        if let Some(more) = members.get(DEVICES_MAX) {
            let words = format!("is the seventeenth of {}: a logical link has {DEVICES_MAX}", members.len());
            self.report(
                ISLINK_TOO_MANY,
                Severity::Error,
                more,
                &words,
                "leave out those behind the sixteenth",
            );
            return;
        }
        if let Some(stray) = members.iter().find(|member| !member.end.has_partner_of(&first.end)) {
            let words = format!(
                "leads to {}, and {:04X} of the same link to {}",
                stray.end.partner(),
                first.number,
                first.end.partner()
            );
            self.report(ISLINK_PARTNER, Severity::Error, stray, &words, "make a link for each partner");
            return;
        }
        if let Some(other) = members.iter().find(|member| member.end.is_ficon() != first.end.is_ficon()) {
            let words = format!(
                "is on a channel of TYPE={}, and {:04X} of the same link on TYPE={}",
                other.end.own.channel_type, first.number, first.end.own.channel_type
            );
            self.report(ISLINK_MIXED, Severity::Warning, other, &words, "use the FICON devices alone");
        }
        // Where the partner is in the deck, so are the ends of all its devices.
        if members.iter().any(|member| member.end.other.is_some())
            && let Some(alone) = members.iter().find(|member| member.end.other.is_none())
        {
            let fix = "define it there; `halftrack deck ctc --make` writes it";
            self.report(ISLINK_NO_END, Severity::Warning, alone, "has no other end in the deck", fix);
        }
        self.crossed(members);
        self.unstriped(members);
    }

    /// Advises on devices of one channel that lead to different ones.
    fn crossed(&mut self, members: &[Member<'a>]) {
        for (place, member) in members.iter().enumerate() {
            let same = |earlier: &&Member<'_>| earlier.end.own.channel == member.end.own.channel;
            let Some(earlier) = members[..place].iter().find(same) else { continue };
            if !earlier.end.has_channel_of(&member.end) {
                let words = format!(
                    "and {:04X} are on channel {:02X} and lead to different channels",
                    earlier.number, member.end.own.chpid
                );
                let fix = "lead all devices of a channel to one channel";
                self.report(ISLINK_CROSSED, Severity::Advice, member, &words, fix);
                return;
            }
        }
    }

    /// Advises on neighbours in number on one channel, where there need be none.
    fn unstriped(&mut self, members: &[Member<'a>]) {
        let mut order: Vec<&Member<'_>> = members.iter().collect();
        order.sort_by_key(|member| member.number);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for member in &order {
            *counts.entry(member.end.own.channel).or_default() += 1;
        }
        let is_same = |pair: &&[&Member<'_>]| pair[0].end.own.channel == pair[1].end.own.channel;
        let neighbours = order.windows(2).filter(is_same).count();
        // The devices of the fullest channel have the others between them as far as these go.
        let most = counts.values().copied().max().unwrap_or(0);
        let least = (2 * most).saturating_sub(order.len() + 1);
        if neighbours > least
            && let Some(pair) = order.windows(2).find(is_same)
        {
            let words =
                format!("and {:04X} are both on channel {:02X}", pair[0].number, pair[1].end.own.chpid);
            let fix =
                "stripe the numbers over the channels; `halftrack deck ctc --islink` writes the statements";
            self.report(ISLINK_UNSTRIPED, Severity::Advice, pair[1], &words, fix);
        }
    }
}
