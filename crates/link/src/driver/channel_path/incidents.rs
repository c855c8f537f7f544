//! Link incidents of a channel path: of its own link, and those that directors and control units report.

use halftrack_base::Time;
use halftrack_wire::els::LinkIncident;

use super::ChannelPath;
use crate::Closing;
use crate::connector::Connector;

/// Incidents that are kept for the owner. Of more the oldest are dropped.
const KEPT_MAX: usize = 64;

impl<C: Connector> ChannelPath<C> {
    /// Notes the incident for which a link is closed, if it is one.
    pub(super) fn note_closing(&mut self, now: Time, closing: &Closing) {
        if let Some(code) = closing.incident() {
            self.n_port.note_incident(now, code);
            self.take_events(now);
        }
    }

    pub(super) fn keep_incident(&mut self, incident: LinkIncident) {
        if self.incidents.len() == KEPT_MAX {
            self.incidents.pop_front();
        }
        self.incidents.push_back(incident);
    }
}
