//! How many of something a study or a deck has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use halftrack_catalog::{Catalog, ROCE};
use halftrack_config::{Configuration, StudyFiles, configure};
use halftrack_deck::model::{Adapter, Deck, Function};
use halftrack_deck::read;
use halftrack_input::{Diagnostic, SourceFile};

/// A count.
#[derive(Debug, Clone, PartialEq)]
pub enum Count {
    /// Of a configured study.
    Study(Box<StudyFiles>, StudyWord),
    /// Of the kinds of compression in the catalog.
    CompressionFamilies,
    /// Of the multiplexers that are qualified for RoCE.
    RoceMultiplexers,
    /// Of a deck that breaks no rule.
    Deck(Arc<SourceFile>, DeckWord),
}

/// Parts of a study that are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StudyWord {
    /// `machines`.
    Machines,
    /// `channels`.
    Channels,
    /// `boxes` with logical control units.
    Boxes,
    /// `lcus`.
    Lcus,
    /// `channels_of 1000`: those that reach the box of a logical control unit.
    ChannelsOf(u16),
    /// `ports_of 1000`: its host-adapter ports that are in use.
    PortsOf(u16),
    /// `ports` in use of all boxes.
    Ports,
    /// `cps PROD1`: processors of a partition.
    Cps(String),
    /// `iop_threads`.
    IopThreads,
    /// `lpars`: partitions of conversations.
    Lpars,
}

/// Parts of a deck that are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeckWord {
    /// `channel_paths`, `channel_paths FC`.
    ChannelPaths(Option<String>),
    /// `functions ROCE`: functions of a type.
    Functions(String),
    /// `adapters ROCE`: the adapters that they are on.
    Adapters(String),
    /// `pnetid_positions ROCE`: places in the lists of networks, of the function that has the most.
    PnetidPositions(String),
    /// `least_each ROCE`: functions of a type that a partition has on an adapter that it uses, the fewest.
    LeastEach(String),
    /// `redundant ROCE`: partitions with functions of a type on two adapters or more.
    Redundant(String),
    /// `fid LP14 110`: the identifier of the function that a partition has on a PCHID.
    Fid(String, u16),
    /// `pchid D0`: the PCHID of a channel path.
    Pchid(u8),
}

/// Returns the word, blank, what it is about.
fn split(text: &str) -> (&str, Option<String>) {
    text.split_once(' ').map_or((text, None), |(word, about)| (word, Some(about.trim().to_owned())))
}

impl StudyWord {
    /// Returns the words of a file.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| u16::from_str_radix(text, 16).ok();
        Some(match split(text) {
            ("machines", None) => Self::Machines,
            ("channels", None) => Self::Channels,
            ("boxes", None) => Self::Boxes,
            ("lcus", None) => Self::Lcus,
            ("ports", None) => Self::Ports,
            ("iop_threads", None) => Self::IopThreads,
            ("lpars", None) => Self::Lpars,
            ("channels_of", Some(lcu)) => Self::ChannelsOf(number(&lcu)?),
            ("ports_of", Some(lcu)) => Self::PortsOf(number(&lcu)?),
            ("cps", Some(lpar)) => Self::Cps(lpar),
            _ => return None,
        })
    }

    fn count(&self, site: &Configuration) -> Option<usize> {
        Some(match self {
            Self::Machines => site.cpcs.len(),
            Self::Channels => site.channels.len(),
            Self::Boxes => site.lcus.iter().map(|lcu| lcu.control_unit).collect::<BTreeSet<_>>().len(),
            Self::Lcus => site.lcus.len(),
            Self::ChannelsOf(number) => paths(site, Some(*number))?.0.len(),
            Self::PortsOf(number) => paths(site, Some(*number))?.1.len(),
            Self::Ports => paths(site, None)?.1.len(),
            Self::Cps(name) => site.lpars.iter().find(|lpar| lpar.name == *name)?.cps.into(),
            Self::Lpars => site.conversations.hosts.len(),
            Self::IopThreads => site.cpcs.iter().map(|cpc| usize::from(cpc.iop_threads)).sum(),
        })
    }
}

/// Returns channels and ports on the paths to the box of logical control unit `number`, or to every box.
fn paths(site: &Configuration, number: Option<u16>) -> Option<(BTreeSet<u32>, BTreeSet<u32>)> {
    let of = match number {
        Some(number) => Some(site.lcus.iter().find(|lcu| lcu.number == number)?.control_unit),
        None => None,
    };
    let lcus = site.lcus.iter().filter(|lcu| of.is_none_or(|of| lcu.control_unit == of));
    let paths: Vec<_> = lcus.flat_map(|lcu| &lcu.path_groups).flat_map(|group| &group.paths).collect();
    let channels = paths.iter().map(|path| path.channel).collect();
    Some((channels, paths.iter().map(|path| path.port).collect()))
}

impl DeckWord {
    /// Returns the words of a file.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match split(text) {
            ("channel_paths", kind) => Self::ChannelPaths(kind),
            ("functions", Some(kind)) => Self::Functions(kind),
            ("adapters", Some(kind)) => Self::Adapters(kind),
            ("pnetid_positions", Some(kind)) => Self::PnetidPositions(kind),
            ("least_each", Some(kind)) => Self::LeastEach(kind),
            ("redundant", Some(kind)) => Self::Redundant(kind),
            ("fid", Some(place)) => {
                let (lpar, pchid) = place.split_once(' ')?;
                Self::Fid(lpar.to_owned(), u16::from_str_radix(pchid, 16).ok()?)
            }
            ("pchid", Some(chpid)) => Self::Pchid(u8::from_str_radix(&chpid, 16).ok()?),
            _ => return None,
        })
    }

    fn count(&self, deck: &Deck) -> Option<usize> {
        let of = |kind: &str| -> Vec<&Function> {
            let is = |one: &&Function| one.kind.as_ref().is_some_and(|known| known.value == kind);
            deck.functions.iter().filter(is).collect()
        };
        Some(match self {
            Self::ChannelPaths(kind) => {
                let is = |known: &str| kind.as_deref().is_none_or(|kind| kind == known);
                deck.channel_paths.iter().filter(|one| is(&one.channel_type.value)).count()
            }
            Self::Functions(kind) => of(kind).iter().map(|one| usize::from(one.count)).sum(),
            Self::Adapters(kind) => {
                of(kind).into_iter().filter_map(pchid_of).collect::<BTreeSet<u16>>().len()
            }
            Self::PnetidPositions(kind) => {
                of(kind).iter().map(|one| one.pnetids.len()).max().unwrap_or_default()
            }
            Self::LeastEach(kind) => *places(&of(kind)).values().min()?,
            Self::Redundant(kind) => {
                let mut adapters = BTreeMap::<_, usize>::new();
                for (owner, _) in places(&of(kind)).into_keys() {
                    *adapters.entry(owner).or_default() += 1;
                }
                adapters.values().filter(|count| **count > 1).count()
            }
            Self::Fid(lpar, pchid) => {
                let is = |one: &&Function| {
                    one.access.as_ref().is_some_and(|(_, name)| name == lpar) && pchid_of(one) == Some(*pchid)
                };
                deck.functions.iter().find(is)?.fid.value.into()
            }
            Self::Pchid(chpid) => {
                let path = deck.channel_paths.iter().find(|path| path.chpid.value == *chpid)?;
                path.pchid.as_ref()?.value.into()
            }
        })
    }
}

/// Returns the physical channel of a function.
fn pchid_of(function: &Function) -> Option<u16> {
    match function.adapter.as_ref()?.value {
        Adapter::Pchid(pchid) => Some(pchid),
        Adapter::Vchid(_) => None,
    }
}

/// Returns how many of the functions each partition has on each physical channel.
fn places<'a>(functions: &[&'a Function]) -> BTreeMap<(&'a (u8, String), u16), usize> {
    let mut found = BTreeMap::new();
    for function in functions {
        if let (Some(owner), Some(pchid)) = (&function.access, pchid_of(function)) {
            *found.entry((owner, pchid)).or_default() += usize::from(function.count);
        }
    }
    found
}

impl Count {
    pub(crate) fn value(&self, catalog: &Catalog) -> Result<f64, String> {
        let first = |found: &[Diagnostic]| found.first().map_or_else(String::new, Diagnostic::line);
        match self {
            Self::Study(study, word) => {
                let loaded = configure(study, catalog);
                let site = loaded.configuration.ok_or_else(|| first(&loaded.diagnostics))?;
                let count = word.count(&site).ok_or_else(|| format!("study {} has none such", study.name))?;
                Ok(count as f64)
            }
            Self::CompressionFamilies => Ok(catalog.compression_families().count() as f64),
            Self::RoceMultiplexers => {
                let network = catalog.features.get(ROCE).and_then(|feature| feature.network.as_ref());
                let network = network.ok_or_else(|| format!("feature {ROCE} has no [network]"))?;
                Ok(network.multiplexers.value.len() as f64)
            }
            Self::Deck(source, word) => {
                let reading = read(Arc::clone(source));
                let deck = reading.deck.ok_or_else(|| first(&reading.diagnostics))?;
                let count = word.count(&deck).ok_or_else(|| format!("{} has none such", source.name))?;
                Ok(count as f64)
            }
        }
    }
}
