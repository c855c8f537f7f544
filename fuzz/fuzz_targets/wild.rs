//! Common parts of both targets of the channel: storage from any octets, and a device that answers anything.

use halftrack_program::{
    ChainEnd, DataPort, Device, DeviceEnd, DeviceStatus, Irb, MainStorage, Octets, OperationEnd, SENSE_BYTES,
    STORAGE_BLOCK_BYTES, StorageKey, Transfer,
};

/// Bytes of storage: what 16 bits can address, so that many addresses are outside.
pub const STORAGE_BYTES: usize = 0x1_0000;
/// Bytes of the head of an input: two for each block of storage, and sixteen for the device.
pub const HEAD_BYTES: usize = 2 * STORAGE_BYTES / STORAGE_BLOCK_BYTES + 16;

/// Makes storage that begins with `image`, with keys and protection from `head`.
pub fn storage(head: &[u8], image: &[u8]) -> MainStorage {
    let mut storage = MainStorage::new(STORAGE_BYTES);
    let length = image.len().min(STORAGE_BYTES);
    storage.bytes_mut()[..length].copy_from_slice(&image[..length]);
    for block in 0..STORAGE_BYTES / STORAGE_BLOCK_BYTES {
        let key = StorageKey::new(head[block], head[block] & 0x10 != 0);
        storage.set_key((block * STORAGE_BLOCK_BYTES) as u64, key).expect("there is storage");
    }
    storage
}

/// Blocks whose key is not `key` are as they were.
pub fn assert_protected(before: &MainStorage, after: &MainStorage, key: u8) {
    for at in (0..STORAGE_BYTES).step_by(STORAGE_BLOCK_BYTES) {
        let block = before.key(at as u64).expect("there is storage");
        let range = at..at + STORAGE_BLOCK_BYTES;
        let is_same = before.bytes()[range.clone()] == after.bytes()[range];
        assert!(is_same || key == 0 || block.access() == key, "block at {at:#x} was stored");
    }
}

/// Checks that the stored block can be read.
pub fn assert_readable(irb: &Irb) {
    assert_eq!(Irb::parse(&irb.emit()).as_ref(), Ok(irb));
}

/// Device that sends and accepts as its octets determine, whatever the command.
pub struct WildDevice<'a> {
    octets: &'a [u8],
    at: usize,
    /// Chains that have ended.
    pub chains_ended: u32,
}

impl<'a> WildDevice<'a> {
    /// Makes a device of the last sixteen octets of `head`.
    pub fn new(head: &'a [u8]) -> Self {
        Self { octets: &head[HEAD_BYTES - 16..], at: 0, chains_ended: 0 }
    }

    fn next(&mut self) -> u8 {
        self.at += 1;
        self.octets[self.at % self.octets.len()]
    }

    fn move_data(&mut self, port: &mut impl DataPort) -> u32 {
        static PATTERN: [u8; 8192] = [0xA5; 8192];
        let mut moved = 0;
        for _ in 0..self.next() % 4 {
            let bytes = usize::from(self.next()) * 32 + usize::from(self.next() % 3);
            moved += match self.next() % 4 {
                0 => port.give(Octets::Count(bytes as u32)),
                1 => {
                    let run = port.take(bytes as u32);
                    assert!(run.len() as usize <= bytes);
                    run.len()
                }
                2 => port.take_into(&mut [0; 300]) as u32,
                _ => {
                    let given = port.give(Octets::Bytes(&PATTERN[..bytes.min(PATTERN.len())]));
                    assert!(given as usize <= bytes);
                    given
                }
            };
        }
        moved
    }
}

impl Device for WildDevice<'_> {
    fn execute(&mut self, _: u8, port: &mut impl DataPort) -> DeviceEnd {
        let moved_bytes = self.move_data(port);
        let status = match self.next() {
            odd if odd % 4 == 3 => DeviceStatus(self.next()),
            _ => DeviceStatus::NORMAL_END,
        };
        let sense = status.contains(DeviceStatus::UNIT_CHECK).then_some([0x5A; SENSE_BYTES]);
        let device_bytes = moved_bytes + u32::from(self.next() % 3 == 1);
        DeviceEnd { status, moved_bytes, device_bytes, immediate: self.next() % 5 == 0, sense }
    }

    fn execute_operation(&mut self, tccb: &[u8], _: Transfer, port: &mut impl DataPort) -> OperationEnd {
        let end = self.execute(tccb.last().copied().unwrap_or(0), port);
        OperationEnd {
            status: end.status,
            moved_bytes: end.moved_bytes,
            residual: u32::from(self.next()),
            dcw_offset: Some(u16::from(self.next())),
            program_check: (self.next() % 7 == 1).then_some(5),
            sense: end.sense,
        }
    }

    fn end_chain(&mut self, _: ChainEnd) -> Option<DeviceEnd> {
        self.chains_ended += 1;
        None
    }
}
