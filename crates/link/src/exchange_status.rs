//! State of an exchange at a port as its answer to REC has it.

use halftrack_exchange::ExchangeState;
use halftrack_wire::els::ExchangeStatus;

/// Returns the status block of an exchange, but for its ids.
pub fn exchange_status(state: ExchangeState) -> ExchangeStatus {
    let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
    ExchangeStatus {
        received_bytes: state.received_bytes,
        status: bit(state.has_initiative, ExchangeStatus::INITIATIVE)
            | bit(state.is_complete, ExchangeStatus::COMPLETE),
        ..ExchangeStatus::default()
    }
}
