//! The frame of a plot: title, legend, axes, grid.

use maud::{Markup, html};

use super::axis::Axis;
use super::{Plot, marks};

/// Width of every plot: such that its letters are readable on a phone.
pub(super) const WIDTH: f64 = 460.0;
const LEFT: f64 = 68.0;
const RIGHT: f64 = 12.0;
const LINE: f64 = 17.0;
/// Curves of fewer places have marks.
const SHORT: usize = 40;

/// What a plot is made of besides its marks.
pub(super) struct Frame {
    pub title: String,
    pub caption: String,
    pub x: Axis,
    pub x_title: String,
    pub y: Axis,
    pub y_title: String,
    /// Names of arms with their places in the style.
    pub legend: Vec<(usize, String)>,
    /// Height of the area of the marks.
    pub height: f64,
}

impl Frame {
    /// Where a value lies from left to right.
    pub fn x(&self, value: f64) -> f64 {
        LEFT + self.x.share(value) * (WIDTH - LEFT - RIGHT)
    }

    /// Where a value lies from top to bottom.
    pub fn y(&self, value: f64) -> f64 {
        self.top() + (1.0 - self.y.share(value)) * self.height
    }

    /// The top of the area of the marks.
    pub fn top(&self) -> f64 {
        30.0 + LINE * self.legend_rows().len() as f64 + LINE
    }

    fn bottom(&self) -> f64 {
        self.top() + self.height
    }

    /// As many names in a row as fit.
    fn legend_rows(&self) -> Vec<Vec<(usize, String, f64)>> {
        let mut rows: Vec<Vec<(usize, String, f64)>> = Vec::new();
        let mut right = f64::INFINITY;
        for (arm, name) in &self.legend {
            let name = shortened(name, 50);
            let width = 26.0 + 6.6 * name.chars().count() as f64;
            if right + width > WIDTH {
                rows.push(Vec::new());
                right = 8.0;
            }
            if let Some(row) = rows.last_mut() {
                row.push((*arm, name, right));
            }
            right += width;
        }
        rows
    }

    /// The plot of one curve an arm; the places of short ones are marked.
    pub fn curves(self, curves: &[(usize, Vec<(f64, f64)>)]) -> Plot {
        let drawn: Vec<(usize, Vec<(f64, f64)>)> = curves
            .iter()
            .map(|(arm, curve)| {
                (*arm, curve.iter().map(|(x, y)| (self.x(*x), self.y(*y))).collect())
            })
            .collect();
        let body = html! {
            @for (arm, places) in &drawn {
                (marks::line(*arm, places))
                @for (x, y) in places.iter().filter(|_| places.len() < SHORT) {
                    (marks::mark(*arm, *x, *y, false))
                }
            }
        };
        self.plot(body)
    }

    /// The plot with these marks.
    pub fn plot(self, marks: Markup) -> Plot {
        let (top, bottom) = (self.top(), self.bottom());
        let body = html! {
            text.title x="8" y="17" { (shortened(&self.title, 66)) }
            @for (number, row) in self.legend_rows().into_iter().enumerate() {
                @let y = 34.0 + LINE * number as f64;
                @for (arm, name, x) in row {
                    (marks::mark(arm, x + 6.0, y - 4.0, false))
                    text x=(format!("{:.1}", x + 15.0)) y=(y) { (name) }
                }
            }
            text.faint x="8" y=(top - 11.0) { (self.y_title) }
            @for (value, name) in &self.y.ticks {
                @let y = format!("{:.1}", self.y(*value));
                line.grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(y) y2=(y) {}
                text x=(LEFT - 5.0) y=(format!("{:.1}", self.y(*value) + 4.0)) text-anchor="end" {
                    (name)
                }
            }
            @for (value, name) in &self.x.ticks {
                @let x = format!("{:.1}", self.x(*value));
                line.axis x1=(x) x2=(x) y1=(bottom) y2=(bottom + 4.0) {}
                text x=(x) y=(bottom + 17.0) text-anchor=(anchor(self.x.share(*value))) { (name) }
            }
            line.axis x1=(LEFT) x2=(WIDTH - RIGHT) y1=(bottom) y2=(bottom) {}
            (marks)
            text.faint x=(WIDTH - RIGHT) y=(bottom + 34.0) text-anchor="end" { (self.x_title) }
        };
        let size = (WIDTH, bottom + 42.0);
        Plot { title: self.title, caption: self.caption, size, body }
    }
}

/// Numbers at the ends of an axis stay inside the plot.
fn anchor(share: f64) -> &'static str {
    if share > 0.97 { "end" } else { "middle" }
}

/// A name that fits.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
