//! The counters of the images' side of an interval, as plain records where they are records of their own.

use halftrack_base::{Span, Time};
use halftrack_config::{Configuration, Stream};
use halftrack_engine::{BatchMeans, Flow, Histogram};
use halftrack_record::{
    DeviceInterval, Estimate, OpenLoad, PoolInterval, ResponseTimes, StationInterval, StreamSummary,
};

use super::driver::StreamRun;
use super::{Images, exposure};
use crate::events::crossing::ViewCounters;
use crate::wiring::{Wiring, lcu_number};

/// Counters of the images' side since the last collection.
pub(crate) struct ImageCounters {
    /// The CPs of each partition.
    pub cps: Vec<StationInterval>,
    /// By view.
    pub views: Vec<ViewCounters>,
    pub devices: Vec<DeviceInterval>,
    /// The bases and aliases that an I/O waited for.
    pub pools: Vec<PoolInterval>,
}

impl Images {
    /// Ends an interval at `now` and begins the next.
    pub(crate) fn collect(&mut self, w: &Wiring, now: Time) -> ImageCounters {
        let c = &w.configuration;
        let mut cps = Vec::new();
        for (lpar, image) in c.lpars.iter().zip(&mut self.images) {
            let busy = image.cps.busy_before(now).as_ps();
            cps.push(StationInterval {
                name: format!("lpar {} CPs", lpar.name),
                servers: image.cps.servers(),
                busy_ps: busy - image.cps_reported_ps,
                completions: 0,
            });
            image.cps_reported_ps = busy;
        }
        let views = self.collect_views();
        self.exposures.book_open(now, &mut self.requests);
        let devices = (0..self.exposures.ucbs.len()).map(|ucb| self.collect_device(c, ucb, now)).collect();
        let pools = self.collect_pools(c, now);
        ImageCounters { cps, views, devices, pools }
    }

    /// Collects the aliases by logical control unit; where there are none, each base by itself.
    fn collect_pools(&mut self, c: &Configuration, now: Time) -> Vec<PoolInterval> {
        let mut pools = Vec::new();
        let mut add = |name: String, tokens, short: Span| {
            pools.push(PoolInterval { name, tokens, taken_ns: 0, short_ps: short.as_ps() });
        };
        for (pool, short) in self.exposures.alias_shortages(now) {
            let lpar = &c.lpars[pool.lpar as usize];
            let number = lcu_number(&c.lcus[pool.lcu as usize], lpar.subsystem());
            add(format!("lpar {} LCU {number:04X} aliases", lpar.name), pool.aliases(), short);
        }
        for (view, device, short) in self.exposures.base_shortages(now) {
            let lpar = &c.lpars[self.exposures.pools[view as usize].lpar as usize];
            let device = &c.devices[device as usize];
            if let Some(luns) = &c.lcus[device.lcu as usize].luns {
                let name = format!("lpar {} LUN {} {:04X} queue", lpar.name, luns.name, device.number);
                add(name, luns.queue_depth.into(), short);
                continue;
            }
            let set = if device.subchannel_set == 0 {
                String::new()
            } else {
                format!("{}.", device.subchannel_set)
            };
            add(format!("lpar {} device {set}{:04X} base", lpar.name, device.number), 1, short);
        }
        pools
    }

    fn collect_views(&mut self) -> Vec<ViewCounters> {
        let counters = |pool: &mut exposure::AliasPool| {
            let view = ViewCounters {
                requests: pool.requests,
                alias_waits: pool.alias_waits,
                aliases_in_use_max: pool.in_use_max,
                aliases: pool.aliases(),
                open_exchange_ps: 0,
                connect_ps: 0,
                cmr_ps: pool.cmr_ps,
                response_times: record(&mut pool.response_times),
            };
            pool.reset();
            view
        };
        let mut views: Vec<_> = self.exposures.pools.iter_mut().map(counters).collect();
        for (ucb, sums) in self.exposures.ucbs.iter().zip(&self.exposures.sums) {
            let view = &mut views[ucb.view as usize];
            view.open_exchange_ps += sums.cmr + sums.conn + sums.disc;
            view.connect_ps += sums.conn;
        }
        views
    }

    fn collect_device(&mut self, c: &Configuration, ucb: usize, now: Time) -> DeviceInterval {
        let (sums, in_use_ps) = self.exposures.collect(ucb, now);
        let pool = &self.exposures.pools[self.exposures.ucbs[ucb].view as usize];
        let device = &c.devices[self.exposures.devices[ucb] as usize];
        let lpar = &c.lpars[pool.lpar as usize];
        DeviceInterval {
            lpar: lpar.name.clone(),
            subchannel_set: device.subchannel_set,
            number: device.number,
            device_type: device.device_type.clone(),
            cylinders: device.cylinders,
            volser: device.volser.clone(),
            storage_group: device.storage_group.clone(),
            lcu: lcu_number(&c.lcus[device.lcu as usize], lpar.subsystem()),
            hyperpav: pool.has_aliases(),
            completed: sums.completed,
            iosq_ps: sums.iosq,
            pend_ps: sums.pend,
            cmr_ps: sums.cmr,
            device_busy_ps: 0,
            interrupt_ps: sums.interrupt,
            disc_ps: sums.disc,
            conn_ps: sums.conn,
            exposures_ps: sums.exposures,
            in_use_ps,
            synchronous: self.synchronous.collect(ucb),
            luns: c.lcus[device.lcu as usize].luns.as_ref().map(|luns| luns.name.clone()),
        }
    }

    /// Begins to count the streams' response times by size at `now`. Of the streams that do not wait for their I/Os it
    /// counts arrivals and ends too, for about `length`.
    pub(crate) fn count_flows(&mut self, now: Time, length: Span) {
        self.streams.iter_mut().for_each(|run| run.response_times.clear());
        for run in self.streams.iter_mut().filter(|run| !run.closed) {
            run.flow = Some(Flow::new(now, length));
        }
    }

    /// Makes the summary of each stream over the measured time, which took `measured` until `now`; `estimates` gives rate
    /// and response.
    pub(crate) fn streams(
        &mut self,
        w: &Wiring,
        (measured, now): (Span, Time),
        estimates: impl Fn(&BatchMeans) -> (Estimate, Estimate),
    ) -> Vec<StreamSummary> {
        let summary = |(stream, run): (&Stream, &mut StreamRun)| {
            let (rate_per_s, response_us) = estimates(&run.response);
            StreamSummary {
                name: stream.name.clone(),
                completed: run.completed,
                failed: run.failed,
                rate_per_s,
                response_us,
                load: run.flow.as_ref().map(|flow| open_load(flow, measured, now)),
                response_times: record(&mut run.response_times),
            }
        };
        w.configuration.streams.iter().zip(&mut self.streams).map(summary).collect()
    }

    /// Iterates over the response times of each stream.
    pub(crate) fn responses(&self) -> impl Iterator<Item = &BatchMeans> {
        self.streams.iter().map(|run| &run.response)
    }

    /// Begins to count the streams' I/Os anew, their response times in `batches`.
    pub(crate) fn record_streams_in(&mut self, batches: &BatchMeans) {
        for run in &mut self.streams {
            run.response = batches.clone();
            (run.completed, run.failed) = (0, 0);
        }
    }
}

/// Takes the response times in `counted` since its last record.
fn record(counted: &mut Histogram) -> ResponseTimes {
    let (values, counts): (Vec<Span>, _) = counted.take().into_iter().unzip();
    ResponseTimes { values_ps: values.into_iter().map(Span::as_ps).collect(), counts }
}

/// Returns the load of `flow` over the `measured` time that ends at `now`.
fn open_load(flow: &Flow, measured: Span, now: Time) -> OpenLoad {
    let (arrived, ended) = flow.counts();
    let per_s = |count: u64| count as f64 / measured.as_s_f64();
    OpenLoad { offered_per_s: per_s(arrived), served_per_s: per_s(ended), overloaded: flow.outgrows(now) }
}
