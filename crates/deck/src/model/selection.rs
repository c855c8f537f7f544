//! The part of a deck that a filter leaves.
//!
//! Conditions hold for chains: channel path - control unit - device. A channel path stays when it fits by itself and,
//! once control units or devices have conditions, leads to one that stays; the others likewise. Functions are chains
//! of one link. `grep` applies to each statement by itself.

use std::collections::BTreeSet;

use crate::model::filter::{Filter, NumberRange};
use crate::model::paths::Paths;
use crate::model::{Adapter, ChannelPath, ControlUnit, Deck, DeviceRange, Function, Partition, Path};
use crate::syntax::annotations::{Annotation, Annotations, PREFIXES};

/// The part of a deck that stays.
#[derive(Debug, Clone)]
pub struct Selection<'d> {
    /// The whole deck.
    pub deck: &'d Deck,
    /// The ways through the whole deck.
    pub paths: Paths,
    filter: Filter,
    /// For each channel path the channel subsystems that stay.
    channels: Vec<Vec<u8>>,
    units: Vec<bool>,
    devices: Vec<bool>,
}

impl<'d> Selection<'d> {
    /// Selects everything.
    pub fn all(deck: &'d Deck) -> Self {
        Self::of(deck, Filter::default())
    }

    /// Selects the part of `deck` that `filter` leaves.
    pub fn of(deck: &'d Deck, filter: Filter) -> Self {
        let paths = Paths::of(deck);
        let fits = |channel: &ChannelPath, css: u8| channel_fits(&filter, channel, css);
        let kept =
            |channel: &ChannelPath| channel.css.iter().copied().filter(|css| fits(channel, *css)).collect();
        let mut channels: Vec<Vec<u8>> = deck.channel_paths.iter().map(kept).collect();
        let selects_channels = filter.selects_channels();
        let selects_devices = filter.selects_devices();
        let mut units = vec![false; deck.control_units.len()];
        let mut devices = vec![false; deck.devices.len()];
        for (unit, stays) in deck.control_units.iter().zip(&mut units) {
            let leg = |path: &Path| stays_of(&paths, &channels, path);
            if !filter.unit_fits(unit) || (selects_channels && !unit.paths.iter().any(leg)) {
                continue;
            }
            *stays = !selects_devices || (filter.device.is_empty() && named(&filter.unit, &unit.unit.value));
            for &device in paths.devices_of(unit) {
                if device_fits(&filter, unit, &deck.devices[device]) {
                    (devices[device], *stays) = (true, true);
                }
            }
        }
        if !filter.selects_channels() && filter.control_unit.is_empty() {
            // Devices of control units that are not defined, in a deck with errors.
            for (range, stays) in deck.devices.iter().zip(&mut devices) {
                let by_itself = filter.unit.is_empty() || named(&filter.unit, &range.unit.value);
                *stays |= by_itself && device_fits_alone(&filter, range);
            }
        }
        if selects_devices || !filter.control_unit.is_empty() {
            for (channel, css) in deck.channel_paths.iter().zip(&mut channels) {
                let reached = paths.units_of(channel);
                css.retain(|css| {
                    reached.iter().any(|&unit| {
                        let on_it = |path: &Path| path.css == *css && path.chpid == channel.chpid.value;
                        units[unit] && deck.control_units[unit].paths.iter().any(on_it)
                    })
                });
            }
        }
        let mut selection = Self { deck, paths, filter, channels, units, devices };
        selection.grep();
        selection
    }

    /// Takes away every statement without one of the words.
    fn grep(&mut self) {
        if self.filter.grep.is_empty() {
            return;
        }
        let deck = self.deck;
        for (channel, css) in deck.channel_paths.iter().zip(&mut self.channels) {
            if !has_words(deck, &self.filter, channel.span.clone()) {
                css.clear();
            }
        }
        for (unit, stays) in deck.control_units.iter().zip(&mut self.units) {
            *stays = *stays && has_words(deck, &self.filter, unit.span.clone());
        }
        for (range, stays) in deck.devices.iter().zip(&mut self.devices) {
            *stays = *stays && has_words(deck, &self.filter, range.span.clone());
        }
    }

    /// Returns channel paths with the channel subsystems that stay.
    pub fn channel_paths(&self) -> impl Iterator<Item = (&'d ChannelPath, &[u8])> {
        let both = self.deck.channel_paths.iter().zip(self.channels.iter().map(Vec::as_slice));
        both.filter(|(_, css)| !css.is_empty())
    }

    /// Returns control units.
    pub fn control_units(&self) -> impl Iterator<Item = &'d ControlUnit> {
        self.deck.control_units.iter().zip(&self.units).filter(|(_, stays)| **stays).map(|(unit, _)| unit)
    }

    /// Returns devices, by statement.
    pub fn devices(&self) -> impl Iterator<Item = &'d DeviceRange> {
        self.deck.devices.iter().zip(&self.devices).filter(|(_, stays)| **stays).map(|(range, _)| range)
    }

    /// Returns true when the control unit number `index` of the deck stays.
    pub fn has_unit(&self, index: usize) -> bool {
        self.units.get(index).copied().unwrap_or_default()
    }

    /// Returns true when the device range number `index` of the deck stays.
    pub fn has_device(&self, index: usize) -> bool {
        self.devices.get(index).copied().unwrap_or_default()
    }

    /// Returns true when the channel of `path` stays. An undefined channel meets no condition.
    pub fn has_path(&self, path: &Path) -> bool {
        match self.paths.channel(path.css, path.chpid) {
            Some(_) => stays_of(&self.paths, &self.channels, path),
            None => !self.filter.selects_channels(),
        }
    }

    /// Returns partitions, by channel subsystem and name.
    pub fn partitions(&self) -> impl Iterator<Item = &'d Partition> {
        let Filter { css, lpar, .. } = &self.filter;
        self.deck.partitions.iter().filter(move |one| {
            let name = one.name.as_deref().unwrap_or_default();
            (css.is_empty() || css.contains(&one.css)) && (lpar.is_empty() || named(lpar, name))
        })
    }

    /// Returns functions.
    pub fn functions(&self) -> impl Iterator<Item = &'d Function> {
        self.deck.functions.iter().filter(|function| {
            function_fits(&self.filter, function) && has_words(self.deck, &self.filter, function.span.clone())
        })
    }

    /// Returns the `annotations` whose statement stays. Those of ID, RESOURCE and of no statement stay as long as
    /// there is no condition.
    pub fn annotations<'a>(&self, annotations: &'a Annotations) -> impl Iterator<Item = &'a Annotation> {
        let mut stays: BTreeSet<usize> =
            self.channel_paths().map(|(channel, _)| channel.span.start).collect();
        stays.extend(self.control_units().map(|unit| unit.span.start));
        stays.extend(self.devices().map(|range| range.span.start));
        stays.extend(self.functions().map(|function| function.span.start));
        let whole = self.filter == Filter::default();
        let kept =
            move |one: &&Annotation| whole || one.statement.is_some_and(|start| stays.contains(&start));
        annotations.all().iter().filter(kept)
    }

    /// Returns the selection as a deck of its own. It has channel paths in the channel subsystems that stay, control
    /// units with the paths that stay, and all partitions that the filter names.
    pub fn part(&self) -> Deck {
        let mut part = self.deck.clone();
        part.partitions = self.partitions().cloned().collect();
        let here = |css: u8, name: &str| {
            part.partitions.iter().any(|one| one.css == css && one.name.as_deref() == Some(name))
        };
        part.channel_paths = self
            .channel_paths()
            .map(|(channel, css)| {
                let mut channel = channel.clone();
                channel.css = css.to_vec();
                channel.access.retain(|(of, name)| css.contains(of) && here(*of, name));
                channel
            })
            .collect();
        part.control_units = self
            .control_units()
            .map(|unit| {
                let mut unit = unit.clone();
                unit.paths.retain(|path| self.has_path(path));
                unit
            })
            .collect();
        part.devices = self.devices().cloned().collect();
        part.functions = self.functions().cloned().collect();
        part
    }

    /// Returns true when nothing stays.
    pub fn is_empty(&self) -> bool {
        self.channels.iter().all(Vec::is_empty)
            && !self.units.contains(&true)
            && !self.devices.contains(&true)
            && self.functions().next().is_none()
    }
}

fn stays_of(paths: &Paths, channels: &[Vec<u8>], path: &Path) -> bool {
    paths.channel(path.css, path.chpid).is_some_and(|channel| channels[channel].contains(&path.css))
}

impl Filter {
    /// Returns true when a condition concerns channel paths.
    fn selects_channels(&self) -> bool {
        let Self { css, chpid, pchid, kind, switch, lpar, pnetid, fid, .. } = self;
        let words = [kind, lpar, pnetid].iter().any(|list| !list.is_empty());
        !css.is_empty() || words || [chpid, pchid, switch, fid].iter().any(|list| !list.is_empty())
    }

    /// Returns true when a condition concerns devices.
    fn selects_devices(&self) -> bool {
        !self.device.is_empty() || !self.unit.is_empty()
    }

    fn unit_fits(&self, unit: &ControlUnit) -> bool {
        any(&self.control_unit, unit.number.value) && self.fid.is_empty()
    }
}

fn named(wanted: &[String], name: &str) -> bool {
    wanted.iter().any(|one| one.eq_ignore_ascii_case(name))
}

fn any(wanted: &[NumberRange], number: u16) -> bool {
    wanted.is_empty() || wanted.iter().any(|range| range.holds(number))
}

/// Returns true without a condition, or when `number` exists and meets it.
fn maybe(wanted: &[NumberRange], number: Option<u16>) -> bool {
    wanted.is_empty() || number.is_some_and(|number| any(wanted, number))
}

fn networks(wanted: &[String], pnetids: &[Option<String>]) -> bool {
    wanted.is_empty() || pnetids.iter().flatten().any(|name| named(wanted, name))
}

/// Returns true when the partitions of `lists` in `css` (in all when none is given) have one that the filter names.
fn partitions(wanted: &[String], css: Option<u8>, lists: [&[(u8, String)]; 2]) -> bool {
    let mut all = lists.into_iter().flatten().filter(|(of, _)| css.is_none_or(|css| css == *of));
    wanted.is_empty() || all.any(|(_, name)| named(wanted, name))
}

fn channel_fits(filter: &Filter, channel: &ChannelPath, css: u8) -> bool {
    let port = channel.pchid.as_ref().or(channel.vchid.as_ref()).map(|port| port.value);
    filter.fid.is_empty()
        && (filter.css.is_empty() || filter.css.contains(&css))
        && any(&filter.chpid, u16::from(channel.chpid.value))
        && maybe(&filter.pchid, port)
        && (filter.kind.is_empty() || named(&filter.kind, &channel.channel_type.value))
        && maybe(&filter.switch, channel.switch.as_ref().map(|switch| u16::from(switch.value)))
        && partitions(&filter.lpar, Some(css), [&channel.access, &channel.candidates])
        && networks(&filter.pnetid, &channel.pnetids)
}

fn device_fits(filter: &Filter, unit: &ControlUnit, range: &DeviceRange) -> bool {
    let by_unit = filter.unit.is_empty() || named(&filter.unit, &unit.unit.value);
    (by_unit || named(&filter.unit, &range.unit.value)) && device_fits_alone(filter, range)
}

fn device_fits_alone(filter: &Filter, range: &DeviceRange) -> bool {
    let numbers = |wanted: &NumberRange| wanted.meets(range.number.value, range.last());
    (filter.device.is_empty() || filter.device.iter().any(numbers))
        && (range.candidates.is_empty() || partitions(&filter.lpar, None, [&range.candidates, &[]]))
}

fn function_fits(filter: &Filter, function: &Function) -> bool {
    let Filter { chpid, switch, control_unit, device, .. } = filter;
    let of_channels = [chpid, switch, control_unit, device].iter().any(|list| !list.is_empty());
    let port = function.adapter.as_ref().map(|adapter| match adapter.value {
        Adapter::Pchid(number) | Adapter::Vchid(number) => number,
    });
    let access: Vec<(u8, String)> = function.access.iter().cloned().collect();
    let css = |css: u8| filter.css.contains(&css);
    let in_css = filter.css.is_empty() || access.iter().chain(&function.candidates).any(|(of, _)| css(*of));
    let kind = function.kind.as_ref().map_or("", |kind| kind.value.as_str());
    let fids = |wanted: &NumberRange| wanted.meets(function.fid.value, function.last_fid());
    !of_channels
        && filter.unit.is_empty()
        && in_css
        && (filter.fid.is_empty() || filter.fid.iter().any(fids))
        && maybe(&filter.pchid, port)
        && (filter.kind.is_empty() || named(&filter.kind, kind))
        && partitions(&filter.lpar, None, [&access, &function.candidates])
        && networks(&filter.pnetid, &function.pnetids)
}

/// Returns true when the cards of `span` have one of the words of `filter`. Comments beside the operand and cards of
/// HCD about it count.
fn has_words(deck: &Deck, filter: &Filter, span: std::ops::Range<usize>) -> bool {
    if filter.grep.is_empty() {
        return true;
    }
    let text = deck.source.text.as_str();
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at);
    let mut cards = text[start..end].to_uppercase();
    // Behind it, cards of HCD that are about it, between other comments.
    let behind = text[end..].split('\n').skip(1).take_while(|card| card.starts_with('*'));
    let of_hcd = behind.filter(|card| PREFIXES.iter().any(|prefix| card.starts_with(prefix)));
    of_hcd.for_each(|card| cards += &card.to_uppercase());
    filter.grep.iter().any(|word| cards.contains(&word.to_uppercase()))
}
