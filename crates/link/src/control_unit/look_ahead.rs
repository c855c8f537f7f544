//! Look-ahead: the track that a received command will read, before its turn.

use halftrack_program::command::{LOCATE_RECORD, LOCATE_RECORD_EXTENDED, PREFIX, PREFIX_READ};
use halftrack_program::{DcwList, LocateRecord, LocateRecordExtended, Prefix, TCAH_BYTES, Target, Tcah};
use halftrack_wire::FcFrame;
use halftrack_wire::fc_header::{fc_type, routing};
use halftrack_wire::sb_header::{SB_HEADER_BYTES, SbHeader};
use halftrack_wire::transport_iu::COMMAND_PREFIX_BYTES;

/// Returns the device to which a frame's command in transport mode goes, and where it locates its first record. Nothing of any
/// other frame, nor of octets that are no such command: its execution reports the error.
#[inline]
pub fn located(frame: &FcFrame<'_>) -> Option<(SbHeader, Target)> {
    let header = &frame.header;
    if (header.fc_type, header.r_ctl) != (fc_type::FCP, routing::COMMAND) {
        return None;
    }
    let address = SbHeader::parse(frame.payload.first_chunk::<SB_HEADER_BYTES>()?);
    let tccb = frame.payload.get(COMMAND_PREFIX_BYTES..)?;
    let length = Tcah::parse(tccb).ok()?.area_bytes();
    let area = tccb.get(TCAH_BYTES..)?.get(..length)?;
    let target = DcwList::new(area).map_while(Result::ok).find_map(|dcw| match dcw.command {
        PREFIX | PREFIX_READ => {
            Prefix::parse(dcw.control_data).ok()?.locate_record.map(|locate| locate.target)
        }
        LOCATE_RECORD => LocateRecord::parse(dcw.control_data).ok().map(|locate| locate.target),
        LOCATE_RECORD_EXTENDED => {
            LocateRecordExtended::parse(dcw.control_data).ok().map(|locate| locate.target)
        }
        _ => None,
    })?;
    Some((address, target))
}

#[cfg(test)]
mod tests {
    use halftrack_program::TrackAddress;
    use halftrack_wire::FcHeader;

    use super::*;

    /// Returns a command that reads record 2 of cylinder 20, head 9, of device 01. It has a prefix, TCAH, a Prefix Read
    /// with its Define Extent and Locate Record Extended, TCAT.
    fn command() -> Vec<u8> {
        let mut octets = vec![0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x4E];
        octets.extend_from_slice(&[0x7F, 0, 0, 0, 0, 0, 0, 0x54, 0x1F, 0xFE, 0, 0, 0, 0, 0, 0]);
        octets.extend_from_slice(&[0xEA, 0, 0, 0x40, 0, 0, 0x10, 0]);
        octets.extend_from_slice(&[1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        octets.extend_from_slice(&[0x40, 0xC0, 0x10, 0, 0, 0, 0, 0x42, 0, 20, 0, 9, 0, 20, 0, 9]);
        octets.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0x0C, 0, 0, 0, 0]);
        octets.extend_from_slice(&[
            0x0C, 0xE8, 0xA6, 1, 0, 20, 0, 9, 0, 20, 0, 9, 2, 0x18, 0x10, 0, 0, 0, 0, 0,
        ]);
        octets.extend_from_slice(&[0xE5, 0x4E, 0xB6, 0x15, 0, 0, 0x10, 4]);
        octets
    }

    fn located_in(fc_type: u8, r_ctl: u8, payload: &[u8]) -> Option<(SbHeader, Target)> {
        let header = FcHeader { fc_type, r_ctl, ..FcHeader::default() };
        located(&FcFrame { header, optional: &[], payload })
    }

    #[test]
    fn a_command_tells_where_it_will_read() {
        let (address, target) = located_in(fc_type::FCP, routing::COMMAND, &command()).unwrap();
        assert_eq!((address.channel_image, address.control_unit_image, address.device), (1, 0, 1));
        assert_eq!((target.seek, target.record), (TrackAddress::new(20, 9).unwrap(), 2));
    }

    #[test]
    fn what_is_no_such_command_tells_nothing() {
        let command = command();
        assert!(located_in(fc_type::FCP, routing::DATA, &command).is_none());
        assert!(located_in(fc_type::SB_CHANNEL, routing::COMMAND, &command).is_none());
        for length in 0..command.len() - 8 {
            assert!(located_in(fc_type::FCP, routing::COMMAND, &command[..length]).is_none(), "{length}");
        }
    }
}
