//! The part of a deck that a filter leaves.
//!
//! What is asked for holds for chains: channel path - control unit - device. A channel path stays when it fits by
//! itself and, once control units or devices are asked for, leads to one that stays; the same for the others.
//! Functions are chains of one link. `grep` looks at each statement by itself.

use std::collections::BTreeSet;

use crate::model::filter::{Filter, NumberRange};
use crate::model::paths::Paths;
use crate::model::{Adapter, ChannelPath, ControlUnit, Deck, DeviceRange, Function, Partition, Path};
use crate::syntax::annotations::{Annotation, Annotations, PREFIXES};

/// What stays of a deck.
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
    /// Everything.
    pub fn all(deck: &'d Deck) -> Self {
        Self::of(deck, Filter::default())
    }

    /// What `filter` leaves of `deck`.
    pub fn of(deck: &'d Deck, filter: Filter) -> Self {
        let paths = Paths::of(deck);
        let fits = |channel: &ChannelPath, css: u8| channel_fits(&filter, channel, css);
        let kept =
            |channel: &ChannelPath| channel.css.iter().copied().filter(|css| fits(channel, *css)).collect();
        let mut channels: Vec<Vec<u8>> = deck.channel_paths.iter().map(kept).collect();
        let asks_channel = filter.asks_channel();
        let asks_device = filter.asks_device();
        let mut units = vec![false; deck.control_units.len()];
        let mut devices = vec![false; deck.devices.len()];
        for (unit, stays) in deck.control_units.iter().zip(&mut units) {
            let leg = |path: &Path| stays_of(&paths, &channels, path);
            if !filter.unit_fits(unit) || (asks_channel && !unit.paths.iter().any(leg)) {
                continue;
            }
            *stays = !asks_device || (filter.device.is_empty() && named(&filter.unit, &unit.unit.value));
            for &device in paths.devices_of(unit) {
                if device_fits(&filter, unit, &deck.devices[device]) {
                    (devices[device], *stays) = (true, true);
                }
            }
        }
        if !filter.asks_channel() && filter.control_unit.is_empty() {
            // Devices of control units that are not defined, in a deck with errors.
            for (range, stays) in deck.devices.iter().zip(&mut devices) {
                let by_itself = filter.unit.is_empty() || named(&filter.unit, &range.unit.value);
                *stays |= by_itself && device_fits_alone(&filter, range);
            }
        }
        if asks_device || !filter.control_unit.is_empty() {
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
            if !said(deck, &self.filter, channel.span.clone()) {
                css.clear();
            }
        }
        for (unit, stays) in deck.control_units.iter().zip(&mut self.units) {
            *stays = *stays && said(deck, &self.filter, unit.span.clone());
        }
        for (range, stays) in deck.devices.iter().zip(&mut self.devices) {
            *stays = *stays && said(deck, &self.filter, range.span.clone());
        }
    }

    /// Channel paths with the channel subsystems that stay.
    pub fn channel_paths(&self) -> impl Iterator<Item = (&'d ChannelPath, &[u8])> {
        let both = self.deck.channel_paths.iter().zip(self.channels.iter().map(Vec::as_slice));
        both.filter(|(_, css)| !css.is_empty())
    }

    /// Control units.
    pub fn control_units(&self) -> impl Iterator<Item = &'d ControlUnit> {
        self.deck.control_units.iter().zip(&self.units).filter(|(_, stays)| **stays).map(|(unit, _)| unit)
    }

    /// Devices, by statement.
    pub fn devices(&self) -> impl Iterator<Item = &'d DeviceRange> {
        self.deck.devices.iter().zip(&self.devices).filter(|(_, stays)| **stays).map(|(range, _)| range)
    }

    /// True when the control unit number `index` of the deck stays.
    pub fn has_unit(&self, index: usize) -> bool {
        self.units.get(index).copied().unwrap_or_default()
    }

    /// True when the device range number `index` of the deck stays.
    pub fn has_device(&self, index: usize) -> bool {
        self.devices.get(index).copied().unwrap_or_default()
    }

    /// True when the channel of `path` stays. An undefined channel has nothing to be asked for.
    pub fn has_path(&self, path: &Path) -> bool {
        match self.paths.channel(path.css, path.chpid) {
            Some(_) => stays_of(&self.paths, &self.channels, path),
            None => !self.filter.asks_channel(),
        }
    }

    /// Partitions, by channel subsystem and name.
    pub fn partitions(&self) -> impl Iterator<Item = &'d Partition> {
        let Filter { css, lpar, .. } = &self.filter;
        self.deck.partitions.iter().filter(move |one| {
            let name = one.name.as_deref().unwrap_or_default();
            (css.is_empty() || css.contains(&one.css)) && (lpar.is_empty() || named(lpar, name))
        })
    }

    /// Functions.
    pub fn functions(&self) -> impl Iterator<Item = &'d Function> {
        self.deck.functions.iter().filter(|function| {
            function_fits(&self.filter, function) && said(self.deck, &self.filter, function.span.clone())
        })
    }

    /// Of `annotations` those whose statement stays; those of ID, RESOURCE and of no statement as long as nothing is
    /// asked for.
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

    /// What stays as a deck of its own: channel paths in the channel subsystems that stay, control units with the
    /// paths that stay, and all partitions that are asked for.
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

    /// True when nothing stays.
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
    /// Something is asked of channel paths.
    fn asks_channel(&self) -> bool {
        let Self { css, chpid, pchid, kind, switch, lpar, pnetid, fid, .. } = self;
        let words = [kind, lpar, pnetid].iter().any(|list| !list.is_empty());
        !css.is_empty() || words || [chpid, pchid, switch, fid].iter().any(|list| !list.is_empty())
    }

    /// Something is asked of devices.
    fn asks_device(&self) -> bool {
        !self.device.is_empty() || !self.unit.is_empty()
    }

    fn unit_fits(&self, unit: &ControlUnit) -> bool {
        any(&self.control_unit, unit.number.value) && self.fid.is_empty()
    }
}

fn named(asked: &[String], name: &str) -> bool {
    asked.iter().any(|one| one.eq_ignore_ascii_case(name))
}

fn any(asked: &[NumberRange], number: u16) -> bool {
    asked.is_empty() || asked.iter().any(|range| range.holds(number))
}

/// True when nothing is asked for, or `number` is there and in it.
fn maybe(asked: &[NumberRange], number: Option<u16>) -> bool {
    asked.is_empty() || number.is_some_and(|number| any(asked, number))
}

fn networks(asked: &[String], pnetids: &[Option<String>]) -> bool {
    asked.is_empty() || pnetids.iter().flatten().any(|name| named(asked, name))
}

/// The partitions of `lists` in `css` (all when none is given) have one that is asked for.
fn partitions(asked: &[String], css: Option<u8>, lists: [&[(u8, String)]; 2]) -> bool {
    let mut all = lists.into_iter().flatten().filter(|(of, _)| css.is_none_or(|css| css == *of));
    asked.is_empty() || all.any(|(_, name)| named(asked, name))
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
    let numbers = |asked: &NumberRange| asked.meets(range.number.value, range.last());
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
    let fids = |asked: &NumberRange| asked.meets(function.fid.value, function.last_fid());
    !of_channels
        && filter.unit.is_empty()
        && in_css
        && (filter.fid.is_empty() || filter.fid.iter().any(fids))
        && maybe(&filter.pchid, port)
        && (filter.kind.is_empty() || named(&filter.kind, kind))
        && partitions(&filter.lpar, None, [&access, &function.candidates])
        && networks(&filter.pnetid, &function.pnetids)
}

/// The cards of `span`, comments beside the operand and cards of HCD about it included, have one of the words.
fn said(deck: &Deck, filter: &Filter, span: std::ops::Range<usize>) -> bool {
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
