//! Choice of the track of a device for the next I/O of a stream.

use halftrack_config::Locality;
use halftrack_engine::RandomStream;

use crate::zipf::Zipf;

/// Chooses a track of a working set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TrackChoice {
    Uniform { tracks: u32 },
    Zipf(Zipf),
}

impl TrackChoice {
    pub fn new(locality: Locality) -> Self {
        match locality.exponent {
            None => Self::Uniform { tracks: locality.tracks.max(1) },
            Some(exponent) => Self::Zipf(Zipf::new(locality.tracks.max(1), exponent)),
        }
    }

    /// Returns the next track, from 0.
    #[inline]
    pub fn choose(&self, random: &mut RandomStream) -> u32 {
        match self {
            Self::Uniform { tracks } => random.below(u64::from(*tracks)) as u32,
            Self::Zipf(zipf) => zipf.choose(random),
        }
    }
}
