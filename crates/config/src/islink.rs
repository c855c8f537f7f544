//! Logical links of ISFC: the channel-to-channel devices between two systems, and what moves over them.

use halftrack_base::Span;
use halftrack_isfc::relocation::Plan;
use halftrack_isfc::workload::Sizes;
use halftrack_isfc::{BLOCK_BYTES_MAX, DeviceNumber, End, Incarnation, Level, Settings, SystemName};

use crate::cpc::Lpar;

/// Octets that a system keeps until they are confirmed, and that wait to be taken: those of the working link.
const SEND_BYTES: u64 = 64 << 20;
const RECEIVE_BYTES: u64 = 32 << 20;
/// Time after which a device is tried again whose partner was not ready, ms.
const RETRY_MS: u64 = 1000;
/// Names of the systems where those of the partitions are none, and of their collection.
const NAMES: [&str; 2] = ["SYSTEMA", "SYSTEMB"];
const COLLECTION: &str = "HALFTRAK";

/// A logical link between two systems.
#[derive(Debug, Clone, PartialEq)]
pub struct IsLink {
    /// Name, unique in the workload.
    pub name: String,
    /// Indices of the partitions of both ends.
    pub lpars: [u32; 2],
    /// Its devices, by their numbers at the first end; 1 to 16.
    pub devices: Vec<IsLinkDevice>,
    /// Its work, in the order of the file: bulks, requests, relocations.
    pub flows: Vec<IsLinkFlow>,
}

impl IsLink {
    /// Makes the end of the protocol of the system at end `index`, all of whose devices have a path.
    ///
    /// # Panics
    /// When the link has more than 16 devices, which a configuration refuses.
    pub fn end(&self, lpars: &[Lpar], index: usize) -> End {
        let name = |text: &str| text.parse::<SystemName>();
        let system = name(&lpars[self.lpars[index] as usize].name).or_else(|_| name(NAMES[index]));
        let mut end = End::new(Settings {
            system: system.expect("a name of seven letters"),
            collection: name(COLLECTION).expect("a name of eight letters"),
            level: Level::SIXTEEN_DEVICES,
            incarnation: Incarnation(1),
            node: None,
            block_bytes: BLOCK_BYTES_MAX,
            send_bytes: SEND_BYTES,
            receive_bytes: RECEIVE_BYTES,
            retry: Some(Span::from_ms(RETRY_MS)),
        });
        for device in &self.devices {
            let number = DeviceNumber(device.numbers[index]);
            end.activate(number, None).expect("at most 16 devices, each once");
            end.operational(number);
        }
        end
    }
}

/// A channel-to-channel device, seen from both ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsLinkDevice {
    /// Its device number at each end.
    pub numbers: [u16; 2],
    /// Index of the channel at each end; one that both systems share is there twice.
    pub channels: [u32; 2],
    /// Links from each end to the other, in order of travel.
    pub links: [Vec<u32>; 2],
    /// End at whose channel the adapter's function is. Of ESCON it is that of TYPE=CTC; of FICON, where either may have it, the
    /// first.
    pub function_end: u8,
    /// Shortest time between two blocks.
    pub turnaround: Span,
}

/// Work of a logical link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsLinkFlow {
    /// End that begins it: 0 or 1.
    pub from: u8,
    /// Kind of work.
    pub work: IsLinkWork,
}

/// Kind of work of a logical link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IsLinkWork {
    /// Data from one end to the other as fast as the link takes them.
    Bulk,
    /// Requests of one end, which the other one answers.
    Requests(IsLinkRequests),
    /// A guest that moves from one end to the other.
    Relocation(IsLinkRelocation),
}

/// Requests with their responses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsLinkRequests {
    /// Name, unique in the workload.
    pub name: String,
    /// Sizes of a request and a response.
    pub sizes: Sizes,
    /// Requests at a time.
    pub depth: u32,
    /// Time from a response to the next request.
    pub think: Span,
    /// Requests in all; none for as many as the run has time for.
    pub count: Option<u64>,
}

/// A guest that is relocated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsLinkRelocation {
    /// Name of the guest, unique in the workload.
    pub guest: String,
    /// Its memory, the changes to that, and what is wanted.
    pub plan: Plan,
    /// When it begins, from the start of the run, warm-up included.
    pub at: Span,
}
