//! ISFC LOGICAL LINK ACTIVITY: the channel-to-channel devices of one system. RMF has no such report and z/VM shows the counts
//! otherwise; the layout is ours. Its figures are the tables of `columns::islinks` and `columns::islink_work`.

use halftrack_record::{IsLinkDeviceInterval, IsLinkFlowInterval};
use serde::Serialize;

use crate::columns::islink_work as work;
use crate::columns::islinks::{HEADING, TABLE};
use crate::field::Line;
use crate::figures::Figures;
use crate::page::{Iodf, Listing, Title};
use crate::records::Records;
use crate::{MeasureError, Scope};

/// ISFC LOGICAL LINK ACTIVITY of one system in one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IsLinkActivity {
    /// Partition name.
    pub system: String,
    /// Interval, from 0.
    pub interval: u32,
    /// Its logical links, by name.
    pub links: Vec<IsLinkRows>,
    /// Bulks, requests and guests that it begins or takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<IsLinkWorkRow>,
}

/// Work over a logical link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IsLinkWorkRow {
    /// Name of the logical link.
    pub islink: String,
    /// Name of the requests or the guest; none of a bulk.
    pub name: Option<String>,
    /// Partition of the system that begins it.
    pub from: String,
    /// Partition of the other one.
    pub to: String,
    /// Figures of the columns.
    pub figures: Figures,
}

/// One logical link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IsLinkRows {
    /// Name.
    pub name: String,
    /// Partition of the system at the other end.
    pub partner: String,
    /// Its devices, by number.
    pub devices: Vec<IsLinkDeviceRow>,
    /// All devices together.
    pub summary: Figures,
}

/// One device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IsLinkDeviceRow {
    /// Device number.
    pub number: u16,
    /// CHPID.
    pub chpid: u8,
    /// Figures of the columns.
    pub figures: Figures,
}

impl IsLinkActivity {
    /// Computes the rows; `None` for a system without a logical link.
    pub fn compute(scope: &Scope) -> Option<Self> {
        let own = || scope.interval.islinks.iter().filter(|end| end.lpar == scope.system.name);
        let figures = |ends: Vec<_>| Figures::of(TABLE.columns, &Records::of_interval(ends, scope));
        let mut links: Vec<IsLinkRows> = Vec::new();
        for end in own() {
            if links.last().is_none_or(|link| link.name != end.islink) {
                let all: Vec<&IsLinkDeviceInterval> = own().filter(|one| one.islink == end.islink).collect();
                links.push(IsLinkRows {
                    name: end.islink.clone(),
                    partner: end.partner.clone(),
                    devices: Vec::new(),
                    summary: figures(all),
                });
            }
            if let Some(link) = links.last_mut() {
                let (number, chpid) = (end.number, end.chpid);
                link.devices.push(IsLinkDeviceRow { number, chpid, figures: figures(vec![end]) });
            }
        }
        let (system, interval) = (scope.system.name.clone(), scope.interval.index);
        let work = scope.interval.islink_flows.iter().filter(|one| one.from == system || one.to == system);
        let row = |one: &IsLinkFlowInterval| IsLinkWorkRow {
            islink: one.islink.clone(),
            name: Some(one.name.clone()).filter(|name| !name.is_empty()),
            from: one.from.clone(),
            to: one.to.clone(),
            figures: Figures::of(work::TABLE.columns, &Records::of_interval(vec![one], scope)),
        };
        let work = work.map(row).collect();
        (!links.is_empty()).then_some(Self { system, interval, links, work })
    }

    /// Prints the report of a system and interval.
    ///
    /// # Errors
    /// `Start` and `PastCalendar` when the run's start gives no date for the heading.
    pub fn render(&self, scope: &Scope) -> Result<String, MeasureError> {
        let mut listing = Listing::new(TITLE, scope, Iodf::line(scope))?;
        listing.table(HEADING);
        for link in &self.links {
            for device in &link.devices {
                let line = Line::new()
                    .text(0, 8, &link.name)
                    .text(DEVICE_LEFT, 4, &format!("{:04X}", device.number))
                    .text(CHPID_LEFT, 2, &format!("{:02X}", device.chpid))
                    .text(PARTNER_LEFT, 8, &link.partner);
                listing.row(device.figures.print(line).finish());
            }
            let line = Line::new().text(0, 8, &link.name).text(DEVICE_LEFT, 3, "ALL");
            listing.row(link.summary.print(line.text(PARTNER_LEFT, 8, &link.partner)).finish());
        }
        if !self.work.is_empty() {
            listing.table(work::HEADING);
        }
        for one in &self.work {
            let line = Line::new()
                .text(0, NAME_WIDTH, &one.islink)
                .text(10, NAME_WIDTH, one.name.as_deref().unwrap_or("BULK"))
                .text(20, NAME_WIDTH, &one.from)
                .text(30, NAME_WIDTH, &one.to);
            listing.row(one.figures.print(line).finish());
        }
        Ok(listing.finish())
    }
}

const TITLE: Title = Title { left: 26, text: "I S F C   L O G I C A L   L I N K   A C T I V I T Y" };

const NAME_WIDTH: usize = 8;
const DEVICE_LEFT: usize = 10;
const CHPID_LEFT: usize = 17;
const PARTNER_LEFT: usize = 20;
