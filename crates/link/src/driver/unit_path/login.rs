//! Login with the control unit of a path, and the logical path that follows it.

use halftrack_base::Time;
use halftrack_exchange::{Carrier, Login, Target};
use halftrack_subsystem::LogicalPath;
use halftrack_wire::choices::INITIAL_PACING;
use halftrack_wire::els::SbLogin;
use halftrack_wire::{FrameProtection, StartNumber};

use super::{Stage, UnitPath};

/// Octets of the unit in which the login counts the first transfer of a write.
const FIRST_TRANSFER_UNIT_BYTES: u32 = 4096;

impl UnitPath {
    /// Takes a login of the port, with the address `s_id`, and the control unit's.
    pub fn log_in(
        &mut self,
        now: Time,
        (s_id, peer): (u32, u32),
        frame_payload_bytes: u32,
        login: Option<SbLogin>,
    ) {
        let (channel_image, control_unit_image) = self.images;
        if self.target.is_some_and(|target| target.d_id != peer) {
            return;
        }
        let agreed = login.filter(|login| login.has(SbLogin::TRANSPORT_MODE));
        let early = agreed.filter(|login| login.has(SbLogin::FIRST_TRANSFER_READY_DISABLED));
        let first = early.map_or(0, |login| u32::from(login.first_transfer_4k) * FIRST_TRANSFER_UNIT_BYTES);
        self.has_transport = agreed.is_some();
        self.target = Some(Target {
            s_id,
            d_id: peer,
            login: Login {
                frame_payload_bytes,
                initial_pacing: INITIAL_PACING,
                granted_pacing: 0,
                first_transfer_bytes: first,
                transfer_ready_bytes: 0,
                carrier: Carrier::Ficon,
                window_bytes: 0,
                protection: FrameProtection::NONE,
            },
            channel_image,
            control_unit_image,
            device: 0,
            number: StartNumber::default(),
        });
        self.establish(now);
    }

    /// Establishes the logical path, unless it is there, or rests.
    pub(super) fn establish(&mut self, now: Time) {
        let Some(Target { d_id: peer, channel_image, control_unit_image, .. }) = self.target else { return };
        if now < self.retry_at {
            return;
        }
        if self.stage == Stage::Down {
            self.stage = Stage::Establishing;
            self.begin_setup(now);
        }
        self.logical_paths.establish(now, LogicalPath { peer, channel_image, control_unit_image });
    }

    /// Ends the login of the control unit.
    pub fn log_out(&mut self, now: Time, peer: u32, why: String) {
        if self.is_with(peer) {
            self.trouble = why;
            self.logical_paths.handle_logged_out(peer);
            self.take_path_events(now);
            self.target = None;
        }
    }
}
