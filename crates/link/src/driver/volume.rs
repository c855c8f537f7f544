//! A volume as the driver sees it: a base, its aliases, and who waits for one of them.

use std::collections::VecDeque;

use halftrack_base::Time;

use super::contents::Contents;
use super::volume_size::VolumeSize;

/// A request that waits for an address of its volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Stream of the request.
    pub stream: u16,
    /// Its job; without meaning in an open stream.
    pub job: u32,
    /// Index into the stream's devices.
    pub device: u16,
    /// It writes.
    pub write: bool,
    /// Time of the request.
    pub arrived: Time,
}

/// A volume.
#[derive(Debug)]
pub struct Volume {
    /// Unit address of the base.
    pub base: u8,
    /// Cylinders and heads, or blocks.
    pub size: VolumeSize,
    /// Unit addresses over which no I/O is under way: each does one at a time, as a unit control block does.
    free: Vec<u8>,
    waiting: VecDeque<Request>,
    /// By length of the records.
    contents: Vec<Contents>,
}

impl Volume {
    /// Returns the volume at `base` that is reached over `aliases` too.
    pub fn new(base: u8, aliases: impl IntoIterator<Item = u8>, size: impl Into<VolumeSize>) -> Self {
        let mut free: Vec<_> = aliases.into_iter().collect();
        // The base is taken first.
        free.push(base);
        Self { base, size: size.into(), free, waiting: VecDeque::new(), contents: Vec::new() }
    }

    /// Returns the contents of records of this length, made by `new` at the first call.
    pub fn contents_of(&mut self, record_bytes: u16, new: impl FnOnce() -> Contents) -> u16 {
        let found = self.contents.iter().position(|one| one.region().record_bytes == record_bytes);
        let place = found.unwrap_or_else(|| {
            self.contents.push(new());
            self.contents.len() - 1
        });
        place as u16
    }

    /// Returns what the records hold.
    #[inline]
    pub fn contents(&mut self, place: u16) -> &mut Contents {
        &mut self.contents[usize::from(place)]
    }

    /// Puts a request behind those that wait.
    #[inline]
    pub fn wait(&mut self, request: Request) {
        self.waiting.push_back(request);
    }

    /// Returns the first request, when there is an address for it.
    #[inline]
    pub fn next(&mut self) -> Option<(Request, u8)> {
        let address = *self.free.last()?;
        let request = self.waiting.pop_front()?;
        self.free.pop();
        Some((request, address))
    }

    /// Puts a request back that cannot begin yet, with its address.
    pub fn put_back(&mut self, request: Request, address: u8) {
        self.waiting.push_front(request);
        self.free.push(address);
    }

    /// Frees `address`, whose I/O is over.
    #[inline]
    pub fn free(&mut self, address: u8) {
        self.free.push(address);
    }

    /// Requests that wait.
    #[inline]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Takes all requests away that wait.
    pub fn take_waiting(&mut self) -> VecDeque<Request> {
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use halftrack_program::Geometry;

    use super::*;

    #[test]
    fn an_address_does_one_io_at_a_time() {
        let mut volume = Volume::new(0x10, [0x80], Geometry::with_cylinders(10).unwrap());
        let request = |job| Request { stream: 0, job, device: 0, write: false, arrived: Time::ZERO };
        for job in 0..3 {
            volume.wait(request(job));
        }
        assert_eq!(volume.next(), Some((request(0), 0x10)));
        assert_eq!(volume.next(), Some((request(1), 0x80)));
        assert_eq!((volume.next(), volume.waiting()), (None, 1));
        volume.free(0x10);
        let (again, address) = volume.next().unwrap();
        volume.put_back(again, address);
        assert_eq!(volume.next(), Some((request(2), 0x10)));
    }
}
