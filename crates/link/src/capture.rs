//! A capture of the links of a process.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::rc::Rc;

use halftrack_base::Time;
use halftrack_wire::capture::{CaptureError, CaptureWriter, InterfaceId};
use halftrack_wire::{Eof, Sof};

use crate::clock::Clock;
use crate::fibre::{FrameDirection, FrameTap};

/// Takes the frames of several links of one thread.
pub struct LinkCapture<W: Write> {
    shared: Rc<RefCell<Shared<W>>>,
    clock: Clock,
}

struct Shared<W: Write> {
    writer: CaptureWriter<W>,
    /// The interfaces of a link, which it keeps when it comes up again.
    links: BTreeMap<String, [InterfaceId; 2]>,
    /// The first failure; nothing is written after it.
    failure: Option<CaptureError>,
}

impl<W: Write + 'static> LinkCapture<W> {
    /// Captures into `writer`, at the times of `clock`.
    pub fn new(writer: CaptureWriter<W>, clock: Clock) -> Self {
        Self {
            shared: Rc::new(RefCell::new(Shared { writer, links: BTreeMap::new(), failure: None })),
            clock,
        }
    }

    /// Returns what shows the frames of a link to the capture. Directions bear the names that a channel gives them: of a control
    /// unit (`toward_channel`), what goes out is what comes in at the channel.
    ///
    /// # Errors
    /// An error of the writer.
    pub fn tap(&self, name: &str, toward_channel: bool) -> Result<Box<dyn FrameTap>, CaptureError> {
        let Shared { writer, links, .. } = &mut *self.shared.borrow_mut();
        let [from_channel, to_channel] = match links.get(name) {
            Some(known) => *known,
            None => *links.entry(name.to_owned()).or_insert(writer.link(name)?),
        };
        let (sent, received) =
            if toward_channel { (to_channel, from_channel) } else { (from_channel, to_channel) };
        Ok(Box::new(LinkTap { shared: Rc::clone(&self.shared), clock: self.clock, sent, received }))
    }

    /// Returns whether the capture is full or has failed.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let shared = self.shared.borrow();
        shared.failure.is_some() || shared.writer.is_full()
    }

    /// Frames captured.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.shared.borrow().writer.frames()
    }

    /// Returns the writer, when every tap is gone; nothing while one is left.
    ///
    /// # Errors
    /// The first failure.
    pub fn finish(self) -> Result<Option<W>, CaptureError> {
        let Some(shared) = Rc::into_inner(self.shared) else { return Ok(None) };
        let Shared { writer, failure, .. } = shared.into_inner();
        match failure {
            Some(failure) => Err(failure),
            None => Ok(Some(writer.into_inner())),
        }
    }
}

struct LinkTap<W: Write> {
    shared: Rc<RefCell<Shared<W>>>,
    clock: Clock,
    sent: InterfaceId,
    received: InterfaceId,
}

impl<W: Write> FrameTap for LinkTap<W> {
    fn frame(&mut self, way: FrameDirection, at: Time, sof: Sof, frame: &[u8], eof: Eof) {
        let interface = match way {
            FrameDirection::Out => self.sent,
            FrameDirection::In => self.received,
        };
        let mut shared = self.shared.borrow_mut();
        if shared.failure.is_none()
            && let Err(error) = shared.writer.frame(interface, self.clock.unix_ns(at), sof, frame, eof)
        {
            shared.failure = Some(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use halftrack_wire::capture::CaptureReader;
    use halftrack_wire::{FcFrame, FcHeader};

    use super::*;

    #[test]
    fn directions_are_those_of_the_channel() {
        let capture = LinkCapture::new(CaptureWriter::new(Vec::new(), 10).unwrap(), Clock::start());
        let mut tap = capture.tap("BOXA.0030", true).unwrap();
        let mut octets = Vec::new();
        FcFrame { header: FcHeader::default(), payload: b"1234", optional: &[] }.emit(&mut octets).unwrap();
        tap.frame(FrameDirection::Out, Time::ZERO, Sof::Initiate3, &octets, Eof::Terminate);
        drop(tap);
        let mut tap = capture.tap("BOXA.0030", true).unwrap();
        tap.frame(FrameDirection::Out, Time::ZERO, Sof::Initiate3, &octets, Eof::Terminate);
        assert_eq!(capture.frames(), 2);
        drop(tap);
        let file = capture.finish().unwrap().unwrap();
        let mut reader = CaptureReader::new(&file[..]).unwrap();
        let frame = reader.next_frame().unwrap().unwrap();
        assert_eq!(reader.interface_name(frame.interface), "BOXA.0030 in");
        let again = reader.next_frame().unwrap().unwrap();
        assert_eq!(again.interface, frame.interface, "a link that comes up again");
    }
}
