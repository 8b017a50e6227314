//! Artificial data.
