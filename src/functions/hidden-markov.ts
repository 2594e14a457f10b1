import type { Builder } from '../ir/builder.js';
import { container, levelOf, pointer, scalar } from '../ir/builder.js';
import { add, compare, div, get, int, load, mul, sub } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { arrayOf, INT, MATRIX } from '../language/types.js';
import { checkSize } from './densities/glm.js';
import { checkSimplex } from './densities/validation.js';
import type { FunctionEntry } from './entry.js';
import { rowsOf } from './row.js';
import { checkMatch, checkNotEmpty, checkSquare, fresh, type Stored, stored } from './shapes.js';

/** Hidden Markov models with a finite state space, with the states marginalized. */
const row = rowsOf('hidden Markov models');

interface Forward {
  readonly value: Stored;
  readonly filtered: Stored;
  readonly weights: Stored;
  readonly transition: Stored;
  readonly states: Expr;
  readonly steps: Expr;
}

/** The common checks of these functions, and the forward recurrence. */
function forward(builder: Builder, name: string, args: readonly Value[]): Forward {
  const [likelihoods, transition, initial] = args.map((arg) => stored(builder, arg));
  const [states, steps] = likelihoods.sizes;
  checkSize(builder, name, 'rho', initial, states);
  checkSquare(builder, name, 'Gamma', transition);
  checkNotEmpty(builder, name, 'Gamma', transition.sizes[0]);
  checkMatch(builder, name, 'Columns of Gamma', transition.sizes[1], 'Rows of log_omegas', states);
  checkSimplex(builder, name, 'rho', states, initial.at);
  builder.each(states, (i) => checkSimplex(builder, name, 'Gamma[i, ]', states, (j) => transition.at(i, j)));
  const like = { ...likelihoods, level: levelOf(args) };
  const value = fresh(builder, MATRIX, [int(1), int(1)], like, 'log_marginal');
  const filtered = fresh(builder, MATRIX, [states, steps], like, 'filtered');
  const weights = fresh(builder, MATRIX, [states, steps], like, 'weights');
  const refs = [value, filtered, weights, likelihoods, transition, initial].map(({ ref }) => pointer(ref));
  builder.kernel('hmm_forward', [...refs, states, steps]);
  return { value, filtered, weights, transition, states, steps };
}

const ARGUMENTS = 'data matrix, data matrix, data vector';

export const HIDDEN_MARKOV: readonly FunctionEntry[] = [
  row(
    'hmm_marginal',
    'Log probability of the observations whose log likelihoods by state are the columns of the first matrix, given the transition probabilities and the probabilities of the initial state',
    ['(matrix, matrix, vector) => real'],
    (b, args) => scalar(load(forward(b, 'hmm_marginal', args).value.ref, int(0)), levelOf(args)),
  ),
  row(
    'hmm_hidden_state_prob',
    'Probabilities of the states given all observations, one column per step',
    [`(${ARGUMENTS}) => matrix`],
    (b, args) => {
      const { filtered, weights, transition, states, steps } = forward(b, 'hmm_hidden_state_prob', args);
      const smoothed = fresh(b, MATRIX, [states, steps], filtered, 'smoothed');
      const work = b.allocate('real', [mul(int(2), states)], 'work');
      const refs = [smoothed, filtered, weights, transition].map(({ ref }) => pointer(ref));
      b.kernel('hmm_smooth', [...refs, pointer(work), states, steps]);
      return smoothed;
    },
  ),
  row(
    'hmm_latent_rng',
    'States drawn from their posterior given all observations',
    [`(${ARGUMENTS}) => array[] int`],
    (b, args) => {
      const { filtered, transition, states, steps } = forward(b, 'hmm_latent_rng', args);
      const out = b.allocate('int', [steps], 'states');
      const masses = b.allocate('real', [states], 'masses');
      const later = b.newLocal('int', 'later');
      b.each(steps, (back) => {
        const step = sub(sub(steps, back), int(1));
        const mass = (k: Expr): Expr => filtered.at(k, step);
        b.if(
          compare('eq', back, int(0)),
          () => b.each(states, (k) => b.store(masses, k, mass(k))),
          () => b.each(states, (k) => b.store(masses, k, mul(mass(k), transition.at(k, get(later))))),
        );
        const total = b.sum(states, (k) => load(masses, k));
        b.each(states, (k) => b.store(masses, k, div(load(masses, k), total)));
        const draw = b.kernelResult('int', 'rng_categorical', [{ kind: 'random_state' }, pointer(masses), states]);
        b.assign(later, sub(draw, int(1)));
        b.store(out, step, add(get(later), int(1)));
      });
      return container(arrayOf(INT), 'data', out);
    },
  ),
];
