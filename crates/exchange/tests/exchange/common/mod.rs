//! Shapes, login values and keys that the tests of this crate share.

#![allow(dead_code, reason = "each test binary uses its part")]

use halftrack_exchange::{Carrier, Identity, Login, PlanKey};
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape, Protocol};
use halftrack_wire::FrameProtection;
use proptest::prelude::*;

pub const IDENTITY: Identity =
    Identity { channel_image: 3, control_unit_image: 7, device: 0x34, token: 0xABCD };

pub const LOGIN: Login = Login {
    frame_payload_bytes: 2048,
    initial_pacing: 16,
    granted_pacing: 0,
    first_transfer_bytes: 0,
    transfer_ready_bytes: 0,
    carrier: Carrier::Ficon,
    window_bytes: 0,
    protection: FrameProtection::NONE,
};

/// Returns a read of `records` records by Prefix and Read Data.
pub const fn read(record_bytes: u16, records: u16) -> ProgramShape {
    ProgramShape {
        operation: Operation::Read,
        record_bytes,
        records,
        grouping: Grouping::Records,
        positioning: Positioning::Prefix,
    }
}

/// Returns an update write of `records` records by Prefix and Write Data.
pub const fn write(record_bytes: u16, records: u16) -> ProgramShape {
    ProgramShape { operation: Operation::UpdateWrite, ..read(record_bytes, records) }
}

pub const fn key(shape: ProgramShape, protocol: Protocol) -> PlanKey {
    PlanKey { shape, protocol, hit: true, login: LOGIN }
}

/// Returns the any shape that has a channel program: n records of 4K, or 1 or 6 half-tracks.
pub fn any_shape() -> impl Strategy<Value = ProgramShape> {
    let records =
        prop_oneof![(Just(4096_u16), 1_u16..40), Just((27_998, 1)), Just((27_998, 6)), Just((4095, 14))];
    let operation = prop_oneof![Just(Operation::Read), Just(Operation::UpdateWrite)];
    let grouping = prop_oneof![Just(Grouping::Records), Just(Grouping::Midaw), Just(Grouping::TrackData)];
    let positioning = prop_oneof![Just(Positioning::Prefix), Just(Positioning::DefineExtentLocateRecord)];
    (records, operation, grouping, positioning).prop_map(
        |((record_bytes, records), operation, grouping, positioning)| {
            // Update writes of tracks have no expression after a plain Locate Record.
            let tracks = grouping != Grouping::Records && operation == Operation::UpdateWrite;
            let positioning = if tracks { Positioning::Prefix } else { positioning };
            ProgramShape { operation, record_bytes, records, grouping, positioning }
        },
    )
}

pub fn any_login() -> impl Strategy<Value = Login> {
    let pacing = prop_oneof![Just(0_u8), 1_u8..6, Just(16), any::<u8>()];
    let granted = prop_oneof![Just(0_u8), 1_u8..40, any::<u8>()];
    let first = prop_oneof![Just(0_u32), Just(4096), Just(65_536), 0_u32..200_000];
    let ready = prop_oneof![Just(0_u32), Just(4096), Just(65_536), 1000_u32..200_000];
    (prop_oneof![Just(2048_u32), Just(2112)], pacing, granted, first, ready).prop_map(
        |(
            frame_payload_bytes,
            initial_pacing,
            granted_pacing,
            first_transfer_bytes,
            transfer_ready_bytes,
        )| {
            Login {
                frame_payload_bytes,
                initial_pacing,
                granted_pacing,
                first_transfer_bytes,
                transfer_ready_bytes,
                carrier: Carrier::Ficon,
                window_bytes: 0,
                protection: FrameProtection::NONE,
            }
        },
    )
}

/// Returns a program of up to four 4K records over a circuit.
pub fn any_circuit_key() -> impl Strategy<Value = PlanKey> {
    let operation = prop_oneof![Just(Operation::Read), Just(Operation::UpdateWrite)];
    let positioning = prop_oneof![Just(Positioning::Prefix), Just(Positioning::DefineExtentLocateRecord)];
    let carrier = prop_oneof![Just(Carrier::Escon), Just(Carrier::Parallel)];
    let window = prop_oneof![Just(0_u32), Just(1530), 1_u32..9000];
    (operation, positioning, 1_u16..5, carrier, window, any::<bool>()).prop_map(
        |(operation, positioning, records, carrier, window_bytes, hit)| {
            let shape = ProgramShape { operation, positioning, ..read(4096, records) };
            let login = Login { carrier, window_bytes, ..LOGIN };
            PlanKey { shape, protocol: Protocol::Command, hit, login }
        },
    )
}

pub fn any_key() -> impl Strategy<Value = PlanKey> {
    let protocol = prop_oneof![Just(Protocol::Command), Just(Protocol::Transport)];
    (any_shape(), protocol, any::<bool>(), any_login()).prop_map(|(shape, protocol, hit, login)| PlanKey {
        shape,
        protocol,
        hit,
        login,
    })
}

/// Returns a login for exchanges of FCP.
pub const FCP: Login = Login { carrier: Carrier::Fcp, ..LOGIN };

pub const fn fcp_key(shape: ProgramShape) -> PlanKey {
    PlanKey { shape, protocol: Protocol::Transport, hit: true, login: FCP }
}

/// Returns a SCSI command that moves up to 64 records of 512 octets to 4K.
pub fn any_fcp_key() -> impl Strategy<Value = PlanKey> {
    let operation = prop_oneof![Just(Operation::Read), Just(Operation::UpdateWrite)];
    let bytes = prop_oneof![Just(512_u16), Just(4096)];
    (operation, bytes, 1_u16..64, any::<bool>(), any_login()).prop_map(
        |(operation, record_bytes, records, hit, login)| {
            let shape = ProgramShape { operation, ..read(record_bytes, records) };
            let login = Login { carrier: Carrier::Fcp, ..login };
            PlanKey { shape, protocol: Protocol::Transport, hit, login }
        },
    )
}
