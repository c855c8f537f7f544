//! Options of `halftrack deck ctc --islink`: a logical link of ISFC planned, with the statements of both systems.

use clap::Args;
use halftrack::deck::{LinkOptions, SystemName, channel_pair, device_number, rate_mb_per_s, system_pair};
use halftrack_deck::ctc::islink::ChannelPair;

/// A logical link, as options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Logical links (ISFC)")]
pub struct IslinkArguments {
    /// Plan a logical link of two z/VM systems: how many FCTC devices, how numbered, how wired, with the statements of
    /// both
    #[arg(long)]
    pub islink: bool,
    /// The two partitions; not needed where the decks have no others
    #[arg(long, value_name = "LP,LP", value_parser = system_pair, requires = "islink")]
    between: Option<(SystemName, SystemName)>,
    /// Channels: CHPID that both share or have, or CHPID=CHPID at the first and the second system
    #[arg(long, value_name = "CHPID[=CHPID]", value_delimiter = ',', value_parser = channel_pair, requires = "islink")]
    over: Vec<ChannelPair>,
    /// Devices on each channel, instead of the published recipe's
    #[arg(long, value_name = "N", requires = "islink")]
    per_channel: Option<usize>,
    /// First device number, instead of one that is free
    #[arg(long, value_name = "DEVICE", value_parser = device_number, requires = "islink")]
    device: Option<u16>,
    /// Rate that is wanted, in MB/s (10^6 bytes a second) written by each system: only as many channels are used
    #[arg(long, value_name = "MB/S", value_parser = rate_mb_per_s, requires_all = ["islink", "channel_rate"])]
    rate: Option<f64>,
    /// Rate of one channel in channel-to-channel traffic, in MB/s written by each system, as measured or published
    #[arg(long, value_name = "MB/S", value_parser = rate_mb_per_s, requires = "islink")]
    channel_rate: Option<f64>,
}

impl IslinkArguments {
    /// Returns them as wishes of the planner.
    pub fn wishes(&self) -> LinkOptions {
        LinkOptions {
            between: self.between.clone(),
            over: self.over.clone(),
            per_channel: self.per_channel,
            first_device: self.device,
            wanted_mb_per_s: self.rate,
            channel_mb_per_s: self.channel_rate,
        }
    }
}
