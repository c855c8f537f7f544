//! Image of a text: storage and functions, without comments and layout.

use halftrack_program::Orb;

use crate::assembly::program::{Function, KeyedRange, Program};

/// Storage and the functions of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Bytes of storage.
    pub storage_bytes: u64,
    /// Storage keys; all others are 0.
    pub keys: Vec<KeyedRange>,
    /// Octets by address, in order, without overlaps and without zeros at either end; zero elsewhere.
    runs: Vec<(u64, Vec<u8>)>,
    /// Functions in order.
    pub functions: Vec<Function>,
}

/// Zeros that part two runs.
const GAP: usize = 16;

impl Image {
    /// Creates an image of `segments`; of two that overlap the later one stays. What lies outside of storage is left out.
    pub fn new(storage_bytes: u64, segments: &[(u64, Vec<u8>)], functions: Vec<Function>) -> Self {
        let mut image = Self { storage_bytes, keys: Vec::new(), runs: Vec::new(), functions };
        let mut joined: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut ordered: Vec<&(u64, Vec<u8>)> = segments.iter().collect();
        ordered.sort_by_key(|(address, _)| *address);
        for (address, octets) in ordered {
            let inside = storage_bytes.saturating_sub(*address).min(octets.len() as u64) as usize;
            let octets = &octets[..inside];
            match joined.last_mut() {
                Some((begin, run)) if *begin + run.len() as u64 >= *address => {
                    let at = (*address - *begin) as usize;
                    run.resize(run.len().max(at + octets.len()), 0);
                    run[at..at + octets.len()].copy_from_slice(octets);
                }
                _ => joined.push((*address, octets.to_vec())),
            }
        }
        for (address, octets) in joined {
            image.add_run(address, &octets);
        }
        image
    }

    /// Returns the image of one start with these octets of storage.
    pub fn start(storage_bytes: u64, segments: &[(u64, Vec<u8>)], orb: Orb) -> Self {
        Self::new(storage_bytes, segments, vec![Function::Start(orb)])
    }

    fn add_run(&mut self, address: u64, octets: &[u8]) {
        let mut at = 0;
        while let Some(first) = octets[at..].iter().position(|octet| *octet != 0) {
            let begin = at + first;
            let rest = &octets[begin..];
            let gap = rest.windows(GAP).position(|window| window.iter().all(|octet| *octet == 0));
            let whole = rest.len() - rest.iter().rev().take_while(|octet| **octet == 0).count();
            let length = gap.unwrap_or(whole).min(whole);
            self.runs.push((address + begin as u64, rest[..length].to_vec()));
            at = begin + length;
        }
    }

    /// Returns the octets that are not zero, and their addresses.
    pub fn runs(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.runs.iter().map(|(address, octets)| (*address, octets.as_slice()))
    }

    /// Returns the octets at an address; nothing where there is no storage.
    pub fn octets(&self, address: u64, bytes: usize) -> Option<Vec<u8>> {
        let end = address.checked_add(bytes as u64).filter(|end| *end <= self.storage_bytes)?;
        let mut octets = vec![0; bytes];
        let first = self.runs.partition_point(|(begin, run)| begin + run.len() as u64 <= address);
        for (begin, run) in &self.runs[first..] {
            if *begin >= end {
                break;
            }
            let (from, to) = ((*begin).max(address), (begin + run.len() as u64).min(end));
            let here = &run[(from - begin) as usize..(to - begin) as usize];
            octets[(from - address) as usize..(to - address) as usize].copy_from_slice(here);
        }
        Some(octets)
    }
}

impl From<&Program> for Image {
    fn from(program: &Program) -> Self {
        let segments: Vec<(u64, Vec<u8>)> =
            program.segments.iter().map(|segment| (segment.address, segment.octets.clone())).collect();
        let functions = program.steps.iter().map(|step| step.function.clone()).collect();
        Self { keys: program.keys.clone(), ..Self::new(program.storage_bytes, &segments, functions) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_those_of_the_segments_and_zeros_between() {
        let image = Image::new(0x2000, &[(0x1002, vec![1, 0, 2, 0]), (0x1FFE, vec![3, 4, 5])], Vec::new());
        assert_eq!(image.octets(0x1001, 5), Some(vec![0, 1, 0, 2, 0]));
        assert_eq!(image.octets(0x1FFD, 3), Some(vec![0, 3, 4]));
        assert_eq!(image.octets(0x1FFE, 3), None);
        assert_eq!(image.runs().collect::<Vec<_>>(), [(0x1002, &[1, 0, 2][..]), (0x1FFE, &[3, 4])]);
    }

    #[test]
    fn the_same_octets_cut_elsewhere_are_the_same_image() {
        let octets: Vec<u8> = (1..=100).chain([0; 40]).chain(1..=9).collect();
        let whole = Image::new(0x2000, &[(0x1000, octets.clone())], Vec::new());
        let cut = [(0x1000, octets[..37].to_vec()), (0x1025, octets[37..].to_vec())];
        assert_eq!(Image::new(0x2000, &cut, Vec::new()), whole);
    }
}
