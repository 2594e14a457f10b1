/** Arguments of other Stan interfaces that stand for several arguments of the sampler. */
import type { ArgumentProblem } from '../inference/algorithms/arguments.js';

type Fields = Readonly<Record<string, unknown>>;

export interface Expansion {
  /** The arguments with the compound ones replaced, by their names in other interfaces or the engine. */
  readonly given: Fields;
  /** The argument that was typed for a name that was not. */
  readonly from: ReadonlyMap<string, string>;
  readonly problems: readonly ArgumentProblem[];
}

/** Elements of rstan's `control` with names that are not arguments of another interface. */
const CONTROL: Readonly<Record<string, string>> = {
  adapt_gamma: 'gamma',
  adapt_kappa: 'kappa',
  adapt_t0: 't0',
  adapt_init_buffer: 'init_buffer',
  adapt_term_buffer: 'term_buffer',
  adapt_window: 'window',
};

/**
 * Replaces rstan's `control` by its elements, and rstan's `iter`, which includes warmup, by the numbers of iterations.
 * @param warmups the names that mean the number of warmup iterations
 */
export function expandArguments(given: Fields, warmups: ReadonlySet<string>): Expansion {
  const { control, iter, ...others } = given;
  const from = new Map<string, string>();
  const problems: ArgumentProblem[] = [];
  const fields: Record<string, unknown> = { ...others };
  const put = (compound: string, name: string, value: unknown) => {
    const isTwice = fields[name] !== undefined;
    if (isTwice)
      problems.push({ field: compound, message: `contains ${name}, which is also an argument: pass one of them` });
    fields[name] = value;
  };
  if (isObject(control)) {
    for (const [name, value] of Object.entries(control)) put('control', CONTROL[name] ?? name, value);
  } else if (control !== undefined) problems.push({ field: 'control', message: 'must be arguments by their names' });
  const putIterations = (name: string, value: number) => {
    put('iter', name, value);
    from.set(name, 'iter');
  };
  if (iter !== undefined) {
    const [warmup] = [...warmups].flatMap((name) => others[name] ?? []);
    const half = Math.floor(Number(iter) / 2);
    if (!isCount(iter)) problems.push({ field: 'iter', message: 'must be a number of iterations, including warmup' });
    else if (warmup === undefined) {
      putIterations('num_warmup', half);
      putIterations('num_samples', iter - half);
    } else if (isCount(warmup)) {
      if (warmup <= iter) putIterations('num_samples', iter - warmup);
      else problems.push({ field: 'iter', message: `must be at least ${warmup}, because it includes warmup` });
    }
  }
  return { given: fields, from, problems };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function isObject(value: unknown): value is Fields {
  // R's empty list arrives as an array.
  return typeof value === 'object' && value !== null && (!Array.isArray(value) || value.length === 0);
}
