//! Ready-made experiments: scripts that come with the program, for a drive of usual size.

/// An experiment that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// Its name.
    pub name: &'static str,
    /// Its script; the first line says what it is.
    pub script: &'static str,
}

impl Recipe {
    /// What it is, in a line.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.script.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }
}

macro_rules! recipe {
    ($name:literal) => {
        Recipe {
            name: $name,
            script: include_str!(concat!("../../fixtures/recipes/", $name, ".pm")),
        }
    };
}

/// Every one.
pub const RECIPES: &[Recipe] = &[
    recipe!("sizes"),
    recipe!("trim-atime"),
    recipe!("cliff"),
    recipe!("recovery"),
    recipe!("dirty"),
];
