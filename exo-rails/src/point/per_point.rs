//! A table with one value for each event, including custom events, at run time.

use crate::point::hook_point::HookPoint;

/// A value for each point. The value of a point is the default until the caller changes it.
#[derive(Clone)]
pub(crate) struct PerPoint<T> {
    known: [T; HookPoint::COUNT],
    own: Vec<(HookPoint, T)>,
}

impl<T: Default> Default for PerPoint<T> {
    fn default() -> Self {
        Self { known: Default::default(), own: Vec::new() }
    }
}

impl<T: Default> PerPoint<T> {
    /// Returns the value of this point. `None` for a custom event without a value.
    pub(crate) fn get(&self, point: HookPoint) -> Option<&T> {
        match point {
            HookPoint::Custom(_) => self.own.iter().find(|(own, _)| *own == point).map(|(_, value)| value),
            known => self.known.get(known.number() as usize),
        }
    }

    /// Returns the value of this point by `&mut`. Adds a default value for a custom event without one.
    pub(crate) fn entry(&mut self, point: HookPoint) -> &mut T {
        let HookPoint::Custom(_) = point else { return &mut self.known[point.number() as usize] };
        let at = self.own.iter().position(|(own, _)| *own == point).unwrap_or_else(|| {
            self.own.push((point, T::default()));
            self.own.len() - 1
        });
        &mut self.own[at].1
    }

    /// Returns all values, in the order of the points. Custom events come last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (HookPoint, &T)> {
        let known = HookPoint::ALL.iter().copied().zip(&self.known);
        known.chain(self.own.iter().map(|(point, value)| (*point, value)))
    }

    /// Returns all values by `&mut`.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.known.iter_mut().chain(self.own.iter_mut().map(|(_, value)| value))
    }
}
