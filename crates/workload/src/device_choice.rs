//! Which of a stream's devices the next I/O goes to.

use halftrack_config::Selection;
use halftrack_engine::RandomStream;

use crate::zipf::Zipf;

/// Chooser of devices, as indices `0..devices` into the stream's device list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DeviceChoice {
    /// Every device alike.
    Uniform {
        /// Number of devices.
        devices: u32,
    },
    /// By weight.
    Zipf(Zipf),
    /// In order, each job on its own round.
    Sequential {
        /// Number of devices.
        devices: u32,
        /// The next device of each job.
        next: Vec<u32>,
    },
}

impl DeviceChoice {
    /// Returns the chooser of `selection` over `devices` devices for `rounds` jobs, which start evenly spaced.
    pub fn new(selection: Selection, devices: u32, rounds: u32) -> Self {
        match selection {
            Selection::Uniform => Self::Uniform { devices },
            Selection::Zipf { exponent } => Self::Zipf(Zipf::new(devices, exponent)),
            Selection::Sequential => {
                let start = |job: u32| u64::from(job) * u64::from(devices) / u64::from(rounds);
                Self::Sequential { devices, next: (0..rounds).map(|job| start(job) as u32).collect() }
            }
        }
    }

    /// Returns the device of the next I/O of `job`; sequential choice draws nothing.
    #[inline]
    pub fn choose(&mut self, job: u32, random: &mut RandomStream) -> u32 {
        match self {
            Self::Uniform { devices } => random.below(u64::from(*devices)) as u32,
            Self::Zipf(zipf) => zipf.choose(random),
            Self::Sequential { devices, next } => {
                let next = &mut next[job as usize];
                let chosen = *next;
                *next = if chosen + 1 == *devices { 0 } else { chosen + 1 };
                chosen
            }
        }
    }
}

/// Returns the share of a stream's I/Os that each of its `devices` devices has in the long run.
#[must_use]
pub fn device_shares(selection: Selection, devices: u32) -> Vec<f64> {
    match selection {
        Selection::Uniform | Selection::Sequential => vec![1.0 / f64::from(devices.max(1)); devices as usize],
        Selection::Zipf { exponent } => {
            let weights = Zipf::weights(devices, exponent);
            let sum: f64 = weights.iter().sum();
            weights.into_iter().map(|weight| weight / sum).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(choice: &mut DeviceChoice, job: u32, count: usize) -> Vec<u32> {
        let mut random = RandomStream::new(1, "device");
        (0..count).map(|_| choice.choose(job, &mut random)).collect()
    }

    /// Returns the sum over the items of (found - expected)² / expected.
    fn chi_square(found: &[u32], expected: impl Iterator<Item = f64>) -> f64 {
        found
            .iter()
            .zip(expected)
            .map(|(&found, expected)| (f64::from(found) - expected).powi(2) / expected)
            .sum()
    }

    fn frequencies(selection: Selection, devices: u32, draws: usize) -> Vec<u32> {
        let mut found = vec![0; devices as usize];
        for device in choose(&mut DeviceChoice::new(selection, devices, 1), 0, draws) {
            found[device as usize] += 1;
        }
        found
    }

    /// 19 degrees of freedom pass 50.8 once in 10,000.
    #[test]
    fn uniform_choice_is_even() {
        let found = frequencies(Selection::Uniform, 20, 100_000);
        let distance = chi_square(&found, (0..20).map(|_| 5000.0));
        assert!(distance < 50.8, "chi-square {distance}");
    }

    /// As above; the harmonic number of 20 is 3.597739657143682.
    #[test]
    fn zipf_choice_follows_its_weights() {
        let found = frequencies(Selection::Zipf { exponent: 1.0 }, 20, 100_000);
        let distance = chi_square(&found, (1..=20).map(|k| 100_000.0 / 3.597_739_657_143_682 / f64::from(k)));
        assert!(distance < 50.8, "chi-square {distance}");
    }

    #[test]
    fn sequential_jobs_start_evenly_spaced_and_go_round() {
        let mut choice = DeviceChoice::new(Selection::Sequential, 10, 4);
        assert_eq!([0, 1, 2, 3].map(|job| choose(&mut choice, job, 1)[0]), [0, 2, 5, 7]);
        assert_eq!(choose(&mut choice, 3, 4), [8, 9, 0, 1]);
        assert_eq!(choose(&mut choice, 0, 2), [1, 2], "jobs advance apart");
    }

    #[test]
    fn more_jobs_than_devices_share_starts() {
        let mut choice = DeviceChoice::new(Selection::Sequential, 2, 4);
        assert_eq!([0, 1, 2, 3].map(|job| choose(&mut choice, job, 1)[0]), [0, 0, 1, 1]);
    }
}
