//! The receipt of what was done: a file of the folder, named by its number, and its hash.

use std::path::Path;

use freshet_report::deletions::DeletionsReport;

use super::journal::Journal;
use crate::hash_file;
use crate::small::replace;

/// Most receipts of one folder; more than one a day for a lifetime.
const RECEIPTS_MAX: u32 = 99_999;

/// Whether a file is a receipt, by its name.
pub(super) fn is_receipt(name: &str) -> bool {
    let number = name.strip_prefix("deletions-").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What the receipt is called: the next number that is free. It is settled once, however often the work is interrupted.
pub(super) fn name(journal: &mut Journal, dir: &Path) -> anyhow::Result<String> {
    if let Some(name) = &journal.receipt {
        return Ok(name.clone());
    }
    let names = (1..=RECEIPTS_MAX).map(|number| format!("deletions-{number:04}.json"));
    let mut free = names.into_iter().filter(|name| std::fs::symlink_metadata(dir.join(name)).is_err());
    let name = free.next().ok_or_else(|| anyhow::anyhow!("`{}` is full of receipts", dir.display()))?;
    journal.receipt = Some(name.clone());
    journal.write(dir)?;
    Ok(name)
}

/// Writes it, and its name and hash into the report.
pub(super) fn write(dir: &Path, name: &str, report: &mut DeletionsReport) -> anyhow::Result<()> {
    let path = dir.join(name);
    let text = serde_json::to_string_pretty(&report.deletions)? + "\n";
    replace(&path, text.as_bytes())?;
    report.receipt_sha256 = Some(hash_file(&path)?.1);
    report.receipt = Some(name.to_owned());
    Ok(())
}
