/** A way to sample. */
interface Sampler {
  /** The heading of its column. */
  readonly title: string;
  /** Short name of the function. */
  readonly algorithm: string;
  readonly given: Readonly<Record<string, unknown>>;
}

/** `name` distinguishes it in files. */
export type NamedSampler = Sampler & { readonly name: string };

/** Those of Leapfrog that the table compares. */
export const samplers: Readonly<Record<string, Sampler>> = {
  stan: { title: 'Stan', algorithm: 'hmc_nuts_diag_e_adapt', given: {} },
  fisher: { title: 'Fisher diagonal', algorithm: 'hmc_nuts_diag_e_adapt', given: { adapt_metric: 'fisher' } },
  low_rank: { title: 'low rank', algorithm: 'hmc_nuts_low_rank_adapt', given: {} },
  learnt: { title: 'learnt coordinates', algorithm: 'hmc_nuts_low_rank_adapt', given: { reparameterize: 'auto' } },
  recommended: { title: 'recommended', algorithm: 'recommended', given: {} },
};

/** The sampler of a name, undefined if it is unknown. `NAME@LENGTH` has another number of warmup iterations. */
export function samplerOf(name: string): NamedSampler | undefined {
  const [kind, length] = name.split('@');
  if (!Object.hasOwn(samplers, kind)) return undefined;
  const { given, title, algorithm } = samplers[kind];
  if (length === undefined) return { name, algorithm, title, given };
  return { name, algorithm, title: `${title}, ${length}`, given: { ...given, num_warmup: Number(length) } };
}
