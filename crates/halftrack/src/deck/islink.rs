//! A logical link of ISFC planned for one or two decks: its devices, wires and statements, or its size alone.

use halftrack_deck::ReadOptions;
use halftrack_deck::ctc::islink::{
    ChannelPair, ChannelRates, DEVICES_MAX, LinkRequest, LogicalLink, Recipe, plan, table,
};
use halftrack_deck::ctc::{GivenPort, Image};
use halftrack_deck::model::Deck;
use serde_json::{Value, json};

use super::islink_json::link_json;
use super::systems::{NodeNames, SystemName, listed};
use crate::option_error::OptionError;

/// Wishes for a logical link.
#[derive(Debug, Clone, Default)]
pub struct LinkOptions {
    /// The two partitions; `None` where the decks have no others.
    pub between: Option<(SystemName, SystemName)>,
    /// Channels, in the order in which they are to be used; none for the size of the link alone.
    pub over: Vec<ChannelPair>,
    /// Devices on each channel; `None` for the published recipe's.
    pub per_channel: Option<usize>,
    /// First device number; `None` for one that is free.
    pub first_device: Option<u16>,
    /// Rate that is wanted, MB/s (10^6 bytes a second) written by each system.
    pub wanted_mb_per_s: Option<f64>,
    /// Rate of one channel in channel-to-channel traffic, MB/s written by each system.
    pub channel_mb_per_s: Option<f64>,
}

/// A planned logical link, or only its size where no channels are given.
#[derive(Debug, Clone)]
pub enum LinkPlan {
    /// The link, with statements.
    Link(Box<LogicalLink>),
    /// Its size.
    Size(LinkSize),
}

/// Channels and devices that carry a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkSize {
    /// Rate that is wanted, MB/s (10^6 bytes a second) written by each system.
    pub wanted_mb_per_s: f64,
    /// Rate of one channel, MB/s written by each system.
    pub channel_mb_per_s: f64,
    /// Channels, and devices on them.
    pub recipe: Recipe,
}

impl LinkPlan {
    /// Plans the link of `wishes` in `decks`, one or two, which were read with `read`. `ports` are ports of channels that
    /// stand in no deck.
    ///
    /// # Errors
    /// All reasons for which there is none.
    pub fn new(
        decks: &[&Deck],
        read: &ReadOptions,
        ports: &[GivenPort],
        nodes: &NodeNames,
        wishes: &LinkOptions,
    ) -> Result<Self, OptionError> {
        if wishes.over.is_empty() {
            return LinkSize::new(wishes).map(Self::Size);
        }
        if wishes.wanted_mb_per_s.is_some() && wishes.channel_mb_per_s.is_none() {
            return Err(OptionError("--rate needs the rate of one channel: give --channel-rate".to_owned()));
        }
        let rates = wishes.channel_mb_per_s.map(|rate| ChannelRates {
            origin: format!("{rate} MB/s a channel by --channel-rate"),
            shared_mb_per_s: Some(rate),
            unshared_mb_per_s: Some(rate),
        });
        let systems = wishes.systems(decks)?;
        let request = LinkRequest {
            decks,
            options: read,
            ports,
            nodes: systems.each_ref().map(|system| nodes.of(system)),
            systems,
            channels: &wishes.over,
            per_channel: wishes.per_channel,
            first_device: wishes.first_device,
            wanted_mb_per_s: wishes.wanted_mb_per_s,
            rates: rates.as_ref(),
        };
        let link = plan(&request).map_err(|reasons| OptionError(reasons.join("\n")))?;
        Ok(Self::Link(Box::new(link)))
    }

    /// Formats the devices and reasons, then the statements of each system for its deck of `decks`; or the size in a line.
    pub fn to_text(&self, decks: &[&Deck]) -> String {
        let link = match self {
            Self::Link(link) => link,
            Self::Size(size) => return size.to_text(),
        };
        let mut text = table(link);
        for (system, cards) in link.systems.iter().zip(&link.cards) {
            text += &format!("\n* {system}, in {}\n{cards}", decks[system.deck].source.name);
        }
        text
    }

    /// Formats the link or its size as JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Link(link) => link_json(link),
            Self::Size(size) => size.to_json(),
        }
    }

    /// Returns the statements that deck `at` needs; none of a size.
    pub fn statements(&self, at: usize) -> String {
        let Self::Link(link) = self else { return String::new() };
        let mine = link.systems.iter().zip(&link.cards).filter(|(system, _)| system.deck == at);
        mine.map(|(_, cards)| cards.as_str()).collect()
    }
}

impl LinkOptions {
    /// Returns the two partitions.
    fn systems(&self, decks: &[&Deck]) -> Result<[Image; 2], OptionError> {
        if let Some((near, far)) = &self.between {
            return Ok([near.image(decks, 0)?, far.image(decks, decks.len() - 1)?]);
        }
        let all: Vec<Image> = decks.iter().enumerate().flat_map(|(at, deck)| Image::all(deck, at)).collect();
        <[Image; 2]>::try_from(all).map_err(|all| {
            let known = listed(all.into_iter());
            OptionError(format!("name two partitions with --between; the decks have {known}"))
        })
    }
}

impl LinkSize {
    /// Returns the size of the link that carries the wanted rate.
    fn new(wishes: &LinkOptions) -> Result<Self, OptionError> {
        let (Some(wanted), Some(each)) = (wishes.wanted_mb_per_s, wishes.channel_mb_per_s) else {
            let words = "give the channels with --over, or --rate and --channel-rate for their number alone";
            return Err(OptionError(words.to_owned()));
        };
        let carries = |count: &u32| f64::from(*count) * each >= wanted;
        let needed = (1..=u32::try_from(DEVICES_MAX).unwrap_or(u32::MAX)).find(carries);
        let needed = needed.and_then(|count| usize::try_from(count).ok()).ok_or_else(|| {
            OptionError(format!(
                "no logical link carries {wanted} MB/s at {each} MB/s a channel: it has {DEVICES_MAX} devices"
            ))
        })?;
        let recipe = Recipe::of(needed).map_err(OptionError)?;
        Ok(Self { wanted_mb_per_s: wanted, channel_mb_per_s: each, recipe })
    }

    fn to_text(self) -> String {
        let Self { wanted_mb_per_s: wanted, channel_mb_per_s: each, recipe } = self;
        format!(
            "{wanted} MB/s at {each} MB/s a channel: {} channels, {} devices ({} on each and {} more); --over gives \
             the statements\n",
            recipe.channels,
            recipe.devices(),
            recipe.per_channel,
            recipe.one_way
        )
    }

    fn to_json(self) -> Value {
        json!({
            "islink": 1,
            "size": {
                "wanted_mb_per_s": self.wanted_mb_per_s,
                "channel_mb_per_s": self.channel_mb_per_s,
                "channels": self.recipe.channels,
                "devices": self.recipe.devices(),
                "devices_per_channel": self.recipe.per_channel,
                "devices_one_way": self.recipe.one_way,
            },
        })
    }
}
