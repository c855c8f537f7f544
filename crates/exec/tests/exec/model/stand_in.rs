//! The model's control unit in the place of a product's device, so that the channel is compared by itself; and
//! the model's volume in the place of a product's tracks, so that the control unit is.

use halftrack_program::{
    ChainEnd, DataPort, Device, DeviceEnd, DeviceStatus, Octets, OperationEnd, Transfer,
};

use crate::model::fault::Sense;
use crate::model::line::Line;
use crate::model::transport::Direction;
use crate::model::unit::Unit;

/// A line over a product's port.
struct PortLine<'a, P: DataPort> {
    port: &'a mut P,
    moved: u32,
}

impl<P: DataPort> Line for PortLine<'_, P> {
    fn give(&mut self, byte: Option<u8>) -> bool {
        let taken = self.port.give(Octets::Bytes(&[byte.unwrap_or(0)]));
        self.moved += taken;
        taken == 1
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.port.take(1).bytes().and_then(|bytes| bytes.first().copied());
        self.moved += u32::from(byte.is_some());
        byte
    }
}

impl Device for Unit {
    fn execute(&mut self, command: u8, port: &mut impl DataPort) -> DeviceEnd {
        let mut line = PortLine { port, moved: 0 };
        let end = Unit::execute(self, command, &mut line);
        DeviceEnd {
            status: DeviceStatus(end.status),
            moved_bytes: line.moved,
            device_bytes: end.device_bytes,
            immediate: end.immediate,
            sense: end.sense.map(whole_sense),
        }
    }

    fn execute_operation(
        &mut self,
        tccb: &[u8],
        transfer: Transfer,
        port: &mut impl DataPort,
    ) -> OperationEnd {
        let way = match transfer {
            Transfer::Read => Direction::Read,
            Transfer::Write => Direction::Write,
            Transfer::None | Transfer::Bidirectional => Direction::Nowhere,
        };
        let mut line = PortLine { port, moved: 0 };
        let end = crate::model::transport::operation(self, tccb, way, &mut line);
        if end.answered {
            let mut states = [0; 52];
            states[1] = 0xE0;
            line.port.give(Octets::Bytes(&states));
        }
        OperationEnd {
            status: DeviceStatus(end.status),
            moved_bytes: line.moved,
            residual: end.residual,
            dcw_offset: end.dcw_offset,
            program_check: end.program_check,
            sense: end.sense.map(whole_sense),
        }
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnd> {
        let sense = Unit::end_chain(self, end == ChainEnd::Unchained)?;
        Some(DeviceEnd {
            status: DeviceStatus(0x0E),
            moved_bytes: 0,
            device_bytes: 0,
            immediate: false,
            sense: Some(whole_sense(sense)),
        })
    }
}

/// Returns the 32 bytes of sense, of which the model has three.
fn whole_sense(known: Sense) -> [u8; 32] {
    let mut sense = [0; 32];
    (sense[0], sense[1], sense[7]) = (known[0], known[1], known[2]);
    sense
}
