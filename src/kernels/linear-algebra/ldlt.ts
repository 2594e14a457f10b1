// Stan's factorization P A P' = L D L' of covariance matrices, for the number that Stan's error message contains.

@inline
function at(a: usize, i: i32, j: i32, n: i32): usize {
  return a + ((<usize>(j * n + i)) << 3);
}

function swap(p: usize, q: usize): void {
  const value = load<f64>(p);
  store<f64>(p, load<f64>(q));
  store<f64>(q, value);
}

/** Exchanges rows and columns k and p of the symmetric matrix whose lower triangle is in a. */
function exchange(a: usize, k: i32, p: i32, n: i32): void {
  for (let j = 0; j < k; j++) swap(at(a, k, j, n), at(a, p, j, n));
  for (let i = p + 1; i < n; i++) swap(at(a, i, k, n), at(a, i, p, n));
  for (let i = k + 1; i < p; i++) swap(at(a, i, k, n), at(a, p, i, n));
  swap(at(a, k, k, n), at(a, p, p, n));
}

/**
 * The last element of D, A n × n symmetric (lower triangle read), rows pivoted by the size of their diagonal elements as in
 * Eigen's LDLT. work: n² numbers.
 */
export function last_conditional_variance(a: usize, work: usize, n: i32): f64 {
  if (n == 0) return 0.0;
  memory.copy(work, a, (<usize>(n * n)) << 3);
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) {
      if (abs<f64>(load<f64>(at(work, i, i, n))) > abs<f64>(load<f64>(at(work, pivot, pivot, n)))) pivot = i;
    }
    if (pivot != k) exchange(work, k, pivot, n);
    for (let i = k; i < n; i++) {
      let value = load<f64>(at(work, i, k, n));
      for (let j = 0; j < k; j++) {
        value -= load<f64>(at(work, i, j, n)) * load<f64>(at(work, k, j, n)) * load<f64>(at(work, j, j, n));
      }
      store<f64>(at(work, i, k, n), value);
    }
    const d = load<f64>(at(work, k, k, n));
    if (d != 0.0) {
      for (let i = k + 1; i < n; i++) store<f64>(at(work, i, k, n), load<f64>(at(work, i, k, n)) / d);
    }
  }
  return load<f64>(at(work, n - 1, n - 1, n));
}

/** The least element of D: negative unless A is positive semidefinite. */
export function least_conditional_variance(a: usize, work: usize, n: i32): f64 {
  last_conditional_variance(a, work, n);
  let least: f64 = Infinity;
  for (let k = 0; k < n; k++) least = min<f64>(least, load<f64>(at(work, k, k, n)));
  return least;
}
