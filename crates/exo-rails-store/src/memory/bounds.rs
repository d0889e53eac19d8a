//! The size of a store in memory, and its bounds.

use crate::StoreError;

/// The bytes that an item takes besides its key and its value, roughly.
const ITEM: usize = 128;

/// The current size of the store, and its bounds.
#[derive(Debug)]
pub(super) struct Bounds {
    items: usize,
    bytes: usize,
    pub(super) max_items: usize,
    pub(super) max_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { items: 0, bytes: 0, max_items: 100_000, max_bytes: 64 << 20 }
    }
}

/// A number of items, and the bytes of their keys and values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) items: usize,
    pub(super) bytes: usize,
}

impl Size {
    pub(super) fn of(key: &str, value: &[u8]) -> Self {
        Self { items: 1, bytes: key.len() + value.len() }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { items: self.items + other.items, bytes: self.bytes + other.bytes }
    }

    fn total_bytes(self) -> usize {
        self.bytes.saturating_add(self.items.saturating_mul(ITEM))
    }
}

impl Bounds {
    /// Checks whether new items can replace old ones within the bounds.
    pub(super) fn check(&self, new: Size, old: Size) -> Result<(), StoreError> {
        let items = self.items.saturating_sub(old.items).saturating_add(new.items);
        let bytes = self.bytes.saturating_sub(old.total_bytes()).saturating_add(new.total_bytes());
        // A change that makes the store smaller is always possible.
        if items > self.max_items && new.items > old.items {
            let max = self.max_items;
            return Err(StoreError::Full(format!("it may have {max} items: raise `MemoryStore::max_items`")));
        }
        if bytes > self.max_bytes && new.total_bytes() > old.total_bytes() {
            let max = self.max_bytes;
            return Err(StoreError::Full(format!("it may have {max} bytes: raise `MemoryStore::max_bytes`")));
        }
        Ok(())
    }

    pub(super) fn add(&mut self, size: Size) {
        self.items += size.items;
        self.bytes += size.total_bytes();
    }

    pub(super) fn remove(&mut self, size: Size) {
        self.items -= size.items;
        self.bytes -= size.total_bytes();
    }
}
