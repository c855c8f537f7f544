//! Devices of a path varied online, before I/O may go over it.

use halftrack_base::Time;
use halftrack_control_unit::DeviceCondition;
use halftrack_exchange::{Cause, ChannelOutcome, ExchangeEnd, Target};
use halftrack_subsystem::TEST_WAIT;

use super::{PathChange, Stage, UnitPath, VARY_ONLINE};
use crate::driver::io_driver::conditions::condition_of;
use crate::driver::{STATE_CHANGE_WAIT, discovery};

/// Devices that are varied online at a time: I/O to them waits so long. Our choice.
const VARIED_AT_ONCE: usize = 16;

impl UnitPath {
    /// Varies devices online as many at a time as there is room for, each when no start is open at its subchannel. On a
    /// path on trial the first is the test: it goes alone, and has to end in time.
    pub(super) fn vary_more_online(&mut self, now: Time) {
        let (Stage::Grouping, Some(target)) = (self.stage, self.target) else { return };
        if now < self.vary_at {
            return;
        }
        let is_test = self.health.is_on_trial() && self.found.is_empty();
        let at_once = if is_test { 1 } else { VARIED_AT_ONCE };
        let mut subchannels = self.subchannels.borrow_mut();
        while self.asked.len() + self.varying < at_once
            && let Some(unit) = self.unvaried.pop()
        {
            subchannels.request_for_path(unit);
            self.asked.push(unit);
        }
        let (port, vary_online, varying) = (&mut self.port, &self.vary_online, &mut self.varying);
        self.asked.retain(|&unit| {
            if !port.can_start() {
                return true;
            }
            let Some(number) = subchannels.take_for_path(unit) else { return true };
            let tag = VARY_ONLINE | u32::from(unit);
            let starts = port.start(now, &Target { device: unit, number, ..target }, vary_online, tag);
            if starts {
                *varying += 1;
            } else {
                subchannels.give_back(unit, number);
            }
            !starts
        });
        if self.varying > 0 {
            self.watch.handle_start(now);
            if is_test {
                self.test_by.get_or_insert(now.saturating_add(TEST_WAIT));
            }
        }
        if self.asked.is_empty() && self.varying == 0 && self.unvaried.is_empty() {
            (self.stage, self.change) = (Stage::Online, Some(PathChange::Online));
            self.setup_by = None;
            self.trouble.clear();
        }
    }

    /// Handles the end of the program that varies a device online.
    pub(super) fn varied_online(&mut self, end: &ExchangeEnd) {
        self.varying -= 1;
        self.test_by = None;
        let unit = end.device;
        let condition = condition_of(&end.outcome);
        if condition == Some(DeviceCondition::StateChangePending) {
            self.vary_at = self.now.saturating_add(STATE_CHANGE_WAIT);
        }
        let is_late = end.outcome == ChannelOutcome::InterfaceControlCheck(Cause::Timeout);
        let is_first_late = is_late && !self.late.contains(&unit);
        let is_again = matches!(end.outcome, ChannelOutcome::Busy(_)) || condition.is_some() || is_first_late;
        if self.stage == Stage::Grouping && is_again {
            // Another host works with the device, or the control unit is slow. The link sets the pace, and the time for coming
            // online the end.
            self.late.extend(is_first_late.then_some(unit));
            self.asked.push(unit);
            return self.vary_more_online(self.now);
        }
        self.subchannels.borrow_mut().withdraw_request(unit);
        if self.stage != Stage::Grouping {
            return;
        }
        let found = match end.outcome {
            ChannelOutcome::Ended { device_status: 0x0C, .. } => {
                discovery::volume_size(&end.data).ok_or_else(|| "it says that it is no disk".to_owned())
            }
            ChannelOutcome::Ended { device_status, sense, .. } => {
                let sense = sense.map(|sense| format!(", sense {:02X}{:02X}", sense[0], sense[1]));
                Err(format!("device status {device_status:02X}{}", sense.unwrap_or_default()))
            }
            ChannelOutcome::InterfaceControlCheck(Cause::AddressException) => {
                Err("the control unit has no such device".to_owned())
            }
            outcome => Err(format!("{outcome:?}")),
        };
        match found {
            Ok(size) => {
                self.found.insert(unit, size);
                self.vary_more_online(self.now);
            }
            Err(why) => self.lose(self.now, format!("unit {unit:02X} cannot be varied online: {why}")),
        }
    }
}
