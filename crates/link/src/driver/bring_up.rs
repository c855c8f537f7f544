//! A drive before its streams: the paths come online, and tracks are laid out.

use std::collections::BTreeMap;

use halftrack_base::Span;

use super::{
    ChannelPath, Connector, Drive, DriveError, Formatting, IoDriver, PROGRESS_STEP, Progress, Stage,
    Surroundings, VolumeSize, format_on, send, troubles,
};

/// How long the links for synchronous I/O may take to become operational before I/O begins without them, and the interval at
/// which they are polled.
const LINK_WAIT: Span = Span::from_s(1);
const LINK_STEP: Span = Span::from_ms(1);

impl<C: Connector> Drive<C> {
    /// Waits until all paths are online, or one is and the others had their time.
    pub(super) fn bring_up(
        &mut self,
        around: &mut Surroundings<'_>,
    ) -> Result<(BTreeMap<u8, VolumeSize>, bool), DriveError> {
        let began = self.turns.clock.now();
        loop {
            let worked = self.receive(around.taps);
            for path in &mut self.paths.paths {
                // Devices are varied online within the path; nothing else was started.
                while path.poll_end().is_some() {}
            }
            self.turns.changes(&mut self.paths.paths);
            let now = self.turns.clock.now();
            if let Some(links) = &mut self.synchronous {
                links.tend(now);
            }
            let worked = send(&mut self.paths.paths, now, !worked) || worked;
            let waited = now.saturating_since(began);
            // I/O does not need the links for synchronous I/O: they have a little time.
            let has_links = self.synchronous.as_ref().is_none_or(|links| links.is_operational());
            if self.turns.has_waited(&self.paths.paths, waited, has_links || waited >= LINK_WAIT)? {
                break;
            }
            if around.stop.as_ref().is_some_and(|stop| stop.is_wished()) {
                return Err(DriveError::Interrupted);
            }
            self.turns.notify(now, around.progress, Progress::default);
            let step = if has_links { PROGRESS_STEP } else { LINK_STEP };
            let until = now.saturating_add(step);
            self.turns.rest(&mut self.paths.paths, worked, until, around.stop.as_deref())?;
        }
        let mut online =
            self.paths.paths.iter().zip(&self.turns.states.online).filter(|(_, online)| **online);
        let sizes = online.next().map(|(path, _)| path.sizes().clone()).unwrap_or_default();
        let of_online = self.paths.paths.iter().zip(&self.turns.states.online).filter(|(_, online)| **online);
        let transport = of_online.map(|(path, _)| path).all(ChannelPath::has_transport);
        Ok((sizes, transport))
    }

    /// Lays out the tracks of the streams.
    pub(super) fn format(
        &mut self,
        driver: &mut IoDriver,
        around: &mut Surroundings<'_>,
    ) -> Result<(), DriveError> {
        let mut formatting = Formatting::new(driver, self.file.run.contents_seed);
        let mut lost_at = None;
        while !formatting.is_done() {
            let mut worked = self.receive(around.taps);
            let now = self.turns.clock.now();
            let changes = self.turns.changes(&mut self.paths.paths);
            worked |= format_on(now, (&mut formatting, driver), &changes, &mut self.paths)?;
            worked |= send(&mut self.paths.paths, now, !worked);
            let (done, total) = formatting.progress();
            let part = Some(done as f64 / total.max(1) as f64);
            self.turns.notify(now, around.progress, || Progress {
                stage: Stage::Formatting,
                part,
                ..Progress::default()
            });
            if around.stop.as_ref().is_some_and(|stop| stop.is_wished()) {
                return Err(DriveError::Interrupted);
            }
            if driver.has_path() {
                lost_at = None;
            } else if now.saturating_since(*lost_at.get_or_insert(now)) >= self.turns.path_wait {
                return Err(DriveError::PathsLost(troubles(&self.paths.paths)));
            }
            let until = now.saturating_add(PROGRESS_STEP);
            self.turns.rest(&mut self.paths.paths, worked, until, around.stop.as_deref())?;
        }
        driver.formatted();
        Ok(())
    }
}
