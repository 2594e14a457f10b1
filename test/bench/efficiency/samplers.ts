import { type OtherOptions, ownProcess, peer, realStan } from './others.js';
import type { Engine } from './run.js';

/** A sampler of any engine. */
export interface NamedSampler {
  /** Identifies it in files. */
  readonly name: string;
  /** The heading of its column. */
  readonly title: string;
  readonly run: Engine;
}

export interface Own {
  readonly title: string;
  /** Short name of the function. */
  readonly algorithm: string;
  readonly given?: Readonly<Record<string, unknown>>;
}

const OWN: Readonly<Record<string, Own>> = {
  stan: { title: 'Stan', algorithm: 'hmc_nuts_diag_e_adapt' },
  fisher: { title: 'Fisher diagonal', algorithm: 'hmc_nuts_diag_e_adapt', given: { adapt_metric: 'fisher' } },
  low_rank: { title: 'low rank', algorithm: 'hmc_nuts_low_rank_adapt' },
  learned: {
    title: 'low rank, learned coordinates',
    algorithm: 'hmc_nuts_low_rank_adapt',
    given: { reparameterize: 'auto' },
  },
  recommended: { title: 'recommended', algorithm: 'recommended' },
  none_integrated: {
    title: 'recommended, none integrated',
    algorithm: 'recommended',
    given: { integrate: 'none' },
  },
};

/** The function and arguments of a sampler of Leapfrog. */
export function ownSampler(name: string): Own {
  if (!Object.hasOwn(OWN, name)) throw new Error(`no sampler ${name} in Leapfrog`);
  return OWN[name];
}

interface Other {
  readonly title: string;
  readonly engine: (options: OtherOptions) => Engine;
}

/** Samplers of other engines, which are installed separately. */
export const OTHERS: Readonly<Record<string, Other>> = {
  real_stan: { title: 'real Stan', engine: realStan },
  stanli: { title: 'stanli', engine: (options) => peer('stanli', options) },
  nutpie: { title: 'nutpie', engine: (options) => peer('nutpie', options) },
  nutpie_low_rank: { title: 'nutpie, low rank', engine: (options) => peer('nutpie_low_rank', options) },
  walnutpie: { title: 'walnutpie', engine: (options) => peer('walnutpie', options) },
};

/** The samplers that are compared by default. */
export const OWN_SAMPLERS: readonly string[] = Object.keys(OWN);

/**
 * The sampler with a name; undefined if it is unknown. `NAME@LENGTH` sets the number of warmup iterations, for samplers of Leapfrog.
 * Options are those of other engines.
 */
export function samplerOf(name: string, options: OtherOptions): NamedSampler | undefined {
  if (Object.hasOwn(OTHERS, name)) {
    const { engine, title } = OTHERS[name];
    return { name, title, run: engine(options) };
  }
  const [kind, length] = name.split('@');
  if (!Object.hasOwn(OWN, kind)) return undefined;
  const { algorithm, given, title } = OWN[kind];
  if (length === undefined) return { name, title, run: ownProcess(algorithm, given) };
  return { name, title: `${title}, ${length}`, run: ownProcess(algorithm, { ...given, num_warmup: Number(length) }) };
}
