//! A card in a thread of the process, for programs that bring their own.

use std::io::{self, PipeWriter};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use halftrack_shared_memory::SocketPlace;
use halftrack_zedc::Engine;

use crate::card_process::{CardOptions, CardProcess};
use crate::place::Place;

/// Card in a thread. It ends when this is dropped.
#[derive(Debug)]
pub struct CardThread {
    is_stopping: Arc<AtomicBool>,
    /// Closing it wakes the card.
    waker: Option<PipeWriter>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl CardThread {
    /// Starts a card of a machine. Programs can connect when this returns.
    ///
    /// # Errors
    /// Its number is taken, or the directory cannot be written; an error of the operating system.
    pub fn start(options: CardOptions, engine: Box<dyn Engine + Send>, place: &Place) -> io::Result<Self> {
        let socket = SocketPlace::listen(&place.socket(options.card))?;
        let (reader, waker) = io::pipe()?;
        let is_stopping = Arc::new(AtomicBool::new(false));
        let stopping = Arc::clone(&is_stopping);
        let work = move || {
            let mut process = CardProcess::new(options, engine, socket)?;
            process.run(|| stopping.load(Ordering::Acquire), reader.as_fd())
        };
        let thread = thread::Builder::new().name("zedc card".to_owned()).spawn(work)?;
        Ok(Self { is_stopping, waker: Some(waker), thread: Some(thread) })
    }
}

impl Drop for CardThread {
    /// Stops the card.
    ///
    /// # Panics
    /// When it has failed.
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::Release);
        drop(self.waker.take());
        let ended = self.thread.take().map(JoinHandle::join);
        let has_failed = !matches!(ended, Some(Ok(Ok(()))));
        assert!(!has_failed || thread::panicking(), "the card has failed: {ended:?}");
    }
}
