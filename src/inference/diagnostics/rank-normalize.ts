import { type Chains, pool } from './chains.js';
import { normalQuantile } from './normal-quantile.js';

/** Replaces draws by the normal scores of their ranks among all draws, ties sharing their mean rank (Blom's offset 3/8). */
export function rankNormalize(chains: Chains): Float64Array[] {
  const values = pool(chains);
  const order = Uint32Array.from(values, (_, index) => index).sort((a, b) => values[a] - values[b]);
  const scores = new Float64Array(values.length);
  for (let first = 0; first < order.length; ) {
    let next = first + 1;
    while (next < order.length && values[order[next]] === values[order[first]]) next++;
    const rank = (first + 1 + next) / 2;
    const score = normalQuantile((rank - 0.375) / (values.length + 0.25));
    for (; first < next; first++) scores[order[first]] = score;
  }
  let offset = 0;
  return chains.map((chain) => {
    offset += chain.length;
    return scores.subarray(offset - chain.length, offset);
  });
}
