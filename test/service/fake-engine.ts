/**
 * An engine that compiles nothing, to test the service's own behavior: a program is a word that selects its behavior.
 *
 * `normal` is a standard normal of dimension N (data, default 1); `endless-compile`, `endless`, `endless-data` and `endless-draw` never
 * return; `explode` allocates until it dies; `throw` is a bug of the engine; `die` ends the thread; `reject` rejects; `trap` never returns
 * if the first coordinate is above 100.
 */
import type { Compilation, Compiler } from '../../src/chain/compiler.js';
import type { EngineModel, ModelHost } from '../../src/chain/model-host.js';
import { inProcessEngine } from '../../src/engine/in-process.js';

const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

const FAULT = {
  kind: 'syntax',
  severity: 'error',
  code: 'syntax',
  message: 'bad',
  text: 'Syntax error in line 1',
  file: 'string',
  line: 1,
  column: 0,
  end_line: 1,
  end_column: 1,
} as const;

class Rejected extends Error {}

const compiler: Compiler = {
  compile({ program }): Compilation {
    if (program.startsWith('endless-compile')) forever();
    if (program.startsWith('explode-compile')) explode();
    if (program.startsWith('syntax-error')) {
      return { compiled: false, text: 'Syntax error in line 1', diagnostics: [FAULT] };
    }
    return {
      compiled: true,
      artifact: JSON.stringify(program),
      wasm: EMPTY_MODULE,
      warnings: '',
      log: `compiled at ${Date.now()}`,
    };
  },
  describe: ({ program }) => ({ errors: [], warnings: [], formatted: program }),
};

const models: ModelHost = {
  outputs: () => [{ name: 'x', block: 'parameters' }],
  instantiate: ({ artifact }, data) => {
    const behavior = String(JSON.parse(artifact));
    if (behavior.startsWith('endless-data')) forever();
    const size = 'N' in data ? data.N : 1;
    if (typeof size !== 'number') throw new Rejected('variable N must be an int');
    return new FakeModel(behavior, size);
  },
  isOverLimit: () => false,
  isShortage: () => false,
  blame: (error) => (error instanceof Rejected ? { kind: 'rejection', message: error.message } : undefined),
};

export const engine = inProcessEngine(compiler, models);

class FakeModel implements EngineModel {
  readonly dimension: number;
  readonly memoryBytes = 0;
  readonly parameters;
  private readonly behavior: string;
  private state = 0;

  constructor(behavior: string, dimension: number) {
    this.behavior = behavior;
    this.dimension = dimension;
    this.parameters = [{ name: 'x', dims: [dimension], block: 'parameters' as const }];
  }

  constrainedNames(): string[] {
    return Array.from({ length: this.dimension }, (_, index) => `x.${index + 1}`);
  }

  unconstrainedNames(): string[] {
    return this.constrainedNames();
  }

  profiles(): never[] {
    return [];
  }

  logDensity(position: Float64Array): number {
    this.behave();
    if (this.behavior.startsWith('trap') && (position[0] ?? 0) > 100) forever();
    return -0.5 * position.reduce((sum, x) => sum + x * x, 0);
  }

  logDensityGradient(position: Float64Array, gradient: Float64Array): number {
    position.forEach((x, index) => {
      gradient[index] = -x;
    });
    return this.logDensity(position);
  }

  randomState(): Int32Array {
    return new Int32Array();
  }

  seedRandom(seed: number): void {
    this.state = seed;
  }

  writeArray(position: Float64Array, out: Float64Array): void {
    if (this.behavior.startsWith('endless-draw')) forever();
    this.behave();
    out.set(position);
  }

  unconstrain(values: Record<string, unknown>): Float64Array {
    this.behave();
    if (!('x' in values)) throw new Rejected('variable x is missing');
    return Float64Array.from({ length: this.dimension }, () => this.state);
  }

  unconstrainDraw(parameters: Float64Array): Float64Array {
    this.behave();
    return parameters.slice();
  }

  private behave(): void {
    if (this.behavior.startsWith('endless-draw')) return;
    if (this.behavior.startsWith('endless')) forever();
    if (this.behavior.startsWith('explode')) explode();
    if (this.behavior.startsWith('die')) process.exit(3);
    if (this.behavior.startsWith('throw')) throw new TypeError('a bug');
    if (this.behavior.startsWith('reject')) throw new Rejected('x is not right');
    if (this.behavior.startsWith('slow')) {
      const end = performance.now() + 20;
      while (performance.now() < end);
    }
  }
}

function forever(): never {
  for (;;);
}

function explode(): never {
  const held: unknown[] = [];
  for (;;) held.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
}
