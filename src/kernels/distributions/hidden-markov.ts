// Hidden Markov models, marginalized over the states: the forward and backward recurrences, each step scaled to sum to one (Rabiner,
// Proc. IEEE 77, 1989). Matrices are column-major; each step is a column of `states` numbers.
import { exp } from '../elementary/exponential';
import { log } from '../elementary/logarithm';

@inline
function at(base: usize, k: i32): usize {
  return base + (<usize>k << 3);
}

function dot(x: usize, y: usize, n: i32): f64 {
  let total: f64 = 0.0;
  for (let i = 0; i < n; i++) total += load<f64>(at(x, i)) * load<f64>(at(y, i));
  return total;
}

/**
 * Writes log p(y) to value; to filtered, the probabilities of the states given the observations so far; to weights, the likelihoods of each
 * step divided by p(y at the step | those before), for the backward recurrence.
 */
export function hmm_forward(
  value: usize,
  filtered: usize,
  weights: usize,
  logLikelihoods: usize,
  transition: usize,
  initial: usize,
  states: i32,
  steps: i32,
): void {
  let total: f64 = 0.0;
  for (let n = 0; n < steps; n++) {
    const first = n * states;
    let largest: f64 = -Infinity;
    for (let k = 0; k < states; k++) largest = max<f64>(largest, load<f64>(at(logLikelihoods, first + k)));
    let norm: f64 = 0.0;
    for (let k = 0; k < states; k++) {
      const weight = exp(load<f64>(at(logLikelihoods, first + k)) - largest);
      const before =
        n == 0 ? load<f64>(at(initial, k)) : dot(at(transition, k * states), at(filtered, first - states), states);
      store<f64>(at(weights, first + k), weight);
      store<f64>(at(filtered, first + k), weight * before);
      norm += weight * before;
    }
    const scale = 1.0 / norm;
    for (let k = 0; k < states; k++) {
      store<f64>(at(weights, first + k), load<f64>(at(weights, first + k)) * scale);
      store<f64>(at(filtered, first + k), load<f64>(at(filtered, first + k)) * scale);
    }
    total += log(norm) + largest;
  }
  store<f64>(value, total);
}

/** One backward step: next (weighted) becomes weights ∘ next, and out the sum over its transitions. */
function stepBack(out: usize, next: usize, weights: usize, transition: usize, states: i32): void {
  memory.fill(out, 0, <usize>states << 3);
  for (let j = 0; j < states; j++) {
    const u = load<f64>(at(weights, j)) * load<f64>(at(next, j));
    store<f64>(at(next, j), u);
    const column = at(transition, j * states);
    for (let i = 0; i < states; i++) store<f64>(at(out, i), load<f64>(at(out, i)) + load<f64>(at(column, i)) * u);
  }
}

/** The probabilities of the states at each step given all observations. work: 2 states numbers. */
export function hmm_smooth(
  smoothed: usize,
  filtered: usize,
  weights: usize,
  transition: usize,
  work: usize,
  states: i32,
  steps: i32,
): void {
  let next = work;
  let here = at(work, states);
  for (let k = 0; k < states; k++) store<f64>(at(here, k), 1.0);
  for (let n = steps - 1; n >= 0; n--) {
    const first = n * states;
    if (n < steps - 1) stepBack(here, next, at(weights, first + states), transition, states);
    for (let k = 0; k < states; k++) {
      store<f64>(at(smoothed, first + k), load<f64>(at(filtered, first + k)) * load<f64>(at(here, k)));
    }
    const swap = next;
    next = here;
    here = swap;
  }
}

/**
 * Adds to the adjoints of the log likelihoods, the transition matrix and the initial probabilities, skipping those with a null pointer.
 * work: 2 states numbers.
 */
export function hmm_forward_adjoint(
  logLikelihoodsAdjoint: usize,
  transitionAdjoint: usize,
  initialAdjoint: usize,
  valueAdjoint: usize,
  filtered: usize,
  weights: usize,
  transition: usize,
  work: usize,
  states: i32,
  steps: i32,
): void {
  const seed = load<f64>(valueAdjoint);
  let next = work;
  let here = at(work, states);
  for (let k = 0; k < states; k++) store<f64>(at(here, k), 1.0);
  for (let n = steps - 1; n >= 0; n--) {
    const first = n * states;
    if (n < steps - 1) {
      stepBack(here, next, at(weights, first + states), transition, states);
      if (transitionAdjoint != 0) {
        for (let j = 0; j < states; j++) {
          const u = seed * load<f64>(at(next, j));
          const column = at(transitionAdjoint, j * states);
          for (let i = 0; i < states; i++) {
            const address = at(column, i);
            store<f64>(address, load<f64>(address) + u * load<f64>(at(filtered, first + i)));
          }
        }
      }
    }
    if (logLikelihoodsAdjoint != 0) {
      for (let k = 0; k < states; k++) {
        const address = at(logLikelihoodsAdjoint, first + k);
        store<f64>(address, load<f64>(address) + seed * load<f64>(at(filtered, first + k)) * load<f64>(at(here, k)));
      }
    }
    const swap = next;
    next = here;
    here = swap;
  }
  if (initialAdjoint != 0) {
    for (let k = 0; k < states; k++) {
      const address = at(initialAdjoint, k);
      store<f64>(address, load<f64>(address) + seed * load<f64>(at(weights, k)) * load<f64>(at(next, k)));
    }
  }
}
