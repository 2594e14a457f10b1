import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';
import { limited } from './limited.js';

const ENVIRONMENT = { ...process.env, ORACLE_OPT: '-O3' };
const execute = promisify(execFile);

/** Real Stan on the same machine, if `../shared/oracle` is set up. */
export class Oracle {
  readonly #script: string;
  readonly #scratch = mkdtempSync(join(tmpdir(), 'leapfrog-bench-'));
  readonly #clock = join(this.#scratch, 'processor-clock.so');

  private constructor(script: string) {
    this.#script = script;
    const source = join(ROOT, 'test/bench/processor-clock.c');
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', this.#clock, source, '-ldl']);
  }

  /** Null if it is not set up; recorded figures are then used instead. */
  static find(): Oracle | null {
    const script = resolve('../shared/oracle/oracle');
    const home = process.env.ORACLE_HOME ?? join(homedir(), '.cache/stan-oracle-239');
    return existsSync(script) && existsSync(join(home, 'stanc')) ? new Oracle(script) : null;
  }

  /** Builds the program if it has not been built, outside of any measurement. */
  build(program: string): void {
    this.#run(['build', program]);
  }

  /** Processor time per gradient in nanoseconds, as its samplers evaluate it (propto, Jacobian); median of three runs. */
  gradient(program: string, data: string, points: readonly (readonly number[])[], seconds: number): number {
    const file = join(this.#scratch, 'points.json');
    writeFileSync(file, JSON.stringify(points));
    const args = [
      'run',
      program,
      'bench',
      '--data',
      data,
      '--points',
      file,
      '--min_time',
      String(seconds),
      '--reps',
      '3',
    ];
    const { ns_per_grad_median } = JSON.parse(this.#run(args, { LD_PRELOAD: this.#clock })) as {
      ns_per_grad_median: number;
    };
    return ns_per_grad_median;
  }

  /** Compiles and links a program that has not been built before; returns the processor seconds. */
  compileOnProcessor(text: string): { readonly program: string; readonly seconds: number } {
    const program = join(mkdtempSync(join(this.#scratch, 'program-')), 'model.stan');
    writeFileSync(program, `${text}\n// ${program}\n`);
    const command = ['-c', '"$0" build "$1" >&2 && times', this.#script, program];
    const times = execFileSync('bash', command, {
      encoding: 'utf8',
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ofChildren = [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
    return {
      program,
      seconds: ofChildren.reduce((total, [, minutes, rest]) => total + 60 * Number(minutes) + Number(rest), 0),
    };
  }

  /** A chain of `hmc_nuts_diag_e_adapt` as CSV; the seconds in its comments and the limit are processor time. */
  draws(program: string, data: string, options: readonly string[], limit: number): string {
    const out = join(this.#scratch, 'chain.csv');
    const args = ['run', program, 'sample', '--data', data, '--algo', 'diag', '--out', out, ...options];
    const [command, limitedArguments] = limited(limit, [this.#script, ...args]);
    execFileSync(command, limitedArguments, {
      env: { ...ENVIRONMENT, LD_PRELOAD: this.#clock },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    return readFileSync(out, 'utf8');
  }

  /** Seconds to compile and link a program that has not been built before. */
  compile(text: string): { readonly program: string; readonly seconds: number } {
    const program = join(this.#scratch, 'program.stan');
    writeFileSync(program, `${text}\n// ${this.#scratch} ${performance.now()}\n`);
    const start = performance.now();
    this.build(program);
    return { program, seconds: (performance.now() - start) / 1000 };
  }

  /** Seconds of concurrent chains with default settings. */
  async sample(program: string, data: string, seed: number, chains: number): Promise<number> {
    const start = performance.now();
    await Promise.all(
      Array.from({ length: chains }, (_, k) => {
        const out = join(this.#scratch, `draws-${k + 1}.csv`);
        const options = ['--algo', 'diag', '--seed', String(seed), '--chain', String(k + 1), '--out', out];
        return execute(this.#script, ['run', program, 'sample', '--data', data, ...options], {
          env: ENVIRONMENT,
          maxBuffer: 2 ** 28,
        });
      }),
    );
    return (performance.now() - start) / 1000;
  }

  #run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): string {
    return execFileSync(this.#script, args, {
      encoding: 'utf8',
      env: { ...ENVIRONMENT, ...variables },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 28,
    });
  }
}
