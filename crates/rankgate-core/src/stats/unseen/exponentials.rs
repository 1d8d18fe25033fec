//! How often a weighted sum of exponential variables is at most 0.

/// The relative error of a probability.
const PRECISION: f64 = 1e-12;

/// Steps of Newton's or of halving until the saddle is found; the line of integration need not go through it exactly.
const STEPS: usize = 200;
const FOUND: f64 = 1e-9;

/// The first step of the rule of integration, and how often it may be halved.
const STEP: f64 = 0.5;
const HALVINGS: usize = 12;

/// A product of factors beyond this leaves nothing of a node.
const NOTHING: f64 = 1e40;

/// So many factors are multiplied before their product is looked at.
const CHUNK: usize = 16;

/// A sum of independent exponential variables of mean 1, each with a weight that may be negative.
///
/// Its cumulants' function is K(s) = - sum of ln(1 - s a), finite between 1 / least weight and 1 / largest.
pub(in crate::stats) struct Combination {
    /// Each distinct weight that is not 0, and how often it occurs.
    weights: Vec<(f64, u32)>,
}

/// A point of the real line where the integrand along the imaginary axis falls off fastest.
struct Saddle {
    at: f64,
    /// K there, and K's second derivative.
    value: f64,
    curvature: f64,
}

impl Combination {
    /// Of weights in any order; those within rounding of 0 are 0.
    pub(in crate::stats) fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let mut weights: Vec<f64> = weights.into_iter().collect();
        let largest = weights.iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
        weights.retain(|weight| weight.abs() > largest * f64::EPSILON);
        weights.sort_unstable_by(f64::total_cmp);
        let mut grouped: Vec<(f64, u32)> = Vec::with_capacity(weights.len());
        for weight in weights {
            match grouped.last_mut() {
                Some((last, count)) if *last == weight => *count += 1,
                _ => grouped.push((weight, 1)),
            }
        }
        // The scale changes no probability.
        for (weight, _) in &mut grouped {
            *weight /= largest;
        }
        Self { weights: grouped }
    }

    /// The probability that the sum is at most 0: the inversion of its Laplace transform.
    pub(in crate::stats) fn tail(&self) -> f64 {
        let Some(saddle) = self.saddle() else { return self.certain() };
        let beyond = self.integral(&saddle);
        if saddle.at < 0.0 { beyond } else { 1.0 - beyond }
    }

    /// Where all weights have one sign nothing is left to chance.
    fn certain(&self) -> f64 {
        if self.weights.iter().any(|(weight, _)| *weight > 0.0) { 0.0 } else { 1.0 }
    }

    /// Where K ends on either side; nothing where it goes on for ever.
    fn bounds(&self) -> Option<[f64; 2]> {
        let (least, largest) = (self.weights.first()?.0, self.weights.last()?.0);
        (least < 0.0 && largest > 0.0).then(|| [1.0 / least, 1.0 / largest])
    }

    /// Where K(s) - ln |s| is least, on the side of 0 where K's own least value is.
    fn saddle(&self) -> Option<Saddle> {
        let [low, high] = self.bounds()?;
        let mean = self.sum(|weight| weight);
        let [mut low, mut high] = if mean >= 0.0 { [low, 0.0] } else { [0.0, high] };
        let width = high - low;
        let mut at = f64::midpoint(low, high);
        // K'(s) - 1 / s grows from end to end. Where a step of Newton's leaves the bracket, the middle is taken.
        for _ in 0..STEPS {
            let (mut slope, mut curvature) = (-at.recip(), at.powi(-2));
            for &(weight, count) in &self.weights {
                let part = weight / (1.0 - at * weight);
                slope += part * f64::from(count);
                curvature += part * part * f64::from(count);
            }
            if slope < 0.0 {
                low = at;
            } else {
                high = at;
            }
            let step = slope / curvature;
            if step.abs() <= FOUND * at.abs().min(width) || high - low <= f64::EPSILON * width {
                break;
            }
            at -= step;
            if !(low < at && at < high) {
                at = f64::midpoint(low, high);
            }
        }
        let value = -self.sum(|weight| (-at * weight).ln_1p());
        let curvature = self.sum(|weight| (weight / (1.0 - at * weight)).powi(2));
        Some(Saddle { at, value, curvature })
    }

    fn sum(&self, part: impl Fn(f64) -> f64) -> f64 {
        self.weights.iter().map(|&(weight, count)| part(weight) * f64::from(count)).sum()
    }

    /// The probability of the side of 0 that the saddle is on: the integral of exp(K(z)) / z along the line through it,
    /// over 2 pi i. In u with t = h sinh(u) it falls off exponentially on both sides, so that equal steps are enough.
    fn integral(&self, saddle: &Saddle) -> f64 {
        let Saddle { at, value, curvature } = *saddle;
        let factors: Vec<(f64, u32)> =
            self.weights.iter().map(|&(weight, count)| (weight / (1.0 - at * weight), count)).collect();
        let stretch = (curvature + at.powi(-2)).sqrt().recip();
        let node = |u: f64| {
            let t = stretch * u.sinh();
            let [re, size] = reciprocal([1.0, t / at], &factors, t);
            [re * u.cosh(), size * u.cosh()]
        };
        let sum = |from: f64, step: f64| {
            let (mut sum, mut sizes, mut u) = (0.0, 1.0, from);
            loop {
                let [part, size] = node(u);
                sum += part;
                sizes += size;
                u += step;
                if size <= f64::EPSILON * sizes * step {
                    return sum;
                }
            }
        };
        let mut step = STEP;
        let mut whole = step * (0.5 + sum(step, step));
        for _ in 0..HALVINGS {
            let halved = f64::midpoint(whole, step * sum(step / 2.0, step));
            let agree = (halved - whole).abs() <= PRECISION * halved.abs();
            whole = halved;
            step /= 2.0;
            if agree {
                break;
            }
        }
        (value.exp() / at.abs() * stretch * whole / std::f64::consts::PI).clamp(0.0, 1.0)
    }
}

/// The real part and the size of 1 over the product of `first` and of 1 - i t b for each factor b. By hand, because
/// iterators are slow in builds without optimization, which is how `cargo test` builds its dependencies.
fn reciprocal(first: [f64; 2], factors: &[(f64, u32)], t: f64) -> [f64; 2] {
    let [mut re, mut im] = first;
    let mut at = 0;
    while at < factors.len() {
        let (factor, count) = factors[at];
        let [a, b] = power([1.0, -t * factor], count);
        (re, im) = (re * a - im * b, re * b + im * a);
        at += 1;
        // What has overflowed is no number.
        if at % CHUNK == 0 && (re.abs() + im.abs() > NOTHING || re.is_nan() || im.is_nan()) {
            return [0.0, 0.0];
        }
    }
    let square = re * re + im * im;
    if square <= NOTHING * NOTHING { [re / square, square.sqrt().recip()] } else { [0.0, 0.0] }
}

/// A complex number to a power.
fn power([mut re, mut im]: [f64; 2], count: u32) -> [f64; 2] {
    if count == 1 {
        return [re, im];
    }
    let (mut left, mut product) = (count, [1.0, 0.0]);
    while left > 0 {
        if left & 1 == 1 {
            product = [product[0] * re - product[1] * im, product[0] * im + product[1] * re];
        }
        (re, im) = (re * re - im * im, 2.0 * re * im);
        left >>= 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Stream;

    #[test]
    fn it_is_the_share_of_drawn_sums() {
        let weights = [0.4, 0.4, 0.4, -0.3, 0.05, -0.7, 0.2, 0.0, 0.9, -0.01];
        let random = Stream::new(1).sequence(0);
        let draws = 100_000_u64;
        let mut below = 0.0;
        for draw in 0..draws {
            let exponential = |at: usize| {
                let bits = random.at(draw * weights.len() as u64 + at as u64);
                -(1.0 - (bits >> 11) as f64 / 2f64.powi(53)).ln()
            };
            let sum: f64 = weights.iter().enumerate().map(|(at, weight)| weight * exponential(at)).sum();
            below += f64::from(u8::from(sum <= 0.0)) / draws as f64;
        }
        let exact = Combination::new(weights).tail();
        assert!((exact - below).abs() < 0.006, "{exact} {below}"); // four standard errors
        let mirrored = Combination::new(weights.map(|weight| -weight)).tail();
        assert!((exact + mirrored - 1.0).abs() < 1e-12, "{mirrored}");
    }

    #[test]
    fn weights_of_one_sign_leave_nothing_to_chance() {
        for (weights, expected) in
            [(&[0.1, 0.3, 0.0][..], 0.0), (&[-0.1, 0.0], 1.0), (&[0.0, 0.0], 1.0), (&[-1.0, 1e-18], 1.0)]
        {
            assert_eq!(Combination::new(weights.iter().copied()).tail(), expected, "{weights:?}");
        }
        // two of them: 1 / (1 + a) of the time the one with weight a is smaller
        for ratio in [1e-9, 0.25, 1.0, 7.0, 1e9] {
            let tail = Combination::new([ratio, -1.0]).tail();
            assert!((tail * (1.0 + ratio) - 1.0).abs() < 1e-12, "{ratio}: {tail}");
        }
    }
}
