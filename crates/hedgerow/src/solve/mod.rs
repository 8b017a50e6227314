//! Optimisers that see matrices, not data.
