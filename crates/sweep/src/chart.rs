//! Curves over two axes as SVG text: the same chart, the same bytes.
//!
//! ```text
//!            title
//!   y ┤        ╭──●   ─●─ curve
//!     ┤- - - -╱- - -  - - guideline
//!     ┤──●──●╯    ◇    ◇  marks
//!     └─┴──┴──┴──┴─ x
//! ```

mod bars;
mod clip;
mod legend;
mod panels;
mod scale;
mod style;

use plotters::prelude::*;

pub use panels::Panels;
pub use scale::Scale;

use scale::Layout;
use style::{Area, Drawn, FONT, INK, Pixel, Style};

/// Width of the paper with its axes, and height of the picture unless the legend needs more, px.
const PAPER_PX: u32 = 800;
const HEIGHT_PX: u32 = 560;
const GRID: RGBColor = RGBColor(225, 225, 225);

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Words with the unit, such as `response time (ms)`.
    pub label: String,
    /// How values lie along it.
    pub scale: Scale,
    /// Where it begins; chosen from the values when `None` (0 on a linear axis without negative values).
    pub from: Option<f64>,
    /// Where it ends; chosen from the values when `None`. What lies beyond is cut off.
    pub to: Option<f64>,
}

impl Axis {
    /// Returns a linear axis that fits its values.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear, from: None, to: None }
    }

    /// Returns a logarithmic axis that fits its values.
    pub fn log(label: impl Into<String>) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label) }
    }

    /// Limits the axis to `from` and `to`.
    #[must_use]
    pub fn between(self, from: f64, to: f64) -> Self {
        Self { from: Some(from), to: Some(to), ..self }
    }
}

/// Points of one name: a line through them for a curve, symbols alone for marks.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Words in the legend.
    pub name: String,
    /// x and y in the units of the axes, in the order in which the line goes; what is not finite breaks the line.
    pub points: Vec<(f64, f64)>,
}

/// A horizontal line at an advised value.
#[derive(Debug, Clone, PartialEq)]
pub struct Guideline {
    /// Words in the legend, such as `advised, 50 %`.
    pub name: String,
    /// Where it lies, in the unit of the y axis.
    pub y: f64,
}

/// Curves over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Title of the chart.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Simulated values: lines with small symbols.
    pub curves: Vec<Series>,
    /// Parts of bars, the first at the bottom: each point adds its height at its place on a [`Scale::Named`] x axis.
    pub bars: Vec<Series>,
    /// The parts of a place stand side by side, from the left, and not one upon the other.
    pub side_by_side: bool,
    /// Published values: large open symbols, no line.
    pub marks: Vec<Series>,
    /// Dashed lines.
    pub guidelines: Vec<Guideline>,
}

impl Chart {
    /// Returns the picture as the text of an SVG file.
    pub fn svg(&self) -> String {
        let legend = self.legend();
        let height = HEIGHT_PX.max(legend::height_px(legend.len()));
        let mut text = String::new();
        let backend = SVGBackend::with_string(&mut text, (PAPER_PX + legend::width_px(&legend), height));
        // Text in memory takes everything, so that there is nothing to fail.
        self.draw(backend, &legend).unwrap_or_else(|error| panic!("a picture in memory: {error}"));
        text
    }

    fn draw<'b>(&self, backend: SVGBackend<'b>, legend: &[(String, Style)]) -> Drawn<'b> {
        let picture = backend.into_drawing_area();
        picture.fill(&WHITE)?;
        let (paper, beside) = picture.split_horizontally(PAPER_PX);
        self.draw_paper(&picture, &paper, self.layouts())?;
        legend::draw(&beside, legend)?;
        picture.present()
    }

    /// Returns names with their style; none where a single curve needs no name.
    fn legend(&self) -> Vec<(String, Style)> {
        let alone = match self.side_by_side {
            true => self.bars.len() == 1,
            false => self.curves.len() == 1 && self.bars.is_empty(),
        };
        if alone && self.marks.is_empty() && self.guidelines.is_empty() {
            return Vec::new();
        }
        let curves = self.curves.iter().enumerate().map(|(at, curve)| (curve.name.clone(), Style::Curve(at)));
        let mut bars: Vec<(String, Style)> =
            self.bars.iter().enumerate().map(|(at, part)| (part.name.clone(), Style::Part(at))).collect();
        if !self.side_by_side {
            // The topmost part of a bar stands first.
            bars.reverse();
        }
        let marks = self.marks.iter().enumerate().map(|(at, marks)| (marks.name.clone(), Style::Marks(at)));
        let guidelines = self.guidelines.iter().map(|line| (line.name.clone(), Style::Guideline));
        curves.chain(bars).chain(marks).chain(guidelines).collect()
    }

    /// Draws title and axes on `area`, which is a part of `picture`, and what lies between the axes.
    fn draw_paper<'b>(&self, picture: &Area<'b>, area: &Area<'b>, (x, y): (Layout, Layout)) -> Drawn<'b> {
        let mut paper = ChartBuilder::on(area)
            .caption(&self.title, (FONT, 22).into_font().color(&INK))
            .margin(14)
            .x_label_area_size(52)
            .margin_right(34)
            .y_label_area_size(104)
            .build_cartesian_2d(x.clone(), y.clone())?;
        paper
            .configure_mesh()
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_labels(x.tick_count())
            .y_labels(y.tick_count())
            .label_style((FONT, 18).into_font().color(&INK))
            .axis_desc_style((FONT, 20).into_font().color(&INK))
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .draw()?;
        let pixel = |point: clip::Point| -> Pixel { paper.backend_coord(&point) };
        for (at, [from, to]) in bars::rectangles(&self.bars, self.side_by_side) {
            let corner = |(across, up): (f64, f64)| Some((x.share(across)?, y.share(up)?));
            if let (Some(from), Some(to)) = (corner(from), corner(to)) {
                Style::Part(at).draw_part(picture, [from, to].map(pixel))?;
            }
        }
        for line in &self.guidelines {
            let points = [0.0, 1.0].map(|end| y.share(line.y).map(|height| (end, height)));
            draw_series(picture, Style::Guideline, &points, pixel)?;
        }
        let place = |point: &(f64, f64)| Some((x.share(point.0)?, y.share(point.1)?));
        for (at, curve) in self.curves.iter().enumerate() {
            let points: Vec<_> = curve.points.iter().map(place).collect();
            draw_series(picture, Style::Curve(at), &points, pixel)?;
        }
        for (at, marks) in self.marks.iter().enumerate() {
            let points: Vec<_> = marks.points.iter().map(place).collect();
            draw_series(picture, Style::Marks(at), &points, pixel)?;
        }
        Ok(())
    }

    /// Lays out both axes.
    fn layouts(&self) -> (Layout, Layout) {
        (self.layout(&self.x, |point| point.0), self.layout(&self.y, |point| point.1))
    }

    /// Lays out `axis` for the values that `of` takes of each point, and on the y axis for the guidelines.
    fn layout(&self, axis: &Axis, of: impl Fn(&(f64, f64)) -> f64) -> Layout {
        let series = self.curves.iter().chain(&self.marks);
        let mut values: Vec<f64> = series.flat_map(|series| series.points.iter().map(&of)).collect();
        if std::ptr::eq(axis, &self.y) {
            values.extend(self.guidelines.iter().map(|line| line.y));
            values.extend(bars::rectangles(&self.bars, self.side_by_side).iter().map(|(_, [_, top])| top.1));
        }
        Layout::new(&axis.scale, axis.from, axis.to, &values)
    }
}

/// Draws a line through `points` and a symbol at each, as far as they lie on the paper.
fn draw_series<'b>(
    picture: &Area<'b>,
    look: Style,
    points: &[Option<clip::Point>],
    pixel: impl Fn(clip::Point) -> Pixel,
) -> Drawn<'b> {
    for piece in clip::clipped(points) {
        look.draw_line(picture, piece.into_iter().map(&pixel).collect())?;
    }
    let mut on_paper = points.iter().flatten().filter(|point| clip::is_on_paper(**point));
    on_paper.try_for_each(|point| look.draw_symbol(picture, pixel(*point)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let curve = |name: &str, factor: f64| Series {
            name: name.to_owned(),
            points: (0..10).map(|step| (f64::from(step) * 1e4, factor * f64::from(step * step))).collect(),
        };
        Chart {
            title: "Response against rate".to_owned(),
            x: Axis::linear("I/Os a second"),
            y: Axis::linear("response time (ms)"),
            curves: vec![curve("zHPF", 0.01), curve("FICON", 0.02)],
            bars: vec![],
            side_by_side: false,
            marks: vec![Series { name: "published".to_owned(), points: vec![(5e4, 0.3)] }],
            guidelines: vec![Guideline { name: "advised".to_owned(), y: 0.5 }],
        }
    }

    #[test]
    fn the_same_chart_gives_the_same_bytes() {
        insta::assert_snapshot!(chart().svg());
        assert_eq!(chart().svg(), chart().svg());
    }

    #[test]
    fn title_axes_and_everything_in_the_legend_have_their_words() {
        let svg = chart().svg();
        for words in
            ["Response against rate", "I/Os a second", "response time (ms)", "zHPF", "FICON", "published"]
        {
            assert!(svg.contains(words), "{words}");
        }
        let alone =
            Chart { curves: vec![chart().curves[0].clone()], marks: vec![], guidelines: vec![], ..chart() };
        assert!(!alone.svg().contains("zHPF"));
    }

    #[test]
    fn words_cannot_break_out_of_the_picture() {
        let svg = Chart { title: "a < b & \"c\"".to_owned(), ..chart() }.svg();
        assert!(svg.contains("a &lt; b &amp;"), "{svg}");
    }

    #[test]
    fn what_lies_beyond_the_axes_is_cut_off() {
        let mut cut = chart();
        cut.y = cut.y.between(0.0, 0.1);
        cut.curves[0].points.push((f64::NAN, 1.0));
        let svg = cut.svg();
        let lines = svg.split("points=\"").skip(1).filter_map(|line| line.split_once('"'));
        let pixels =
            lines.flat_map(|(points, _)| points.split_whitespace()).filter_map(|point| point.split_once(','));
        let heights: Vec<f64> = pixels.map(|(_, y)| y.parse().expect("a number")).collect();
        assert!(
            !heights.is_empty() && heights.iter().all(|y| *y > 30.0),
            "above the paper is the title alone"
        );
    }

    #[test]
    fn an_empty_chart_is_drawn_too() {
        let empty = Chart { curves: vec![], marks: vec![], guidelines: vec![], ..chart() };
        assert!(empty.svg().ends_with("</svg>\n"));
        let log = Chart { x: Axis::log("km"), y: Axis::log("ms"), ..chart() };
        assert!(log.svg().contains("\n50,000\n"));
    }
}
