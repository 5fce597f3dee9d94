//! The Dockerfile of the archive: that of the repository, with the packed program in place of the stage that builds it.
//!
//! Written at packing, so the two cannot drift apart.

use anyhow::{Context, Result};

/// Where the stage begins that becomes the image.
const LAST_STAGE: &str = "\nFROM scratch\n";
/// How it takes the program that was built.
const BUILT: &str = "COPY --from=build /freshet ";
/// How it takes the one beside it.
const PACKED: &str = "COPY freshet ";
/// What the image needs beside the program.
const FIRST_STAGE: &str = "# freshet in an image of its own: the program beside this file, the roots of trust, and nothing else.\n\
    FROM alpine:3 AS build\n\
    RUN apk add --no-cache ca-certificates && mkdir -p /empty/data /empty/tmp\n";

/// The Dockerfile for a folder that holds the program.
pub(super) fn packed(repository: &str) -> Result<String> {
    let (_, last) =
        repository.split_once(LAST_STAGE).context("the Dockerfile has no stage `FROM scratch`")?;
    let last = last.split_once(BUILT).map(|(before, after)| format!("{before}{PACKED}{after}"));
    let last = last.with_context(|| format!("the Dockerfile does not say `{BUILT}…`"))?;
    Ok(format!("{FIRST_STAGE}{LAST_STAGE}{last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_taken_and_not_built() {
        let written = packed(include_str!("../../../Dockerfile")).unwrap();
        assert!(written.contains("COPY freshet /usr/local/bin/freshet"), "{written}");
        assert!(!written.contains("cargo") && !written.contains("/src"), "{written}");
        assert!(packed("FROM scratch").is_err());
    }
}
