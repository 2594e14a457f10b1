/** Requests for cross-validation with refits: the observations that each refit leaves out, and the division of refits among chains. */

/** The observations that each refit leaves out: a random group, a group by a data variable, or one of the named observations. */
export type HeldOut =
  | { readonly folds: number }
  | { readonly groups: string }
  | { readonly observations: readonly string[] };

/** The fields of a request that select the left-out observations. Exactly one of them must be given. */
const HELD_OUT_FIELDS = ['folds', 'groups', 'observations'] as const;

export const FEWEST_FOLDS = 2;
export const USUAL_FOLDS = 10;
/** Default number of Markov chains per refit. */
export const USUAL_REFIT_CHAINS = 4;
const MOST_REFIT_CHAINS = 64;

/** Maximum number of chains that divide the refits. */
const MOST_CHAINS = 32;

/** Fields of a sampler that refits do not support. */
export const NOT_REFITTED: readonly string[] = ['chain', 'save', 'continue', 'until', 'init'];

/** The number of chains that divide the refits. Results do not depend on it. */
export function refitShares(held: HeldOut): number {
  if ('groups' in held) return MOST_CHAINS / 2;
  return Math.min(MOST_CHAINS, 'folds' in held ? held.folds : held.observations.length);
}

interface Problem {
  readonly field: string;
  readonly message: string;
}

/** A request for refits, without the fields of the sampler. */
export interface RefitPlan {
  readonly held: HeldOut;
  /** Number of Markov chains of each refit. */
  readonly chains: number;
}

/** Reads the fields of a request for refits. `rest` are the fields of the sampler. */
export function readRefitPlan(
  fields: Readonly<Record<string, unknown>>,
  excluded = NOT_REFITTED,
): { readonly plan: RefitPlan; readonly rest: Readonly<Record<string, unknown>> } | { readonly problems: Problem[] } {
  const { folds, groups, observations, num_chains: chains = USUAL_REFIT_CHAINS, ...rest } = fields;
  const problems = excluded
    .filter((field) => rest[field] !== undefined)
    .map((field) => ({ field, message: 'is not an argument of cross-validation with refits' }));
  const given = HELD_OUT_FIELDS.filter((field) => fields[field] !== undefined);
  if (given.length > 1) problems.push({ field: given[1], message: `cannot be combined with ${given[0]}` });
  const held = heldOutOf(folds, groups, observations);
  if ('field' in held) problems.push(held);
  const isCount = Number.isInteger(chains) && Number(chains) >= 1 && Number(chains) <= MOST_REFIT_CHAINS;
  if (!isCount) problems.push({ field: 'num_chains', message: `must be an integer from 1 to ${MOST_REFIT_CHAINS}` });
  if ('field' in held || problems.length > 0) return { problems };
  return { plan: { held, chains: Number(chains) }, rest };
}

function heldOutOf(folds: unknown, groups: unknown, observations: unknown): HeldOut | Problem {
  if (observations !== undefined) {
    const isList = Array.isArray(observations) && observations.every((each) => typeof each === 'string');
    return isList && observations.length > 0
      ? { observations: [...observations] }
      : { field: 'observations', message: 'must be an array of one or more names, such as y[3]' };
  }
  if (groups !== undefined) {
    return typeof groups === 'string'
      ? { groups }
      : { field: 'groups', message: 'must name a data variable with the group of each observation' };
  }
  const count = folds ?? USUAL_FOLDS;
  return typeof count === 'number' && Number.isInteger(count) && count >= FEWEST_FOLDS
    ? { folds: count }
    : { field: 'folds', message: `must be an integer of at least ${FEWEST_FOLDS}` };
}
