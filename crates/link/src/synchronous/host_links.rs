//! The links of a host, used in turn.

use std::path::Path;

use halftrack_base::{Span, Time};
use halftrack_config::ChannelFile;
use halftrack_exchange::synchronous::{Completion, LocalReject};
use halftrack_wire::synchronous::SynchronousRequest;

use super::host_link::{HostLink, HostLinkOptions, Pending};
use crate::clock::Clock;
use crate::driver::{SynchronousEnd, SynchronousLinkReport, SynchronousPath, path_group_id};

/// The links of a host.
#[derive(Debug)]
pub struct HostLinks {
    links: Vec<HostLink>,
    clock: Clock,
    next: usize,
}

impl HostLinks {
    /// Returns the links of a host, all of them down.
    pub fn new(options: Vec<HostLinkOptions>, clock: Clock) -> Self {
        let links = options.into_iter().enumerate();
        let links = links.map(|(place, options)| HostLink::new(place, options, clock));
        Self { links: links.collect(), clock, next: 0 }
    }

    /// Returns the links of a file, if it has any; names of sockets count from `directory`.
    pub fn of_file(file: &ChannelFile, directory: &Path, clock: Clock) -> Option<Self> {
        let options = file.synchronous_links.iter().map(|link| HostLinkOptions {
            socket: directory.join(&link.socket.value),
            functions: link.functions,
            timeout: Span::from_us(link.timeout_us),
            metres: link.metres,
            group: path_group_id(file.node, file.channel_image),
        });
        let options: Vec<_> = options.collect();
        if options.is_empty() { None } else { Some(Self::new(options, clock)) }
    }
}

impl SynchronousPath for HostLinks {
    #[inline]
    fn now(&self) -> Time {
        self.clock.now()
    }

    #[inline]
    fn tend(&mut self, now: Time) {
        self.links.iter_mut().for_each(|link| link.tend(now));
    }

    fn is_operational(&self) -> bool {
        self.links.iter().all(HostLink::is_operational)
    }

    #[inline]
    fn execute(
        &mut self,
        request: &SynchronousRequest,
        written: &[u8],
        read: &mut Vec<u8>,
    ) -> (SynchronousEnd, Time) {
        let mut end = SynchronousEnd::Completed(Completion::Local(LocalReject::NotOperational));
        for _ in 0..self.links.len() {
            let link = self.next;
            self.next = (link + 1) % self.links.len();
            end = match self.links[link].execute(request, written, read) {
                Ok(completion) => SynchronousEnd::Completed(completion),
                Err(pending) => SynchronousEnd::Pending(pending),
            };
            // Only where nothing was sent another link is tried.
            if !matches!(end, SynchronousEnd::Completed(Completion::Local(_))) {
                break;
            }
        }
        (end, self.clock.now())
    }

    fn try_end(&mut self, pending: &Pending) -> bool {
        self.links.get_mut(pending.link).is_none_or(|link| link.try_end(pending))
    }

    fn reports(&self) -> Vec<SynchronousLinkReport> {
        let reports = self.links.iter().map(|link| SynchronousLinkReport {
            socket: link.options().socket.clone(),
            operational: link.is_operational(),
            connections: link.connections(),
            trouble: link.trouble().to_owned(),
        });
        reports.collect()
    }
}
