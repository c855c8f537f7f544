//! IU pacing: how many command and data IUs a channel may send before a command response (reference 6.4).
//!
//! IUs are counted from 1 over the chain. The control unit's command response for the CCW whose command IU was
//! number `a` lets the channel send up to number `a + window`; until the first one `a` is 0. A command response
//! may widen the window.
//!
//! The channel puts out all that is permitted whenever something becomes so. What it puts out after a command
//! response is therefore permitted by that response and not by an earlier one, however late the response came.

/// The window of one chain at the channel.
#[derive(Debug)]
pub(crate) struct Pacing {
    window: u32,
    /// IUs up to this number may be sent.
    limit: u32,
    /// IUs that the channel had received when the limit came into force.
    received: u16,
    /// Number of the last command IU that requested a command response; 0 before the first.
    requested: u32,
    /// Number of the next IU.
    next: u32,
}

impl Pacing {
    /// Returns the window at the start of a chain whose longest CCW takes `longest_ius` IUs; `received` IUs have come.
    ///
    /// Only the first IU of a CCW can request a command response, so a window below the longest CCW would
    /// never open again; it is taken to be that long.
    pub(crate) fn new(initial: u8, longest_ius: u32, received: u16) -> Pacing {
        let window = u32::from(initial).max(longest_ius).max(1);
        Pacing { window, limit: window, received, requested: 0, next: 1 }
    }

    /// Returns whether the next IU may be sent; if so, how many IUs had been received when it became so.
    pub(crate) fn permits(&self) -> Option<u16> {
        (self.next <= self.limit).then_some(self.received)
    }

    /// Returns true when the command IU to be sent next needs a command response for the chain to go on. The IU after
    /// the CCW's `ius` IUs then lies beyond the limit that the responses requested so far will permit.
    pub(crate) fn needs_response(&self, ius: u32) -> bool {
        self.next + ius > self.requested + self.window
    }

    /// Counts the next IU as put out, and as a request for a command response if `requests_response`.
    pub(crate) fn advance(&mut self, requests_response: bool) {
        if requests_response {
            self.requested = self.next;
        }
        self.next += 1;
    }

    /// Returns the number of the IU to be sent next.
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// Moves the limit by the command response for command IU number `iu`, which grants `pacing` (0: no change).
    /// `received` IUs have come so far.
    pub(crate) fn acknowledge(&mut self, iu: u32, pacing: u8, received: u16) {
        self.window = self.window.max(u32::from(pacing));
        let limit = iu + self.window;
        if limit > self.limit {
            (self.limit, self.received) = (limit, received);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_reads_requests_a_response_when_it_fills() {
        let mut pacing = Pacing::new(4, 1, 0);
        let mut requested = Vec::new();
        for number in 1..=4 {
            let requests_response = number == 2 || pacing.needs_response(1);
            if requests_response {
                requested.push(pacing.next());
            }
            pacing.advance(requests_response);
        }
        assert_eq!((requested.as_slice(), pacing.permits()), ([2].as_slice(), None));
        pacing.acknowledge(2, 0, 1);
        assert_eq!(pacing.permits(), Some(1));
        assert!(!pacing.needs_response(1));
        pacing.advance(false);
        assert!(pacing.needs_response(1), "number 6 fills the window after number 2");
        pacing.advance(true);
        assert_eq!(pacing.permits(), None);
    }

    #[test]
    fn a_grant_widens_and_never_narrows() {
        let mut pacing = Pacing::new(2, 1, 0);
        pacing.advance(true);
        pacing.acknowledge(1, 10, 1);
        pacing.acknowledge(1, 3, 2);
        while let Some(received) = pacing.permits() {
            assert_eq!(received, 1);
            pacing.advance(false);
        }
        assert_eq!(pacing.next(), 12);
    }

    #[test]
    fn a_window_holds_the_longest_ccw() {
        let mut pacing = Pacing::new(1, 9, 0);
        for _ in 0..9 {
            assert_eq!(pacing.permits(), Some(0));
            pacing.advance(false);
        }
        assert_eq!(pacing.permits(), None);
    }
}
