//! Several charts in one picture, row by row, with the same axes and one legend.

use plotters::prelude::*;

use super::style::{Drawn, Style};
use super::{Chart, legend};

/// Width and height of a panel with its axes, px.
const PANEL_PX: (u32, u32) = (640, 460);

/// Charts of one picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    /// The charts, each with a title of its own, row by row.
    pub charts: Vec<Chart>,
    /// Charts in a row, one at least.
    pub columns: usize,
}

impl Panels {
    /// Returns the picture as the text of an SVG file. All panels have the axes that fit all of them.
    pub fn svg(&self) -> String {
        let Some(all) = self.together() else { return String::new() };
        let (columns, legend) = (self.columns.max(1), all.legend());
        let rows = self.charts.len().div_ceil(columns);
        let width = PANEL_PX.0 * columns as u32;
        let height = (PANEL_PX.1 * rows as u32).max(legend::height_px(legend.len()));
        let mut text = String::new();
        let backend = SVGBackend::with_string(&mut text, (width + legend::width_px(&legend), height));
        // Text in memory takes everything, so that there is nothing to fail.
        self.draw(backend, &all, (rows, columns), &legend)
            .unwrap_or_else(|error| panic!("a picture in memory: {error}"));
        text
    }

    /// Returns the chart of the first panel with the points of all: by name the curves of each are the same ones.
    fn together(&self) -> Option<Chart> {
        let (first, others) = self.charts.split_first()?;
        let mut all = first.clone();
        for curve in others.iter().flat_map(|chart| &chart.curves) {
            match all.curves.iter_mut().find(|one| one.name == curve.name) {
                Some(one) => one.points.extend(&curve.points),
                None => all.curves.push(curve.clone()),
            }
        }
        Some(all)
    }

    fn draw<'b>(
        &self,
        backend: SVGBackend<'b>,
        all: &Chart,
        grid: (usize, usize),
        legend: &[(String, Style)],
    ) -> Drawn<'b> {
        let picture = backend.into_drawing_area();
        picture.fill(&WHITE)?;
        let (paper, beside) = picture.split_horizontally(PANEL_PX.0 * grid.1 as u32);
        for (chart, area) in self.charts.iter().zip(paper.split_evenly(grid)) {
            chart.draw_paper(&picture, &area, all.layouts())?;
        }
        legend::draw(&beside, legend)?;
        picture.present()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Series};

    fn chart(title: &str, top: f64) -> Chart {
        let curve = |name: &str, factor: f64| Series {
            name: name.to_owned(),
            points: vec![(0.0, 0.0), (1.0, factor * top)],
        };
        Chart {
            title: title.to_owned(),
            x: Axis::linear("devices"),
            y: Axis::linear("MB/s"),
            curves: vec![curve("one", 0.5), curve("two", 1.0)],
            bars: vec![],
            side_by_side: false,
            marks: vec![],
            guidelines: vec![],
        }
    }

    #[test]
    fn panels_share_axes_and_legend() {
        let charts = vec![chart("left", 100.0), chart("right", 1000.0), chart("below", 10.0)];
        let svg = Panels { charts, columns: 2 }.svg();
        for words in ["left", "right", "below"] {
            assert_eq!(svg.matches(words).count(), 1, "{words}");
        }
        assert_eq!(svg.matches("\none\n").count(), 1, "the legend has a curve once");
        assert_eq!(svg.matches("\n1,000\n").count(), 3, "each panel ends where the highest does");
    }
}
