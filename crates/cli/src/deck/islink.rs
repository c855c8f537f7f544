//! `halftrack deck ctc --islink`: a logical link of ISFC planned, with the statements of both systems.

use clap::Args;
use halftrack::deck::islink_json;
use halftrack_deck::ReadOptions;
use halftrack_deck::ctc::islink::{
    ChannelName, ChannelPair, ChannelRates, DEVICES_MAX, LinkRequest, LogicalLink, Recipe, plan, table,
};
use halftrack_deck::ctc::{GivenPort, Image};
use halftrack_deck::model::Deck;

use crate::deck::systems::{Nodes, SystemName, image, listed};
use crate::failure::Failure;

/// A logical link, as options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Logical links (ISFC)")]
pub struct IslinkArguments {
    /// Plan a logical link of two z/VM systems: how many FCTC devices, how numbered, how wired, with the statements of
    /// both
    #[arg(long)]
    pub islink: bool,
    /// The two partitions; not needed where the decks have no others
    #[arg(long, value_name = "LP,LP", value_parser = pair, requires = "islink")]
    between: Option<(SystemName, SystemName)>,
    /// Channels: CHPID that both share or have, or CHPID=CHPID at the first and the second system
    #[arg(long, value_name = "CHPID[=CHPID]", value_delimiter = ',', value_parser = channels, requires = "islink")]
    over: Vec<ChannelPair>,
    /// Devices on each channel, instead of the published recipe's
    #[arg(long, value_name = "N", requires = "islink")]
    per_channel: Option<usize>,
    /// First device number, instead of one that is free
    #[arg(long, value_name = "DEVICE", value_parser = number, requires = "islink")]
    device: Option<u16>,
    /// Rate that is wanted, in MB/s (10^6 bytes a second) written by each system: only as many channels are used
    #[arg(long, value_name = "MB/S", value_parser = rate, requires_all = ["islink", "channel_rate"])]
    rate: Option<f64>,
    /// Rate of one channel in channel-to-channel traffic, in MB/s written by each system, as measured or published
    #[arg(long, value_name = "MB/S", value_parser = rate, requires = "islink")]
    channel_rate: Option<f64>,
}

/// A logical link, or only its size where no channels are given.
pub enum Planned {
    /// The link, with statements.
    Link(Box<LogicalLink>),
    /// Words about the channels that are needed.
    Size(String),
}

impl IslinkArguments {
    /// Plans the link in `decks`.
    ///
    /// # Errors
    /// `Argument` with all reasons for which there is none.
    pub fn plan(
        &self,
        decks: &[&Deck],
        options: &ReadOptions,
        ports: &[GivenPort],
        nodes: &Nodes,
    ) -> Result<Planned, Failure> {
        let rates = self.channel_rate.map(|rate| ChannelRates {
            origin: format!("{rate} MB/s a channel by --channel-rate"),
            shared_mb_per_s: Some(rate),
            unshared_mb_per_s: Some(rate),
        });
        if self.over.is_empty() {
            return self.size().map(Planned::Size);
        }
        let systems = self.systems(decks)?;
        let request = LinkRequest {
            decks,
            options,
            ports,
            nodes: systems.each_ref().map(|system| nodes.of(system)),
            systems,
            channels: &self.over,
            per_channel: self.per_channel,
            first_device: self.device,
            wanted_mb_per_s: self.rate,
            rates: rates.as_ref(),
        };
        let link = plan(&request).map_err(|reasons| Failure::Argument(reasons.join("\n")))?;
        Ok(Planned::Link(Box::new(link)))
    }

    /// Returns words about the channels that the wanted rate needs.
    fn size(&self) -> Result<String, Failure> {
        let (Some(wanted), Some(each)) = (self.rate, self.channel_rate) else {
            let words = "give the channels with --over, or --rate and --channel-rate for their number alone";
            return Err(Failure::Argument(words.to_owned()));
        };
        let carries = |count: &u32| f64::from(*count) * each >= wanted;
        let needed = (1..=u32::try_from(DEVICES_MAX).unwrap_or(u32::MAX)).find(carries);
        let needed = needed.and_then(|count| usize::try_from(count).ok()).ok_or_else(|| {
            let words = "no logical link carries";
            Failure::Argument(format!(
                "{words} {wanted} MB/s at {each} MB/s a channel: it has {DEVICES_MAX} devices"
            ))
        })?;
        let recipe = Recipe::of(needed).map_err(Failure::Argument)?;
        Ok(format!(
            "{wanted} MB/s at {each} MB/s a channel: {needed} channels, {} devices ({} on each and {} more); --over gives \
             the statements\n",
            recipe.devices(),
            recipe.per_channel,
            recipe.one_way
        ))
    }

    /// Returns the two partitions.
    fn systems(&self, decks: &[&Deck]) -> Result<[Image; 2], Failure> {
        if let Some((near, far)) = &self.between {
            let second = decks.len() - 1;
            return Ok([image(decks, near, 0)?, image(decks, far, second)?]);
        }
        let all: Vec<Image> = decks.iter().enumerate().flat_map(|(at, deck)| Image::all(deck, at)).collect();
        <[Image; 2]>::try_from(all).map_err(|all| {
            let known = listed(all.into_iter());
            Failure::Argument(format!("name two partitions with --between; the decks have {known}"))
        })
    }
}

/// Formats `link`: its devices and reasons, then the statements of each system.
pub fn text(link: &LogicalLink, decks: &[&Deck]) -> String {
    let mut text = table(link);
    for (system, cards) in link.systems.iter().zip(&link.cards) {
        text += &format!("\n* {system}, in {}\n{cards}", decks[system.deck].source.name);
    }
    text
}

/// Returns the statements that deck `at` needs.
pub fn cards(link: &LogicalLink, at: usize) -> String {
    let mine = link.systems.iter().zip(&link.cards).filter(|(system, _)| system.deck == at);
    mine.map(|(_, cards)| cards.as_str()).collect()
}

/// Formats `link` as JSON.
pub fn json(link: &LogicalLink) -> String {
    format!("{:#}\n", islink_json(link))
}

/// Parses `LP1,B:LP2`.
fn pair(text: &str) -> Result<(SystemName, SystemName), String> {
    let (near, far) = text.split_once(',').ok_or("expected two partitions such as LP1,LP2")?;
    Ok((near.parse()?, far.parse()?))
}

/// Parses `40`, `0.40`, `40=41`.
fn channels(text: &str) -> Result<ChannelPair, String> {
    let name = |text: &str| {
        let (css, chpid) = match text.split_once('.') {
            Some((css, chpid)) => (Some(css.parse().ok()?), chpid),
            None => (None, text),
        };
        let is_hex = (1..=2).contains(&chpid.len()) && chpid.bytes().all(|digit| digit.is_ascii_hexdigit());
        let chpid = u8::from_str_radix(chpid, 16).ok().filter(|_| is_hex)?;
        Some(ChannelName { css, chpid })
    };
    let (near, far) = text.split_once('=').unwrap_or((text, text));
    let pair = name(near.trim()).zip(name(far.trim())).map(|(near, far)| ChannelPair { near, far });
    pair.ok_or_else(|| "expected a CHPID such as 40 or 0.40, or one at each system such as 40=41".to_owned())
}

fn number(text: &str) -> Result<u16, String> {
    let is_hex = (1..=4).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u16::from_str_radix(text, 16).ok().filter(|_| is_hex);
    number.ok_or_else(|| "expected a device number of 1 to 4 hexadecimal digits, such as D000".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| "expected a rate above 0 in MB/s, such as 200".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_named_with_or_without_their_channel_subsystem() {
        let name = |css, chpid| ChannelName { css, chpid };
        assert_eq!(channels("40"), Ok(ChannelPair { near: name(None, 0x40), far: name(None, 0x40) }));
        assert_eq!(
            channels("0.40=1.5A"),
            Ok(ChannelPair { near: name(Some(0), 0x40), far: name(Some(1), 0x5A) })
        );
        for wrong in ["", "G0", "040", "40=", "=40", ".40", "a.40", "+4"] {
            assert!(channels(wrong).is_err(), "{wrong}");
        }
        assert!(rate("0").is_err() && rate("inf").is_err() && rate("204").is_ok());
        assert!(number("D000").is_ok() && number("+D00").is_err() && number("D0000").is_err());
    }
}
