//! REPORT LUNS (SPC-4, 6.33).

use crate::masking::Masking;
use crate::nexus::Nexus;
use halftrack_wire::fcp::Lun;

/// Returns the list: of all units (0), of the well-known ones (1), or of both (2).
pub(crate) fn luns(masking: &Masking, nexus: Nexus, select: u8) -> Vec<u8> {
    let well_known = (select > 0).then_some(Lun::REPORT_LUNS);
    let seen = masking.units(nexus).map(|(lun, _)| lun).filter(|_| select != 1);
    let luns: Vec<Lun> = seen.chain(well_known).collect();
    let mut data = ((luns.len() * Lun::BYTES) as u32).to_be_bytes().to_vec();
    data.extend([0; 4]);
    data.extend(luns.iter().flat_map(|lun| lun.0));
    data
}
