import { isQuotientStepped } from '../dataflow/steps.js';
import type { Names } from '../ir/builder.js';
import { get } from '../ir/expressions.js';
import { type Block, FUNCTION_LABEL, type IrFunction, type Statement, type Variable } from '../ir/nodes.js';
import { type Decide, UNNOTED } from './decisions.js';
import type { PassContext } from './pass.js';
import { PASSES, type Part, type PassName, PIPELINES, type Step } from './passes.js';

/** IR after a pass or stage of the compiler. */
export interface Observation {
  /** The pass or stage. */
  readonly name: string;
  readonly part: Part;
  /** The function whose body `block` is; null for a part of the program itself. */
  readonly of: IrFunction | null;
  /** The block before the pass; null after a stage. */
  readonly before: Block | null;
  readonly block: Block;
  /** Functions that the block may call. Their bodies are those before the passes. */
  readonly functions: readonly IrFunction[];
}

/** Receives each run of a pass, for printing and verification. */
export type Observer = (observation: Observation) => void;

export interface RunnerOptions {
  readonly keepsChecks?: boolean;
  /** Passes that are skipped. */
  readonly without?: readonly PassName[];
  readonly observe?: Observer;
  /** Records what passes decide about loops over rows of data. */
  readonly decide?: Decide;
}

/** The number of runs of a pass and their total time. */
export interface PassTime {
  readonly name: PassName;
  readonly runs: number;
  readonly milliseconds: number;
}

/** The callee of statements that set the parameters and read the results of a function whose body is optimized as a block. */
const OUTSIDE = -1;

/** The body of a function between statements that set its parameters and read its results. */
function framedBody({ parameters, results, body }: IrFunction): Block {
  const read = results.map((result) => (result.kind === 'local' ? get(result) : result));
  return [
    { kind: 'call', callee: OUTSIDE, args: [], results: parameters },
    ...body,
    { kind: 'call', callee: OUTSIDE, args: read, results: [] },
  ];
}

function unframed(body: Block): Block {
  return body.filter((statement) => statement.kind !== 'call' || statement.callee !== OUTSIDE);
}

/** Runs the passes on all parts and functions of one program in the same way. */
export class PassRunner {
  readonly #names: Names;
  readonly #keepsChecks: boolean;
  readonly #without: ReadonlySet<PassName>;
  readonly #observe: Observer;
  readonly #decide: Decide;
  readonly #times = new Map<PassName, PassTime>();

  constructor(
    names: Names,
    { keepsChecks = false, without = [], observe = () => {}, decide = UNNOTED }: RunnerOptions = {},
  ) {
    this.#names = names;
    this.#keepsChecks = keepsChecks;
    this.#without = new Set(without);
    this.#observe = observe;
    this.#decide = decide;
  }

  /** The passes that have run, in the order of their first run. */
  get times(): readonly PassTime[] {
    return [...this.#times.values()];
  }

  /**
   * The optimized log density, and the block that has moved out of it to run once per data set. `inputs`: what varies between evaluations.
   */
  logDensity(
    block: Block,
    inputs: readonly Variable[],
    functions: readonly IrFunction[] = [],
  ): { readonly precompute: Block; readonly logDensity: Block } {
    const moved: Statement[] = [];
    const logDensity = this.#run('log density', block, null, functions, {
      inputs,
      precompute: (statements) => moved.push(...statements),
    });
    const precompute = this.#run('precompute', moved, null, functions, { results: this.#names.globals });
    return { precompute, logDensity };
  }

  /** Any other part of the program. */
  block(part: Exclude<Part, 'log density' | 'precompute'>, block: Block, functions: readonly IrFunction[] = []): Block {
    return this.#run(part, block, null, functions, { writesGlobals: part === 'prepare' });
  }

  function(
    part: 'called function' | 'inlined function' | 'shared function' | 'differentiated function',
    f: IrFunction,
    functions: readonly IrFunction[],
  ): IrFunction {
    const given = { results: f.results, parameters: f.parameters, labels: [FUNCTION_LABEL] };
    if (part === 'shared function') {
      return { ...f, body: unframed(this.#run(part, framedBody(f), f, functions, given)) };
    }
    return { ...f, body: this.#run(part, f.body, f, functions, given) };
  }

  #run(
    part: Part,
    block: Block,
    of: IrFunction | null,
    functions: readonly IrFunction[],
    given: Partial<PassContext>,
  ): Block {
    let isStepped: boolean | undefined;
    const context: PassContext = {
      names: this.#names,
      inputs: [],
      results: [],
      parameters: [],
      functions,
      labels: [],
      writesGlobals: false,
      decide: this.#decide,
      keepsChecks: this.#keepsChecks,
      isQuotientStepped: (asked) => {
        isStepped ??= isQuotientStepped(asked);
        return isStepped;
      },
      precompute: (moved) => {
        if (moved.length > 0) throw new Error(`precompute: ${part} runs with each evaluation`);
      },
      ...given,
    };
    let current = block;
    const run = (name: PassName): boolean => {
      if (this.#without.has(name)) return false;
      const before = current;
      const start = performance.now();
      current = PASSES[name].run(before, context);
      this.#addTime(name, performance.now() - start);
      const shown = part === 'shared function' ? unframed : (block: Block): Block => block;
      this.#observe({ name, part, of, before: shown(before), block: shown(current), functions });
      return current !== before;
    };
    const steps: readonly Step[] = PIPELINES[part];
    for (const step of steps) {
      const [first, ...rest] = typeof step === 'string' ? [step] : step;
      if (run(first)) rest.forEach(run);
    }
    return current;
  }

  #addTime(name: PassName, milliseconds: number): void {
    const { runs, milliseconds: before } = this.#times.get(name) ?? { runs: 0, milliseconds: 0 };
    this.#times.set(name, { name, runs: runs + 1, milliseconds: before + milliseconds });
  }
}
