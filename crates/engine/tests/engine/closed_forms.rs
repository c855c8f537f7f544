//! Stations against queueing theory: every result must lie within three half-widths of the closed form, and the
//! half-width must be below 2 % of it, so that no comparison passes for lack of confidence.

use crate::harness::{Service, agree, closed_tandem, open_fused, open_loss, open_sharing};
use halftrack_base::Span;
use halftrack_engine::{Fifo, LossStation, MultiServer};

/// Mean service of every station below.
const SERVICE: Span = Span::from_us(100);
const SERVICE_US: f64 = 100.0;

/// Returns the mean time between arrivals that offers `erlangs` of work.
fn between_arrivals(erlangs: f64) -> Span {
    Span::from_us_f64(SERVICE_US / erlangs)
}

/// Erlang's loss formula B(c, a), by its recursion (Cooper, *Introduction to Queueing Theory*, ch. 3).
fn erlang_b(servers: u32, erlangs: f64) -> f64 {
    (1..=servers).fold(1.0, |blocked, n| erlangs * blocked / (f64::from(n) + erlangs * blocked))
}

/// Erlang's delay formula C(c, a) from B(c, a) (Cooper, ch. 3).
fn erlang_c(servers: u32, erlangs: f64) -> f64 {
    let blocked = erlang_b(servers, erlangs);
    blocked / (1.0 - erlangs / f64::from(servers) * (1.0 - blocked))
}

/// M/M/1: R = S / (1 - rho), L = rho / (1 - rho).
#[test]
fn mm1_response_and_number_in_system() {
    let rho = 0.7;
    let mut station = Fifo::new();
    let found = open_fused("mm1", between_arrivals(rho), Service::Exponential(SERVICE), |now, service| {
        station.arrive(now, service)
    });
    agree("response", found.response_us, SERVICE_US / (1.0 - rho));
    agree("number in system", found.number, rho / (1.0 - rho));
    agree("throughput", found.rate_per_s, rho / SERVICE.as_s_f64());
}

/// M/M/3: R = S + C(c, a) S / (c - a).
#[test]
fn mmc_response_is_erlang_c() {
    let (servers, erlangs) = (3, 2.1);
    let mut station = MultiServer::new(servers);
    let found =
        open_fused("mmc", between_arrivals(erlangs), Service::Exponential(SERVICE), |now, service| {
            station.arrive(now, service).1
        });
    let wait_us = erlang_c(servers, erlangs) * SERVICE_US / (f64::from(servers) - erlangs);
    agree("response", found.response_us, SERVICE_US + wait_us);
    agree("number in system", found.number, erlangs * (1.0 + wait_us / SERVICE_US));
}

/// M/D/1: R = S (1 + rho / (2 (1 - rho))) (Pollaczek-Khinchine without variance).
#[test]
fn md1_response_is_pollaczek_khinchine() {
    let rho = 0.8;
    let mut station = Fifo::new();
    let found = open_fused("md1", between_arrivals(rho), Service::Constant(SERVICE), |now, service| {
        station.arrive(now, service)
    });
    agree("response", found.response_us, SERVICE_US * (1.0 + rho / (2.0 * (1.0 - rho))));
}

/// M/G/1-PS: R = S / (1 - rho) for every distribution of the same mean (insensitivity; Kleinrock, *Queueing Systems* 2,
/// ch. 4). The two-point distribution has four times the variance of the exponential.
#[test]
fn sharing_is_insensitive_to_the_distribution() {
    let rho = 0.6;
    let two_point = Service::TwoPoint { short: SERVICE / 2, long: SERVICE * 11 / 2, long_ppm: 100_000 };
    assert_eq!(two_point.mean(), SERVICE);
    for (name, service) in [("constant", Service::Constant(SERVICE)), ("two-point", two_point)] {
        let found = open_sharing(name, between_arrivals(rho), service);
        agree(name, found.response_us, SERVICE_US / (1.0 - rho));
        agree(name, found.number, rho / (1.0 - rho));
    }
}

/// Two exponential stations in a circle with N customers against exact mean value analysis (Reiser and Lavenberg, JACM
/// 27, 1980).
#[test]
fn closed_tandem_is_mean_value_analysis() {
    let (customers, means_us) = (5, [100.0, 70.0]);
    let mut queues = [0.0; 2];
    let (mut throughput_per_us, mut responses_us) = (0.0, [0.0; 2]);
    for n in 1..=customers {
        responses_us = [0, 1].map(|k| means_us[k] * (1.0 + queues[k]));
        throughput_per_us = f64::from(n) / (responses_us[0] + responses_us[1]);
        queues = responses_us.map(|response_us| throughput_per_us * response_us);
    }
    let found = closed_tandem("tandem", customers, means_us.map(Span::from_us_f64));
    agree("throughput", found[0].rate_per_s, throughput_per_us * 1e6);
    for k in 0..2 {
        agree("response", found[k].response_us, responses_us[k]);
        agree("number at station", found[k].number, queues[k]);
    }
}

/// Erlang loss: the share turned away is B(c, a), for exponential and for constant service alike.
#[test]
fn loss_is_erlang_b() {
    let (servers, erlangs) = (4, 3.0);
    for (name, service) in [("loss-m", Service::Exponential(SERVICE)), ("loss-d", Service::Constant(SERVICE))]
    {
        let mut station = LossStation::new(servers);
        let lost = open_loss(name, between_arrivals(erlangs), service, &mut station);
        agree(name, lost, erlang_b(servers, erlangs));
        assert_eq!(station.accepted() + station.lost(), crate::harness::LOSS_ARRIVALS);
    }
}

/// The comparison itself must be able to fail: a formula that is 8 % too high is detected.
#[test]
#[should_panic(expected = "is exact")]
fn a_wrong_formula_is_noticed() {
    let rho = 0.7;
    let mut station = Fifo::new();
    let found = open_fused("mm1", between_arrivals(rho), Service::Exponential(SERVICE), |now, service| {
        station.arrive(now, service)
    });
    agree("response", found.response_us, 1.08 * SERVICE_US / (1.0 - rho));
}

/// Erlang's formulas themselves, against their definitions as sums: B(5, 3) = 2.025 / 18.4 and C(2, 1) = 1 / 3.
#[test]
fn formulas_are_right() {
    assert!((erlang_b(5, 3.0) - 2.025 / 18.4).abs() < 1e-12);
    assert!((erlang_c(2, 1.0) - 1.0 / 3.0).abs() < 1e-12);
}
