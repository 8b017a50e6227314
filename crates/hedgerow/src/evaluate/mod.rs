//! Metrics, cross-validation, grid search and statistical tests.
