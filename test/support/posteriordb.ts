/** A checkout of posteriordb with one small posterior, whose reference draws are exact. */
import { createRng } from '../../src/inference/random/random-stream.js';

const PROGRAM = `data {
  int N;
  vector[N] y;
}
parameters {
  real mu;
  vector[2] x;
}
model {
  mu ~ std_normal();
  y ~ normal(mu, 1);
  x ~ normal(3, 2);
}
`;

/** The files, by path. By conjugacy, mu is normal(1.5, 0.5) a posteriori. */
export function checkoutFiles(name: string): Readonly<Record<string, string>> {
  const chains = [1, 2, 3, 4].map((chain) => {
    const rng = createRng(1, chain);
    const draws = (mean: number, sd: number) => Array.from({ length: 500 }, () => mean + sd * rng.normal());
    return { mu: draws(1.5, 0.5), 'x[1]': draws(3, 2), 'x[2]': draws(3, 2) };
  });
  const names = { model_name: 'line', data_name: 'three' };
  const files: Readonly<Record<string, unknown>> = {
    [`posteriors/${name}.json`]: {
      name,
      ...names,
      reference_posterior_name: name,
      dimensions: { mu: 1, x: [2] },
    },
    'posteriors/three-alone.json': { ...names, name: 'three-alone', reference_posterior_name: null },
    'alias/posteriors.json': { small: name },
    'data/data/three.json': { N: 3, y: [1, 2, 3] },
    [`reference_posteriors/draws/draws/${name}.json`]: chains,
  };
  const texts = Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)]);
  const all = Object.fromEntries([...texts, ['models/stan/line.stan', PROGRAM]]);
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`posterior_database/${path}`, `${text}`]));
}
