//! What is kept for each event at run time, those of one's own included.

use crate::point::hook_point::HookPoint;

/// A value for each point, empty where nothing has been put in.
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
    /// The value of this point; `None` for a custom event that has none.
    pub(crate) fn get(&self, point: HookPoint) -> Option<&T> {
        match point {
            HookPoint::Custom(_) => self.own.iter().find(|(own, _)| *own == point).map(|(_, value)| value),
            known => self.known.get(known.number() as usize),
        }
    }

    /// The value of this point, to be changed.
    pub(crate) fn entry(&mut self, point: HookPoint) -> &mut T {
        let HookPoint::Custom(_) = point else { return &mut self.known[point.number() as usize] };
        let at = self.own.iter().position(|(own, _)| *own == point).unwrap_or_else(|| {
            self.own.push((point, T::default()));
            self.own.len() - 1
        });
        &mut self.own[at].1
    }

    /// All values, in the order of the points.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (HookPoint, &T)> {
        let known = HookPoint::ALL.iter().copied().zip(&self.known);
        known.chain(self.own.iter().map(|(point, value)| (*point, value)))
    }

    /// All values, to be changed.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.known.iter_mut().chain(self.own.iter_mut().map(|(_, value)| value))
    }
}
