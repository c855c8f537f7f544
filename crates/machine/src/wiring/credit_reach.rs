//! How many credits a link needs for the frames that it will carry, and whether it has them.
//!
//! A credit is out from the moment its frame begins to leave until the word comes back that the far end has freed the
//! buffer. As many frames as the link can carry meanwhile want a credit each, so that short frames want more of them than
//! full ones. Which frames there are is in the recorded plans, commands and responses included, and nowhere else.
//!
//! The need of a link is decided by the shortest mean frame of any program at the rate of the link, or by the frames that
//! the same exchanges put on the same fibre the other way, where those take longer: commands of reads cannot come closer
//! than the data that answer them.
//!
//! Whether credits can keep frames back is a sharper question. Many exchanges that wait for one link come to take turns:
//! full frames of all of them, then the short ones that end them. While short frames follow one another, a credit for each is
//! out for as long as for a full one. So each frame is counted with the time that it takes on the fibre or with its part of
//! the time that a credit is out, whichever is more; and as many are counted as the link, the link back and the processors
//! of the channels can have to do with. And where fewer frames can be under way than there are credits, since there are no
//! more jobs or open exchanges that send them, credits keep nothing back.
//!
//! Credits of a link that is quick enough bind all the same where what is behind it is slower: a link behind its director or
//! the bus of the channel. The backlog there fills the buffers, and the senders take turns by them. It does not matter to
//! exchanges that are short beside the buffers, and neither to the jobs of one closed stream, which all wait for the same.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_base::{Span, for_bytes};
use halftrack_config::{Arrivals, Configuration, Link, Path};
use halftrack_exchange::{Plan, Side};
use halftrack_program::PerProtocol;
use halftrack_record::CreditShortage;

use crate::wiring::pricing::Tariff;

/// Share of the credits that a link needs on average that it must have beyond the whole before bursts may stand for frames,
/// percent. A credit is out for longer than is known beforehand: while its frame waits in a director or for a port's bus.
const MARGIN_PERCENT: u128 = 25;
/// How much longer than a link has time for its frames may take with their credits counted in before bursts may not stand
/// for them, percent: measured, a third of it is lost at most, since the turns of exchanges are never so strict. That is below the
/// 2 % that bursts are held to.
const TOLERANCE_PERCENT: u128 = 5;
/// Parts of the whole by which what limits exchanges is weighed against each other, and the weights that are tried: fine
/// where one thing has nearly all the weight.
const WHOLE: u128 = 64;
/// How many of the longest exchanges must have room in the buffers before something slower for bursts to stand for frames:
/// with fewer the senders take turns by credits.
const ROOM_EXCHANGES: u32 = 8;
const WEIGHTS: [u128; 13] = [0, 1, 2, 4, 8, 16, 32, 48, 56, 60, 62, 63, 64];

/// The load that one exchange puts on a link, and what it takes beside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Crossing {
    /// Sizes of its frames, and how many there are of each.
    sizes: Vec<(u32, u32)>,
    /// Bytes on the link, and bytes and frames on the link back.
    bytes: u64,
    back_bytes: u64,
    back_frames: u32,
    /// Time of the channel's processor.
    processor: Span,
}

impl Crossing {
    /// Returns the load of `plan` as it leaves `side`, on a channel that is paid by `tariffs`.
    fn of(plan: &Plan, side: Side, tariffs: &PerProtocol<Tariff>) -> Self {
        let mut sizes = BTreeMap::new();
        let mut add = |bytes: u32, frames: u32| *sizes.entry(bytes).or_insert(0) += frames;
        for step in plan.steps(side).iter().filter(|step| step.frames > 0) {
            let (frames, framing) = (u32::from(step.frames), u32::from(step.framing_bytes));
            let last = u32::from(step.last_frame_bytes);
            add(last + u32::from(step.last_framing_bytes), 1);
            if frames > 1 {
                add((step.payload_bytes - last) / (frames - 1) + framing, frames - 1);
            }
        }
        let tariff = tariffs[plan.key.protocol];
        let sent = plan.outbound.iter().map(|step| step.send);
        let works = sent.chain(plan.inbound.iter().map(|step| step.receive));
        Self {
            sizes: sizes.into_iter().collect(),
            bytes: plan.wire_bytes(side),
            back_bytes: plan.wire_bytes(side.other()),
            back_frames: plan.frames(side.other()),
            processor: works.fold(Span::ZERO, |sum, work| sum + tariff.price(work)),
        }
    }

    fn frames(&self) -> u32 {
        self.sizes.iter().map(|(_, frames)| frames).sum()
    }

    fn mean_frame_bytes(&self) -> u32 {
        u32::try_from(self.bytes.div_ceil(u64::from(self.frames().max(1)))).unwrap_or(u32::MAX)
    }

    /// Returns the time on `link` if no frame takes less than `least`, ps.
    fn counted_ps(&self, link: &Link, least: Span) -> u128 {
        let counted = |(bytes, frames): &(u32, u32)| {
            u128::from(taken(link, u64::from(*bytes), 1).max(least).as_ps()) * u128::from(*frames)
        };
        self.sizes.iter().map(counted).sum()
    }

    /// Returns the times that it takes of the link, the link back, and one of `channels` processors, ps.
    fn taken_ps(&self, link: &Link, back: &Link, channels: u64) -> [u128; 3] {
        [
            taken(link, self.bytes, self.frames()).as_ps().into(),
            taken(back, self.back_bytes, self.back_frames).as_ps().into(),
            (self.processor / channels.max(1)).as_ps().into(),
        ]
    }
}

/// Returns the time of `link` that `frames` of `bytes` together take, with the fill words behind each.
fn taken(link: &Link, bytes: u64, frames: u32) -> Span {
    for_bytes(bytes + u64::from(frames) * u64::from(link.fill_bytes), link.bytes_per_s)
}

/// Finds a bound on the sum of the values of `demand` over the exchanges of any mix of `crossing`. The mix keeps within the
/// time of each of the first `limits` things that exchanges take. Returns the bound as a share of that time in parts per
/// million, and the exchange that decides it.
///
/// No mix takes more of one thing than there is, and so none more of them together, however they are weighed: each
/// weighing is a bound, and the least of them holds.
fn most_ppm<'a>(
    crossing: &'a BTreeSet<Crossing>,
    limits: usize,
    demand: impl Fn(&Crossing) -> u128,
    taken: impl Fn(&Crossing) -> [u128; 3],
) -> Option<(u128, &'a Crossing)> {
    let each: Vec<_> = crossing.iter().map(|one| (one, demand(one), taken(one))).collect();
    let pairs = WEIGHTS.into_iter().flat_map(|first| WEIGHTS.map(|second| [first, second]));
    let weights =
        pairs.filter_map(|[first, second]| Some([first, second, WHOLE.checked_sub(first + second)?]));
    let bound = |weight: [u128; 3]| {
        let of_one = |(one, asked, taken): &(&'a Crossing, u128, [u128; 3])| {
            let weighed: u128 = taken.iter().zip(weight).map(|(taken, weight)| taken * weight).sum();
            (1_000_000 * WHOLE * asked / weighed.max(1), *one)
        };
        each.iter().map(of_one).max()
    };
    weights
        .filter(|weight| weight[limits..].iter().all(|weight| *weight == 0))
        .filter_map(bound)
        .min_by_key(|(ppm, _)| *ppm)
}

/// The need of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Need {
    /// Credits, in thousandths.
    milli_credits: u128,
    /// Time that each is out for.
    held: Span,
    /// Mean size of the frames that decide.
    mean_frame_bytes: u32,
    /// Credits can keep frames back.
    may_bind: bool,
}

/// The need of the links of a machine.
#[derive(Debug, Default)]
pub(crate) struct CreditReach {
    /// By link; `None` where nothing that takes credits comes.
    needs: Vec<Option<Need>>,
}

impl CreditReach {
    /// Returns true when credits may keep frames of `link` back, so that they must be simulated one by one.
    pub(crate) fn may_bind(&self, link: u32) -> bool {
        self.needs[link as usize].is_some_and(|need| need.may_bind)
    }

    /// Returns the links whose credits do not cover their distance at their rate.
    pub(crate) fn shortages(&self, configuration: &Configuration) -> Vec<CreditShortage> {
        let short = |(link, need): (&Link, &Option<Need>)| {
            let Need { milli_credits, held, mean_frame_bytes, .. } = (*need)?;
            (1000 * u128::from(link.credits) < milli_credits).then(|| CreditShortage {
                link: link.name.clone(),
                credits: link.credits,
                needed: u32::try_from(milli_credits.div_ceil(1000)).unwrap_or(u32::MAX),
                mean_frame_bytes,
                bytes_per_s: link.bytes_per_s,
                round_trip_ps: held.as_ps(),
            })
        };
        configuration.links.iter().zip(&self.needs).filter_map(short).collect()
    }
}

/// Exchanges by the links that they travel over, for a [`CreditReach`].
#[derive(Debug, Default)]
pub(crate) struct Travels {
    /// Plans of one stream over paths that are alike, as they leave each side.
    programs: Vec<[BTreeSet<Crossing>; 2]>,
    over: BTreeMap<u32, Travel>,
}

/// The load of one link.
#[derive(Debug, Default)]
struct Travel {
    /// Programs, and the side that they leave.
    programs: BTreeSet<(usize, usize)>,
    /// The link back.
    back: u32,
    channels: BTreeSet<u32>,
    streams: BTreeSet<u32>,
    /// Something slower is behind it.
    is_held_up: bool,
}

impl Travel {
    /// Returns the most exchanges that can use the link at a time.
    fn exchanges(&self, configuration: &Configuration) -> u64 {
        let open = |channel: &u32| configuration.channels[*channel as usize].hardware.open_exchanges;
        let jobs = |stream: &u32| match configuration.streams[*stream as usize].arrivals {
            Arrivals::Closed { jobs, .. } => jobs,
            Arrivals::Open { .. } | Arrivals::Traced(_) => u32::MAX,
        };
        let open: u64 = self.channels.iter().map(open).map(u64::from).sum();
        open.min(self.streams.iter().map(jobs).map(u64::from).sum())
    }

    /// Returns true when it makes a difference which of the exchanges that use the link goes first: they are not all of one
    /// closed stream.
    fn takes_turns(&self, configuration: &Configuration) -> bool {
        let is_closed = |stream: &u32| {
            matches!(configuration.streams[*stream as usize].arrivals, Arrivals::Closed { .. })
        };
        self.streams.len() > 1 || !self.streams.iter().all(is_closed)
    }
}

impl Travels {
    /// Adds what `plans` put on their links from a channel that is paid by `tariffs`: the number of the programs.
    pub(crate) fn add_programs<'a>(
        &mut self,
        plans: impl Iterator<Item = &'a Plan>,
        tariffs: &PerProtocol<Tariff>,
    ) -> usize {
        let mut both = [BTreeSet::new(), BTreeSet::new()];
        for plan in plans {
            for (crossings, side) in both.iter_mut().zip([Side::Channel, Side::ControlUnit]) {
                crossings.extend(Some(Crossing::of(plan, side, tariffs)).filter(|one| one.frames() > 0));
            }
        }
        let known = self.programs.iter().position(|programs| *programs == both);
        known.unwrap_or_else(|| {
            self.programs.push(both);
            self.programs.len() - 1
        })
    }

    /// Adds the programs number `programs`, which are of `stream`, to the links of every route of `path` in `configuration`.
    pub(crate) fn add_path(
        &mut self,
        configuration: &Configuration,
        path: &Path,
        stream: u32,
        programs: usize,
    ) {
        for way in path.ways() {
            for (out, back) in way.outbound.iter().zip(way.inbound.iter().rev()) {
                for (side, link, other) in [(0, *out, *back), (1, *back, *out)] {
                    let travel = self.over.entry(link).or_default();
                    travel.back = other;
                    travel.programs.insert((programs, side));
                    travel.channels.insert(path.channel);
                    travel.streams.insert(stream);
                }
            }
            for link in held_up(configuration, &way) {
                self.over.entry(link).or_default().is_held_up = true;
            }
        }
    }

    /// Finds what the links need for them.
    pub(crate) fn reach(&self, configuration: &Configuration) -> CreditReach {
        let links = &configuration.links;
        let mut needs = vec![None; links.len()];
        for (link, travel) in &self.over {
            let programs =
                travel.programs.iter().flat_map(|(programs, side)| &self.programs[*programs][*side]);
            let crossing: BTreeSet<Crossing> = programs.cloned().collect();
            let (of, back) = (&links[*link as usize], &links[travel.back as usize]);
            let most = crossing.iter().map(Crossing::frames).max().unwrap_or(0);
            let under_way = travel.exchanges(configuration).saturating_mul(most.into());
            let channels = travel.channels.len() as u64;
            let fills = travel.is_held_up
                && travel.takes_turns(configuration)
                && most.saturating_mul(ROOM_EXCHANGES) > of.credits;
            let may_bind = |need: &Need| (need.may_bind || fills) && under_way > u64::from(of.credits);
            needs[*link as usize] =
                need(of, back, channels, &crossing).map(|need| Need { may_bind: may_bind(&need), ..need });
        }
        CreditReach { needs }
    }
}

/// Iterates over the links of `path`, there and back, that something slower is behind. That is the next link, or the bus of
/// the channel at the end, unless firmware holds it.
fn held_up<'a>(configuration: &'a Configuration, path: &'a Path) -> impl Iterator<Item = u32> + 'a {
    let rate = |link: u32| configuration.links[link as usize].bytes_per_s;
    let pairs = path.outbound.windows(2).chain(path.inbound.windows(2));
    let before_slower = pairs.filter(move |pair| rate(pair[1]) < rate(pair[0])).map(|pair| pair[0]);
    let hardware = &configuration.channels[path.channel as usize].hardware;
    let is_bus_slower =
        move |link: &u32| hardware.held_bus.is_none() && hardware.bus_bytes_per_s < rate(*link);
    before_slower.chain(path.inbound.last().copied().filter(is_bus_slower))
}

/// Finds what `link` needs for exchanges of `channels`, in any mix of `crossing`, which have the link `back` for the other
/// direction.
fn need(link: &Link, back: &Link, channels: u64, crossing: &BTreeSet<Crossing>) -> Option<Need> {
    let longest = crossing.iter().map(Crossing::mean_frame_bytes).max()?;
    let held = link.propagation * 2 + link.forward_latency + for_bytes(longest.into(), link.bytes_per_s);
    let taken = |one: &Crossing| one.taken_ps(link, back, channels);
    let out_ps = |one: &Crossing| u128::from(held.as_ps()) * u128::from(one.frames());
    let (needed_ppm, decides) = most_ppm(crossing, 2, out_ps, taken)?;
    let least = held / u64::from(link.credits.max(1));
    let counted_ps = |one: &Crossing| one.counted_ps(link, least);
    let (counted_ppm, _) = most_ppm(crossing, 3, counted_ps, taken)?;
    let (usable_ppm, _) = most_ppm(crossing, 3, out_ps, taken)?;
    let granted_ppm = 1_000_000 * u128::from(link.credits);
    Some(Need {
        milli_credits: needed_ppm / 1000,
        held,
        mean_frame_bytes: decides.mean_frame_bytes(),
        may_bind: counted_ppm > 10_000 * (100 + TOLERANCE_PERCENT)
            || 100 * granted_ppm < (100 + MARGIN_PERCENT) * usable_ppm,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(gbps: u64, km: u64, credits: u32) -> Link {
        Link {
            errors: None,
            name: "a > b".into(),
            bytes_per_s: gbps * 100_000_000,
            fill_bytes: 0,
            propagation: Span::from_us(5) * km,
            credits,
            forward_latency: Span::ZERO,
            fed_by: 1,
            switch_ports: [None; 2],
        }
    }

    fn crossing(sizes: &[(u32, u32)], back_bytes: u64, processor_us: u64) -> Crossing {
        Crossing {
            sizes: sizes.to_vec(),
            bytes: sizes.iter().map(|(bytes, frames)| u64::from(bytes * frames)).sum(),
            back_bytes,
            back_frames: 0,
            processor: Span::from_us(processor_us),
        }
    }

    /// Makes a 4 KiB read in transport mode: its data, and the command for them.
    fn read() -> Crossing {
        crossing(&[(70, 2), (2084, 2)], 144, 3)
    }

    fn command() -> Crossing {
        crossing(&[(144, 1)], 4308, 3)
    }

    fn found(of: &Link, channels: u64, crossings: &[Crossing]) -> Need {
        need(of, of, channels, &crossings.iter().cloned().collect()).expect("frames")
    }

    fn needed(gbps: u64, km: u64, crossings: &[Crossing]) -> f64 {
        found(&link(gbps, km, 1), 8, crossings).milli_credits as f64 / 1000.0
    }

    /// Half a credit for each km and Gbit/s is the rule of thumb for full frames.
    #[test]
    fn full_frames_need_half_a_credit_for_each_km_and_gbps() {
        for gbps in [1, 2, 4, 8, 16, 32, 64] {
            let rule = 50.0 * gbps as f64;
            let full = needed(gbps, 100, &[crossing(&[(2084, 100)], 0, 0)]);
            assert!((0.95..1.05).contains(&(full / rule)), "{full} for {rule}");
        }
    }

    #[test]
    fn the_shortest_mean_frame_decides_whatever_else_there_is() {
        let long = crossing(&[(2048, 64)], 100, 9);
        assert!((needed(8, 100, &[read()]) / 743.0 - 1.0).abs() < 0.01, "{}", needed(8, 100, &[read()]));
        assert!((needed(8, 100, &[long.clone(), read()]) / needed(8, 100, &[read()]) - 1.0).abs() < 0.01);
        assert!(needed(8, 100, &[long]) < 400.0);
    }

    #[test]
    fn commands_come_no_closer_than_the_data_that_they_ask_for() {
        let commands = needed(8, 100, &[command()]);
        assert!((commands / (743.0 / 4.0) - 1.0).abs() < 0.01, "{commands}");
        // Writes beside reads: a direction full of written data has commands of reads in between.
        let write = crossing(&[(70, 2), (2084, 2)], 76, 3);
        let mixed = needed(8, 100, &[command(), write.clone()]);
        let alone = needed(8, 100, &[write]);
        assert!(mixed > alone && mixed < 1.1 * (commands + alone), "{mixed}");
    }

    #[test]
    fn about_the_credits_that_a_fibre_needs_frames_travel_one_by_one() {
        let full = crossing(&[(2084, 100)], 0, 0);
        let need = needed(8, 100, std::slice::from_ref(&full)) as u32;
        for (credits, binds) in [(need * 9 / 10, true), (need * 11 / 10, true), (need * 13 / 10, false)] {
            assert_eq!(
                found(&link(8, 100, credits), 8, std::slice::from_ref(&full)).may_bind,
                binds,
                "{credits}"
            );
        }
    }

    #[test]
    fn short_frames_that_follow_one_another_bind_beyond_what_the_mean_needs() {
        // 76 credits are what the mean needs over 10 km of 8 Gbit/s.
        for (credits, binds) in [(60, true), (99, true), (200, true), (600, false)] {
            assert_eq!(found(&link(8, 10, credits), 8, &[read()]).may_bind, binds, "{credits}");
        }
    }

    #[test]
    fn credits_do_not_bind_where_channels_cannot_fill_the_link() {
        // A channel that takes 3 us for a read fills 45 % of 32 Gbit/s, and two of them 90 %.
        assert!(!found(&link(32, 1, 90), 1, &[read()]).may_bind);
        assert!(found(&link(32, 1, 90), 4, &[read()]).may_bind);
        assert!(found(&link(32, 10, 90), 4, &[read()]).may_bind);
    }

    #[test]
    fn a_link_that_carries_nothing_needs_nothing() {
        assert_eq!(need(&link(8, 100, 1), &link(8, 100, 1), 1, &BTreeSet::new()), None);
    }
}
