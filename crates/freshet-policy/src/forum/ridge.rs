//! Least squares with a small penalty on standardised columns: `W = (XᵀX + ρI)⁻¹XᵀY`, equation 2 made solvable.
//!
//! Columns that say the same thing twice (`Δt_site` is one number for a whole site, the hours sum to 1) make `XᵀX` singular; the
//! penalty shares their weight. Solved by Cholesky's factors: O(rows·columns² + columns³).

/// The penalty, as a share of the rows.
const PENALTY: f64 = 1e-3;

/// Weights of the columns and the constant that fit best.
pub(super) fn fit<const N: usize>(rows: &[([f64; N], f64)]) -> ([f64; N], f64) {
    let count = rows.len().max(1) as f64;
    let (mut means, mut scales, mut mean_y) = ([0.0; N], [0.0; N], 0.0);
    for (x, y) in rows {
        means.iter_mut().zip(x).for_each(|(mean, x)| *mean += x / count);
        mean_y += y / count;
    }
    for (x, _) in rows {
        let squares = scales.iter_mut().zip(x.iter().zip(&means));
        squares.for_each(|(scale, (x, mean))| *scale += (x - mean).powi(2) / count);
    }
    // A column that never changes explains nothing.
    let scales = scales.map(|square: f64| if square > 1e-12 { 1.0 / square.sqrt() } else { 0.0 });
    let (mut matrix, mut right) = (vec![[0.0; N]; N], [0.0; N]);
    for (x, y) in rows {
        let z: [f64; N] = std::array::from_fn(|column| (x[column] - means[column]) * scales[column]);
        for column in (0..N).filter(|&column| z[column] != 0.0) {
            right[column] += z[column] * (y - mean_y);
            matrix[column]
                .iter_mut()
                .zip(&z)
                .take(column + 1)
                .for_each(|(sum, z_other)| *sum += z[column] * z_other);
        }
    }
    for (column, row) in matrix.iter_mut().enumerate() {
        row[column] += PENALTY * count + f64::MIN_POSITIVE;
    }
    let solved = solve(matrix, right);
    let weights: [f64; N] = std::array::from_fn(|column| solved[column] * scales[column]);
    let constant = mean_y - weights.iter().zip(&means).map(|(weight, mean)| weight * mean).sum::<f64>();
    (weights, constant)
}

/// Solves a positive definite system of which the lower triangle is given.
fn solve<const N: usize>(mut matrix: Vec<[f64; N]>, mut right: [f64; N]) -> [f64; N] {
    for row in 0..N {
        for column in 0..=row {
            let sum: f64 = (0..column).map(|k| matrix[row][k] * matrix[column][k]).sum();
            let rest = matrix[row][column] - sum;
            matrix[row][column] =
                if row == column { rest.max(1e-12).sqrt() } else { rest / matrix[column][column] };
        }
    }
    for row in 0..N {
        let sum: f64 = (0..row).map(|k| matrix[row][k] * right[k]).sum();
        right[row] = (right[row] - sum) / matrix[row][row];
    }
    for row in (0..N).rev() {
        let sum: f64 = (row + 1..N).map(|k| matrix[k][row] * right[k]).sum();
        right[row] = (right[row] - sum) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_found_and_twins_share() {
        // y = 3a − 2b + 5; the third column is the first again, the fourth never changes.
        let rows: Vec<_> = (0..200)
            .map(|it| {
                let (a, b) = (f64::from(it % 17), f64::from(it % 11));
                ([a, b, a, 4.0], 3.0 * a - 2.0 * b + 5.0)
            })
            .collect();
        let (weights, constant) = fit(&rows);
        assert!((weights[0] - 1.5).abs() < 0.01 && (weights[2] - 1.5).abs() < 0.01, "{weights:?}");
        assert!((weights[1] + 2.0).abs() < 0.01 && weights[3].abs() < 1e-9 && (constant - 5.0).abs() < 0.05);
        let (weights, constant) = fit::<2>(&[]);
        assert!(weights.iter().all(|weight| weight.abs() < 1e-12) && constant.abs() < 1e-12);
    }
}
