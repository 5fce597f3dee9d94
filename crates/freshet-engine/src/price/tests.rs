//! Prices from counts alone.
