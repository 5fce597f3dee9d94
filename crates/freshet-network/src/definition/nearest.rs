//! Which known name was probably meant by one that is not known, for messages about misspelt definitions.

/// The known name that was probably meant: at most two letters away, and half of it right.
pub(super) fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let by_distance = known.map(|one| (distance(name, one), one));
    let (distance, near) = by_distance.min_by_key(|(distance, _)| *distance)?;
    (distance <= 2 && distance * 2 <= name.len()).then_some(near)
}

/// Letters to add, drop or change to get from one name to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
