//! Which plots a comparison on a forum gives, and where they are written: the list-wise paper's figures 6 and 7.

use std::path::Path;

use anyhow::Context as _;
use freshet_sim::forum::Figures;
use freshet_sim::forum::draw;

/// Writes the plots of a comparison into a directory, made if need be.
pub fn write(dir: &Path, reached: &[(f64, Figures)]) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir)
        .with_context(|| format!("the directory `{}` cannot be made", dir.display()))?;
    for (name, plot) in draw::by_day(reached).into_iter().chain(draw::by_bandwidth(reached)) {
        let Some(svg) = plot.svg() else { continue };
        let path = dir.join(format!("{name}.svg"));
        std::fs::write(&path, svg).with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    Ok(())
}
