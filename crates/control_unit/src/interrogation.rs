//! Interrogation: a TCCB that requests the state of an operation.

use halftrack_program::command::INTERROGATE;
use halftrack_program::{
    DataPort, DcwList, DeviceStatus, InterrogateAnswer, Octets, OperationEnd, ServiceAction, TCAH_BYTES,
    TCAT_BYTES, Tcah, Transfer,
};

use crate::program_check::{ProgramCheckReason, Refusal};

/// Bytes that the parameters of an interrogation have at least.
const PARAMETER_BYTES: usize = 32;
/// The states of control unit, device and operation are valid.
const STATES_VALID: u8 = 0xE0;

/// Returns the answer to `tccb`, or why it is refused; none when it does not interrogate.
///
/// The states are 0, no operation present: where operations take no time, the interrogated one is over. The meaning
/// of the codes is not public; our choice.
pub(crate) fn answer(
    tccb: &[u8],
    transfer: Transfer,
    port: &mut impl DataPort,
) -> Option<Result<OperationEnd, Refusal>> {
    let tcah = Tcah::parse(tccb).ok().filter(|tcah| tcah.action == ServiceAction::Interrogate)?;
    Some(check(&tcah, tccb, transfer).map(|()| {
        let states = InterrogateAnswer { flags: STATES_VALID, ..InterrogateAnswer::default() };
        port.give(Octets::Bytes(&states.emit()));
        OperationEnd {
            status: DeviceStatus::NORMAL_END,
            moved_bytes: 0,
            residual: 0,
            dcw_offset: Some(0),
            program_check: None,
            sense: None,
        }
    }))
}

/// Checks for one DCW with the parameters of an interrogation, and no data (reference 6.5).
fn check(tcah: &Tcah, tccb: &[u8], transfer: Transfer) -> Result<(), Refusal> {
    let end = TCAH_BYTES + tcah.area_bytes();
    if tccb.len() != end + TCAT_BYTES {
        return Err((ProgramCheckReason::TccbLength, None));
    }
    if transfer != Transfer::None {
        return Err((ProgramCheckReason::TransferDirection, None));
    }
    let mut dcws = DcwList::new(&tccb[TCAH_BYTES..end]);
    let dcw = dcws.next().and_then(Result::ok).ok_or((ProgramCheckReason::DcwList, Some(0)))?;
    let is_right = dcw.command == INTERROGATE
        && dcw.data_count == 0
        && dcw.control_data.len() >= PARAMETER_BYTES
        && dcw.control_data[0] == 0;
    if is_right && dcws.next().is_none() { Ok(()) } else { Err((ProgramCheckReason::DcwList, Some(0))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{MemoryTracks, Port, Unit};
    use halftrack_program::{Dcw, Device, Tcat, Tccb};

    fn tccb(control_data: Vec<u8>, command: u8, data_count: u32) -> Vec<u8> {
        let dcws = vec![Dcw { command, control_data, data_count }];
        Tccb { action: ServiceAction::Interrogate, priority: 0, dcws, tcat: Tcat::default() }.emit().unwrap()
    }

    fn run(tccb: &[u8], transfer: Transfer) -> (OperationEnd, Vec<u8>) {
        let mut port = Port::taking(52);
        let end = Unit::new(MemoryTracks::of_4k()).execute_operation(tccb, transfer, &mut port);
        (end, port.taken)
    }

    #[test]
    fn the_answer_says_that_nothing_is_present() {
        let (end, answer) = run(&tccb(vec![0; 32], INTERROGATE, 0), Transfer::None);
        assert_eq!((end.status, end.program_check), (DeviceStatus::NORMAL_END, None));
        assert_eq!((answer.len(), answer[..5].to_vec()), (52, vec![0, 0xE0, 0, 0, 0]));
    }

    #[test]
    fn what_is_no_interrogation_is_refused() {
        let reason = |tccb: &[u8], transfer| {
            let (end, answer) = run(tccb, transfer);
            assert!(answer.is_empty());
            end.program_check
        };
        let good = tccb(vec![0; 32], INTERROGATE, 0);
        assert_eq!(reason(&good, Transfer::Read), Some(6));
        assert_eq!(reason(&good[..good.len() - 1], Transfer::None), Some(3));
        assert_eq!(reason(&tccb(vec![0; 31], INTERROGATE, 0), Transfer::None), Some(5), "too few parameters");
        assert_eq!(reason(&tccb(vec![1; 32], INTERROGATE, 0), Transfer::None), Some(5), "another format");
        assert_eq!(reason(&tccb(vec![0; 32], 0x86, 0), Transfer::None), Some(5), "another command");
        assert_eq!(reason(&tccb(vec![0; 32], INTERROGATE, 1), Transfer::None), Some(5), "data");
    }
}
