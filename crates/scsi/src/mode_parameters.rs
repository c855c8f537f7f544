//! Mode parameters of a unit, and the pages that show them (SPC-4, 7.5; SBC-3, 6.4).

/// Pages in order.
pub(crate) const PAGES: [u8; 4] = [0x02, 0x08, 0x0A, 0x1C];

/// Mode parameters that can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ModeParameters {
    /// D_SENSE: sense comes in descriptors.
    pub descriptor_sense: bool,
    /// SWP: writes are refused.
    pub write_protect: bool,
    /// TAS: tasks aborted by another nexus end with TASK ABORTED.
    pub task_aborted_status: bool,
    /// WCE: writes may wait in the cache for SYNCHRONIZE CACHE.
    pub write_cache: bool,
}

impl ModeParameters {
    /// Returns the defaults of a unit with or without a cache.
    pub const fn new(write_cache: bool) -> Self {
        Self { descriptor_sense: false, write_protect: false, task_aborted_status: false, write_cache }
    }

    /// Returns a page with its header, unless it is unknown.
    pub fn page(self, page: u8) -> Option<Vec<u8>> {
        let mut body = match page {
            0x02 => vec![0; 14],
            0x08 => vec![0; 18],
            0x0A | 0x1C => vec![0; 10],
            _ => return None,
        };
        let bit = |on: bool, bit: u8| if on { bit } else { 0 };
        match page {
            0x08 => body[0] = bit(self.write_cache, 0x04),
            0x0A => {
                // GLTSD: no log is saved by itself. QAM 1: simple tasks in any order. No limit of the busy time.
                body[0] = 0x02 | bit(self.descriptor_sense, 0x04);
                body[1] = 0x10;
                body[2] = bit(self.write_protect, 0x08);
                body[3] = bit(self.task_aborted_status, 0x40);
                body[6..8].fill(0xFF);
            }
            // DEXCPT: no informational exceptions.
            0x1C => body[0] = 0x08,
            _ => {}
        }
        let mut octets = vec![page, body.len() as u8];
        octets.extend(body);
        Some(octets)
    }

    /// Returns the bits of a page that can be changed, with the header of the page.
    pub fn changeable(page: u8) -> Option<Vec<u8>> {
        let on = Self {
            descriptor_sense: true,
            write_protect: true,
            task_aborted_status: true,
            write_cache: true,
        };
        let (on, off) = (on.page(page)?, Self::new(false).page(page)?);
        let mut octets: Vec<u8> = on.iter().zip(&off).map(|(on, off)| on ^ off).collect();
        octets[..2].copy_from_slice(&on[..2]);
        Some(octets)
    }

    /// Takes the values of a page over, which [`ModeParameters::page`] has the layout of.
    pub fn set_page(&mut self, octets: &[u8]) {
        match octets[0] & 0x3F {
            0x08 => self.write_cache = octets[2] & 0x04 != 0,
            0x0A => {
                self.descriptor_sense = octets[2] & 0x04 != 0;
                self.write_protect = octets[4] & 0x08 != 0;
                self.task_aborted_status = octets[5] & 0x40 != 0;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_taken_over_is_the_page_returned() {
        let mut parameters = ModeParameters::new(true);
        for page in PAGES {
            let (octets, changeable) =
                (parameters.page(page).unwrap(), ModeParameters::changeable(page).unwrap());
            let other: Vec<u8> = octets
                .iter()
                .zip(&changeable)
                .enumerate()
                .map(|(at, (a, b))| if at < 2 { *a } else { a ^ b })
                .collect();
            parameters.set_page(&other);
            assert_eq!(parameters.page(page), Some(other), "{page:#04x}");
        }
    }
}
