//! The purge-path response, which both ends give alike (Fibre Channel reference 6.2, 9.4).

use halftrack_wire::choices::{CONTROL_CODE_INDEX, PURGE_RESPONSE_CODE_OFFSET, PURGE_RESPONSE_DATA_BYTES};
use halftrack_wire::{Body, CommandMode, ControlDib, ControlFunction, DataFlags, Dib, IuData};

/// Returns the response to the purge path that has `request` as its fields, with the error code that this end reports.
pub(crate) fn response(request: &CommandMode, code: u8) -> (Body, IuData) {
    let mut data = vec![0; PURGE_RESPONSE_DATA_BYTES];
    data[PURGE_RESPONSE_CODE_OFFSET] = code;
    let dib = Dib::Control(ControlDib::plain(ControlFunction::PurgePathResponse));
    (Body::CommandMode(CommandMode { flags: DataFlags::NO_CRC, dib, ..*request }), IuData::Bytes(data))
}

/// Returns the error code of a purge path; 0 for another IU.
pub(crate) fn code(request: &CommandMode) -> u8 {
    match request.dib {
        Dib::Control(control) => control.parameter[CONTROL_CODE_INDEX],
        Dib::Data | Dib::Command(_) | Dib::CommandData(_) | Dib::Status(_) => 0,
    }
}
