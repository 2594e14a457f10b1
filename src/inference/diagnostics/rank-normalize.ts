import { ascendingOrder } from './ascending.js';
import { type Chains, pool } from './chains.js';
import { normalQuantile } from './normal-quantile.js';

/** Replaces draws by the normal scores of their ranks among all draws, ties sharing their mean rank (Blom's offset 3/8). */
export function rankNormalize(chains: Chains): Float64Array[] {
  const values = pool(chains);
  const order = ascendingOrder(values);
  const untied = untiedScores(values.length);
  const scores = new Float64Array(values.length);
  for (let first = 0; first < order.length; ) {
    let next = first + 1;
    while (next < order.length && values[order[next]] === values[order[first]]) next++;
    const score = next === first + 1 ? untied[first] : scoreOf((first + 1 + next) / 2, values.length);
    for (; first < next; first++) scores[order[first]] = score;
  }
  let offset = 0;
  return chains.map((chain) => {
    offset += chain.length;
    return scores.subarray(offset - chain.length, offset);
  });
}

/** Normal score of a rank among so many, from 1 on. */
function scoreOf(rank: number, count: number): number {
  return normalQuantile((rank - 0.375) / (count + 0.25));
}

let known = new Float64Array();

/** The scores of the ranks from 1 on: the same for each quantity of a fit, which is why the latest are kept. */
function untiedScores(count: number): Float64Array {
  if (known.length !== count) known = Float64Array.from({ length: count }, (_, place) => scoreOf(place + 1, count));
  return known;
}
