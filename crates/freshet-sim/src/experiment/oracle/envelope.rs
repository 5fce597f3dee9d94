//! The lower envelope of lines, for dynamic programmes whose cost is `a line at a time`.
//!
//! Both oracles solve V(t) = min over s of `intercept(s) + slope(s)·t` with slopes that fall and
//! times that rise: the best line moves forward only (the costs are Monge), so each line is
//! pushed and passed once.

/// Lines with falling slopes, asked at rising places.
#[derive(Debug, Default)]
pub(super) struct Envelope {
    lines: Vec<Line>,
    /// Lines before this one are passed.
    first: usize,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    slope: f64,
    intercept: f64,
    /// Steps of the way that the line stands for.
    count: u64,
}

impl Line {
    fn at(&self, x: f64) -> f64 {
        self.slope * x + self.intercept
    }
}

impl Envelope {
    pub(super) fn clear(&mut self) {
        self.lines.clear();
        self.first = 0;
    }

    /// A further line; its slope is at most that of the last.
    pub(super) fn push(&mut self, slope: f64, intercept: f64, count: u64) {
        let new = Line { slope, intercept, count };
        while let [.., before, last] = &self.lines[self.first..] {
            // The last line is nowhere lowest if the new one meets the one before it earlier.
            let is_needed = (last.intercept - before.intercept) * (before.slope - new.slope)
                < (new.intercept - before.intercept) * (before.slope - last.slope);
            if is_needed {
                break;
            }
            self.lines.pop();
        }
        self.lines.push(new);
    }

    /// The lowest value at `x` and the steps of its line; `x` never falls between two calls.
    pub(super) fn lowest(&mut self, x: f64) -> Option<(f64, u64)> {
        while let [line, next, ..] = &self.lines[self.first..]
            && next.at(x) <= line.at(x)
        {
            self.first += 1;
        }
        self.lines.get(self.first).map(|line| (line.at(x), line.count))
    }
}
