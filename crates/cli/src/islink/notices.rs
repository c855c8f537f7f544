//! Notices of a link on standard error, in the operator's words.

use halftrack_base::Time;
use halftrack_isfc::Notice;
use halftrack_link::islink::ServiceNotice;

use crate::standard_error;

/// Lines about a link and its channels.
pub struct NoticeLines {
    system: String,
    chpids: Vec<u8>,
    is_quiet: bool,
}

impl NoticeLines {
    /// Returns the lines of a system with these channels, or none of them.
    pub fn new(system: &str, chpids: &[u8], is_quiet: bool) -> Self {
        Self { system: system.to_owned(), chpids: chpids.to_vec(), is_quiet }
    }

    /// Prints a notice that an operator sees.
    pub fn show(&mut self, at: Time, notice: &ServiceNotice<'_>) {
        let words = match notice {
            ServiceNotice::Channel(place, None) => {
                Some(format!("channel path {:02X} is online", self.chpids[*place]))
            }
            ServiceNotice::Channel(place, Some(why)) => {
                Some(format!("channel path {:02X} is lost: {why}", self.chpids[*place]))
            }
            ServiceNotice::Disks(chpid, None) => {
                Some(format!("channel path {chpid:02X} to the disks is online"))
            }
            ServiceNotice::Disks(chpid, Some(why)) => {
                Some(format!("channel path {chpid:02X} to the disks is lost: {why}"))
            }
            ServiceNotice::Link(notice) => words(notice),
        };
        if let Some(words) = words.filter(|_| !self.is_quiet) {
            let at_s = at.as_ps() as f64 / 1e12;
            standard_error::print(&format!("{at_s:9.3} {} {words}\n", self.system));
        }
    }
}

/// Returns a notice in the words of z/VM's messages, as far as their text is public; none for those of every block.
fn words(notice: &Notice) -> Option<String> {
    Some(match notice {
        Notice::LinkUp { node } => format!("HCP2702I Link to {node} came up."),
        Notice::NodeAdded { node, .. } => format!("HCP2704I Node {node} added to collection."),
        Notice::DeviceActivated(device) => format!("Link {device} activated."),
        Notice::DeviceLost(device) => {
            format!("Link {device} is lost; its block goes again on another device.")
        }
        Notice::LinkDown { node } => format!("Link to {node} is down; its streams wait."),
        Notice::Refused { device, reason } => format!("Link {device} is refused: {reason}."),
        Notice::Gap { stream } => format!("Stream {}: octets are missing.", stream.0),
        Notice::Collision(_) | Notice::Room | Notice::Acknowledged { .. } | Notice::Resume { .. } => {
            return None;
        }
    })
}
