//! Marks of arms: a colour and a shape each.

use maud::{Markup, html};

/// So many colours and shapes there are; further arms begin again.
const KINDS: usize = 6;

/// The colour of an arm, as a variable of the style.
pub(super) fn colour(arm: usize) -> String {
    format!("var(--a{})", arm % KINDS)
}

/// The mark of an arm at a place.
pub(super) fn mark(arm: usize, x: f64, y: f64, hollow: bool) -> Markup {
    let colour = colour(arm);
    let fill = if hollow { "none" } else { colour.as_str() };
    let style = format!("fill:{fill};stroke:{colour}");
    let points = |corners: &[(f64, f64)]| {
        let places =
            corners.iter().map(|(right, down)| format!("{:.1},{:.1}", x + right, y + down));
        places.collect::<Vec<_>>().join(" ")
    };
    let (x1, y1) = (format!("{x:.1}"), format!("{y:.1}"));
    match arm % KINDS {
        0 => html! { circle.mark cx=(x1) cy=(y1) r="3.2" style=(style) {} },
        1 => html! {
            polygon.mark points=(points(&[(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)]))
                style=(style) {}
        },
        2 => html! {
            polygon.mark points=(points(&[(0.0, -4.0), (3.7, 3.0), (-3.7, 3.0)])) style=(style) {}
        },
        3 => html! {
            polygon.mark points=(points(&[(0.0, -4.2), (4.2, 0.0), (0.0, 4.2), (-4.2, 0.0)]))
                style=(style) {}
        },
        4 => html! {
            polygon.mark points=(points(&[(0.0, 4.0), (3.7, -3.0), (-3.7, -3.0)])) style=(style) {}
        },
        _ => {
            let path = format!("M{x:.1} {:.1}v8M{:.1} {y:.1}h8", y - 4.0, x - 4.0);
            html! { path.mark d=(path) style={"fill:none;stroke:" (colour)} {} }
        }
    }
}

/// A line from the least to the most at a place.
pub(super) fn whisker(arm: usize, x: f64, least: f64, most: f64) -> Markup {
    let x = format!("{x:.1}");
    html! {
        line.line x1=(x) x2=(x) y1=(format!("{least:.1}")) y2=(format!("{most:.1}"))
            style={"stroke:" (colour(arm))} {}
    }
}

/// A line through places, in the colour of an arm; later arms are dashed otherwise.
pub(super) fn line(arm: usize, places: &[(f64, f64)]) -> Markup {
    let dashes = ["none", "6 3", "2 2", "8 2 2 2", "4 4", "1 3"][arm % KINDS];
    let places: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    html! {
        polyline.line points=(places.join(" "))
            style={"stroke:" (colour(arm)) ";stroke-dasharray:" (dashes)} {}
    }
}
