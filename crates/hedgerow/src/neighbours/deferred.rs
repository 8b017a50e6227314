//! A bucket tree that is packed when it pays.
//!
//! Packing looks at every row several times. A model that is loaded to be asked a few times is
//! quicker with a scan of its rows; whoever has scanned as much as packing costs, packs.

use super::bucket_tree::BucketTree;
use super::scan::QUERIES_A_SCAN;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Queries by scanning, after which a tree is packed.
const SCANNED: usize = QUERIES_A_SCAN;

/// A bucket tree, perhaps not packed yet.
#[derive(Debug, Default)]
pub(super) struct DeferredTree {
    scanned: AtomicUsize,
    /// `None` where single precision will not do.
    packed: OnceLock<Option<BucketTree>>,
}

impl DeferredTree {
    /// A tree that is packed, or cannot be.
    pub(super) fn ready(tree: Option<BucketTree>) -> Self {
        Self {
            scanned: AtomicUsize::new(0),
            packed: OnceLock::from(tree),
        }
    }

    /// Packs the tree unless so many more queries are better scanned for.
    pub(super) fn expect(&self, n_queries: usize, pack: impl FnOnce() -> Option<BucketTree>) {
        if self.packed.get().is_some() {
            return;
        }
        if self.scanned.fetch_add(n_queries, Ordering::Relaxed) + n_queries > SCANNED {
            // Outside the lock, because packing runs in parallel and must not wait for itself.
            let tree = pack();
            self.packed.get_or_init(|| tree);
        }
    }

    /// The tree, if it is packed.
    pub(super) fn get(&self) -> Option<&BucketTree> {
        self.packed.get()?.as_ref()
    }

    /// The tree, if it is packed, to be changed.
    pub(super) fn get_mut(&mut self) -> Option<&mut BucketTree> {
        self.packed.get_mut()?.as_mut()
    }
}
