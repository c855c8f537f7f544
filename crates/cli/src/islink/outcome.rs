//! Outcome of a system's part in a link, as text and JSON have it.

use halftrack_link::driver::DiskRun;
use halftrack_link::islink::{ConversationReport, Service, ServiceError, ServiceReport};
use halftrack_link::plug::Plug;
use serde::Serialize;

use crate::drive::outcome::Outcome as DiskOutcome;

use super::conversations::{RelocationOutcome, RequestsOutcome, ResponsesOutcome};

/// A stream and the octets that went over it.
#[derive(Debug, Serialize)]
pub struct StreamOutcome {
    /// Number of the stream.
    pub stream: u32,
    /// Octets.
    pub bytes: u64,
}

/// A device of the link.
#[derive(Debug, Serialize)]
pub struct DeviceOutcome {
    /// Device number, four digits.
    pub device: String,
    /// State, in words.
    pub state: String,
    /// This system writes on it.
    pub is_written: bool,
    /// Starts of Write and of Read.
    pub write_starts: u64,
    pub read_starts: u64,
    /// Blocks and octets of data that were written.
    pub written_blocks: u64,
    pub written_bytes: u64,
    /// Blocks and octets of data that were read.
    pub read_blocks: u64,
    pub read_bytes: u64,
    /// Writes that met a Write of the other system.
    pub collisions: u64,
}

/// Outcome of a system's part.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// System, and the one at the other end.
    pub system: String,
    pub node: Option<String>,
    /// Streams that were sent: octets that the other system took.
    pub sent: Vec<StreamOutcome>,
    /// Streams that were received.
    pub received: Vec<StreamOutcome>,
    /// Guests that left, and that came.
    pub relocations: Vec<RelocationOutcome>,
    /// Requests that were sent, and responses.
    pub requests: Vec<RequestsOutcome>,
    pub responses: Vec<ResponsesOutcome>,
    /// From the first block to the last, s.
    pub elapsed_s: f64,
    /// Rate of all streams, 10^6 bytes a second.
    pub mb_per_s: f64,
    /// Times that a channel was lost.
    pub channel_losses: u32,
    /// Devices.
    pub devices: Vec<DeviceOutcome>,
    /// I/O to disks, where that came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disks: Option<DiskOutcome>,
    /// Why no I/O to disks came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disks_error: Option<String>,
    /// Why it ended early.
    pub error: Option<String>,
}

impl Outcome {
    /// Returns the outcome of a service that ran.
    pub fn new<P: Plug>(
        system: &str,
        service: &Service<P>,
        ran: &Result<ServiceReport, ServiceError>,
    ) -> Self {
        let report = match ran {
            Ok(report) => report.clone(),
            Err(_) => service.report(false),
        };
        let streams = |streams: &[(u32, u64)]| {
            streams.iter().map(|&(stream, bytes)| StreamOutcome { stream, bytes }).collect()
        };
        let elapsed_s = report.elapsed.as_s_f64();
        let (mut relocations, mut requests, mut responses) = (Vec::new(), Vec::new(), Vec::new());
        for (stream, conversation) in &report.conversations {
            let of = |one, is_source| RelocationOutcome::new(*stream, one, is_source);
            match conversation {
                ConversationReport::Departure(one) => relocations.push(of(one, true)),
                ConversationReport::Arrival(one) => relocations.push(of(one, false)),
                ConversationReport::Requests(one) => requests.push(RequestsOutcome::new(*stream, one)),
                ConversationReport::Responses(sent) => {
                    responses.push(ResponsesOutcome { stream: *stream, responses: *sent });
                }
            }
        }
        let streamed: u64 = report.sent.iter().chain(&report.received).map(|(_, bytes)| bytes).sum();
        let relocated: u64 = relocations.iter().map(RelocationOutcome::moved_bytes).sum();
        let bytes = streamed + relocated;
        let disks = service.disks().and_then(DiskRun::result);
        let interrupted = report.is_interrupted.then(|| "interrupted".to_owned());
        Self {
            system: system.to_owned(),
            node: report.node.map(|node| node.to_string()),
            sent: streams(&report.sent),
            received: streams(&report.received),
            relocations,
            requests,
            responses,
            elapsed_s,
            mb_per_s: if elapsed_s > 0.0 { bytes as f64 / 1e6 / elapsed_s } else { 0.0 },
            channel_losses: report.channel_losses,
            devices: report.devices.iter().map(device_outcome).collect(),
            disks: disks.and_then(|ran| ran.as_ref().ok()).map(DiskOutcome::new),
            disks_error: service.disks().and_then(DiskRun::failure),
            error: ran.as_ref().err().map(ToString::to_string).or(interrupted),
        }
    }

    /// Returns whether every octet and every guest arrived, and every I/O to disks was right.
    pub fn is_right(&self) -> bool {
        let disks_are_right =
            self.disks.as_ref().is_none_or(|disks| disks.right) && self.disks_error.is_none();
        self.error.is_none() && disks_are_right && self.relocations.iter().all(RelocationOutcome::is_moved)
    }

    /// Returns it as one JSON object.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("an outcome is plain values");
        text.push('\n');
        text
    }
}

fn device_outcome(device: &halftrack_isfc::DeviceReport) -> DeviceOutcome {
    let (write, read) = (device.counters.write, device.counters.read);
    DeviceOutcome {
        device: device.number.to_string(),
        state: format!("{:?}", device.state),
        is_written: device.is_written,
        write_starts: write.starts,
        read_starts: read.starts,
        written_blocks: write.blocks,
        written_bytes: write.octets,
        read_blocks: read.blocks,
        read_bytes: read.octets,
        collisions: device.counters.collisions,
    }
}
