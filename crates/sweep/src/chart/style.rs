//! Style of curves, marks and guidelines, on the paper and in the legend.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

/// A picture, or a part of it, in pixels.
pub(super) type Area<'b> = DrawingArea<SVGBackend<'b>, Shift>;
/// Outcome of drawing.
pub(super) type Drawn<'b> = Result<(), DrawingAreaErrorKind<<SVGBackend<'b> as DrawingBackend>::ErrorType>>;
/// A place in a picture, px from its upper left corner.
pub(super) type Pixel = (i32, i32);

/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(34, 34, 34);
/// The family of all text.
pub(super) const FONT: &str = "sans-serif";
/// Okabe and Ito's colours, which people with other colour vision can separate too; yellow left out, since it is faint
/// on white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
];
/// Radius of the symbols of curves and of marks, px.
const CURVE_SYMBOL_PX: i32 = 4;
const MARK_SYMBOL_PX: i32 = 7;
/// Width and height of a part of bars in the legend, px.
const PART_SAMPLE_PX: (i32, i32) = (30, 14);

/// Style of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The curve with this number: a line with small symbols, none of the first 28 like another.
    Curve(usize),
    /// The part of bars with this number: an area.
    Part(usize),
    /// The marks with this number: open symbols.
    Marks(usize),
    /// A dashed line.
    Guideline,
}

impl Style {
    fn colour(self) -> RGBColor {
        match self {
            Self::Curve(number) | Self::Part(number) => COLOURS[number % COLOURS.len()],
            Self::Marks(_) | Self::Guideline => INK,
        }
    }

    /// Draws the line through `points`.
    pub(super) fn draw_line<'b>(self, area: &Area<'b>, points: Vec<Pixel>) -> Drawn<'b> {
        match self {
            Self::Curve(_) => area.draw(&PathElement::new(points, self.colour().stroke_width(2))),
            Self::Guideline => {
                area.draw(&DashedPathElement::new(points, 8, 6, self.colour().stroke_width(2)))
            }
            Self::Part(_) | Self::Marks(_) => Ok(()),
        }
    }

    /// Draws the symbol at `at`.
    pub(super) fn draw_symbol<'b>(self, area: &Area<'b>, at: Pixel) -> Drawn<'b> {
        match self {
            Self::Curve(number) => {
                let corners = corners(number / COLOURS.len() + number, at, CURVE_SYMBOL_PX);
                area.draw(&Polygon::new(corners, self.colour().filled()))
            }
            Self::Marks(number) => {
                let mut corners = corners(number + 1, at, MARK_SYMBOL_PX);
                corners.push(corners[0]);
                area.draw(&PathElement::new(corners, self.colour().stroke_width(2)))
            }
            Self::Part(_) => {
                let (half_width, half_height) = (PART_SAMPLE_PX.0 / 2, PART_SAMPLE_PX.1 / 2);
                let from = (at.0 - half_width, at.1 - half_height);
                self.draw_part(area, [from, (at.0 + half_width, at.1 + half_height)])
            }
            Self::Guideline => Ok(()),
        }
    }

    /// Draws a part of a bar between two corners.
    pub(super) fn draw_part<'b>(self, area: &Area<'b>, corners: [Pixel; 2]) -> Drawn<'b> {
        area.draw(&Rectangle::new(corners, self.colour().filled()))
    }
}

/// Returns the corners of a symbol around `at`: octagon (a dot), diamond, square, triangle.
fn corners(number: usize, (x, y): Pixel, radius: i32) -> Vec<Pixel> {
    let r = radius;
    let half = r / 2;
    let around: &[Pixel] = match number % 4 {
        0 => {
            &[(half, -r), (r, -half), (r, half), (half, r), (-half, r), (-r, half), (-r, -half), (-half, -r)]
        }
        1 => &[(0, -r - 1), (r + 1, 0), (0, r + 1), (-r - 1, 0)],
        2 => &[(-r, -r), (r, -r), (r, r), (-r, r)],
        _ => &[(0, -r - 1), (r + 1, r), (-r - 1, r)],
    };
    around.iter().map(|(dx, dy)| (x + dx, y + dy)).collect()
}
