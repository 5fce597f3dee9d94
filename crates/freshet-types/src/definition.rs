//! The data types of a network definition: what `networks/*.toml` may say.
