//! The footer of a Parquet file: written at its end, and in pieces at its checkpoints.
//!
//! A memo is a row of pieces, each the length of a footer (four bytes, little-endian) and the footer
//! itself without its tail. Not here: what the row groups hold.

use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetMetaDataWriter,
    RowGroupMetaData,
};

use super::from_parquet;
use crate::{Format, SinkError};

/// Length and magic number, after what the footer says.
const TAIL_BYTES: usize = 8;
/// Bytes of a length.
const LENGTH_BYTES: usize = 4;

/// The footer of a file with these row groups, numbered in their order.
pub(super) fn of(file: &FileMetaData, groups: Vec<RowGroupMetaData>) -> Result<Vec<u8>, SinkError> {
    let numbered = groups.into_iter().enumerate().map(|(at, group)| {
        let ordinal = i16::try_from(at).map_err(|_| SinkError::Encode {
            format: Format::Parquet,
            why: format!("no file has more than {} row groups; split it by day", i16::MAX),
        })?;
        group.into_builder().set_ordinal(ordinal).build().map_err(from_parquet)
    });
    let metadata = ParquetMetaData::new(file.clone(), numbered.collect::<Result<_, _>>()?);
    let mut footer = Vec::new();
    ParquetMetaDataWriter::new(&mut footer, &metadata).finish().map_err(from_parquet)?;
    Ok(footer)
}

/// The piece of a memo that remembers these row groups; nothing where there are none.
pub(super) fn memo(file: &FileMetaData, groups: &[RowGroupMetaData]) -> Result<Vec<u8>, SinkError> {
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    let mut footer = of(file, groups.to_vec())?;
    footer.truncate(footer.len().saturating_sub(TAIL_BYTES));
    let length = u32::try_from(footer.len()).map_err(|_| wrong("a footer is too long"))?;
    Ok([&length.to_le_bytes()[..], &footer].concat())
}

/// The row groups that a memo remembers.
pub(super) fn from_memo(mut memo: &[u8]) -> Result<Vec<RowGroupMetaData>, SinkError> {
    // In full, so that a file that was gone on with has the very footer of one that was not.
    let options = ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false);
    let mut groups = Vec::new();
    while !memo.is_empty() {
        let (length, rest) =
            memo.split_first_chunk::<LENGTH_BYTES>().ok_or_else(|| wrong("it is cut off"))?;
        let length = u32::from_le_bytes(*length) as usize;
        let (footer, rest) = rest.split_at_checked(length).ok_or_else(|| wrong("it is cut off"))?;
        let metadata = ParquetMetaDataReader::decode_metadata_with_options(footer, Some(&options))
            .map_err(|error| wrong(&error.to_string()))?;
        groups.extend_from_slice(metadata.row_groups());
        memo = rest;
    }
    Ok(groups)
}

fn wrong(why: &str) -> SinkError {
    SinkError::Memo { format: Format::Parquet, why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spoilt_memo_is_refused() {
        assert!(from_memo(&[]).is_ok_and(|groups| groups.is_empty()));
        for memo in [&[1][..], &[9, 0, 0, 0, 1, 2], &[2, 0, 0, 0, 255, 255], &[0, 0, 0, 0]] {
            assert!(matches!(from_memo(memo), Err(SinkError::Memo { .. })), "{memo:?}");
        }
    }
}
