import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Real Stan beside us on the same machine, where `../shared/oracle` is set up. */
export class Oracle {
  readonly #script: string;
  readonly #scratch = mkdtempSync(join(tmpdir(), 'leapfrog-bench-'));

  private constructor(script: string) {
    this.#script = script;
  }

  /** Null where it is not set up: the recorded figures stand in. */
  static find(): Oracle | null {
    const script = resolve('../shared/oracle/oracle');
    const home = process.env.ORACLE_HOME ?? join(homedir(), '.cache/stan-oracle-239');
    return existsSync(script) && existsSync(join(home, 'stanc')) ? new Oracle(script) : null;
  }

  /** Builds the program if it has not been built, outside of any measurement. */
  build(program: string): void {
    this.#run(['build', program]);
  }

  /** Nanoseconds per gradient, as its samplers evaluate it (propto, Jacobian), median of three runs. */
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
    const { ns_per_grad_median } = JSON.parse(this.#run(args)) as { ns_per_grad_median: number };
    return ns_per_grad_median;
  }

  /** Seconds of one chain with default settings. */
  sample(program: string, data: string, seed: number): number {
    const out = join(this.#scratch, 'draws.csv');
    const start = performance.now();
    this.#run(['run', program, 'sample', '--data', data, '--algo', 'diag', '--seed', String(seed), '--out', out]);
    return (performance.now() - start) / 1000;
  }

  #run(args: readonly string[]): string {
    return execFileSync(this.#script, args, {
      encoding: 'utf8',
      env: { ...process.env, ORACLE_OPT: '-O3' },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 28,
    });
  }
}
