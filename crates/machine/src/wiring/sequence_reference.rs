//! The reference of RMF's estimate of a channel processor's utilisation: the channel's maximum of 4 KiB read
//! hits, in information units a second. Found from the exchange itself, so that no catalog has to state it.

use halftrack_base::Span;
use halftrack_config::{Bridge, Channel, HeldBus};
use halftrack_exchange::{Carrier, Login, PlanKey, Plans};
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape, Protocol};
use halftrack_wire::FrameProtection;
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;

use crate::wiring::error::WiringError;
use crate::wiring::pricing::Tariff;

/// The reference: one record of 4 KiB, with the positioning of its time.
const SHAPE: ProgramShape = ProgramShape {
    operation: Operation::Read,
    record_bytes: 4096,
    records: 1,
    grouping: Grouping::Records,
    positioning: Positioning::DefineExtentLocateRecord,
};

/// Pacing window of a native channel, which such a read does not fill: as sent at once, and as granted.
const NATIVE_PACING: (u8, u8) = (16, 16);

/// Computes the time of `channel` for one information unit at its maximum; zero where its utilisation is measured.
pub(crate) fn reference_of(channel: &Channel) -> Result<Span, WiringError> {
    let Some(held_bus) = channel.hardware.held_bus else { return Ok(Span::ZERO) };
    let granted = |bridge: Bridge| (channel.initial_pacing, bridge.granted_pacing);
    sequence_reference(held_bus, channel.hardware.bridge.map_or(NATIVE_PACING, granted))
}

/// Computes the time of a channel for one information unit at its maximum of 4 KiB read hits under the windows `pacing`.
fn sequence_reference(held_bus: HeldBus, pacing: (u8, u8)) -> Result<Span, WiringError> {
    let login = Login {
        frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES,
        initial_pacing: pacing.0,
        granted_pacing: pacing.1,
        first_transfer_bytes: 0,
        transfer_ready_bytes: 0,
        carrier: Carrier::Ficon,
        window_bytes: 0,
        protection: FrameProtection::NONE,
    };
    let mut plans = Plans::default();
    let key = PlanKey { shape: SHAPE, protocol: Protocol::Command, hit: true, login };
    let failed =
        |source| WiringError::Program { stream: "(4 KiB read hits)".to_owned(), shape: SHAPE, source };
    let plan = &plans.record(key).map_err(failed).map(|id| plans[id].clone())?;
    let tariff = Tariff::HeldBus(held_bus);
    let sent = plan.outbound.iter().map(|step| step.send);
    let works = sent.chain(plan.inbound.iter().map(|step| step.receive));
    let (time, sequences) = works.fold((Span::ZERO, 0), |(time, sequences), work| {
        (time + tariff.price(work), sequences + u64::from(work.sequences))
    });
    Ok(time / sequences.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_of_4_kib_is_seven_information_units_and_eight_frames() {
        let us = Span::from_us;
        let held = HeldBus {
            sequence: us(14),
            units_per_command: 0,
            frame: us(7),
            bytes_per_s: 4_096_000_000,
            idle_bus_permille: 0,
        };
        assert_eq!(sequence_reference(held, NATIVE_PACING).unwrap(), (us(7 * 14) + us(8 * 7) + us(1)) / 7);
    }
}
