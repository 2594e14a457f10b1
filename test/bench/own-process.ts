import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../project/tree.js';

/**
 * Processor time of Leapfrog per gradient in nanoseconds, measured in a separate process, as for the other engines. In a process that has
 * called the modules of several models, V8 no longer compiles the call into its caller, and a call takes 5 to 20 ns longer.
 */
export class OwnProcess {
  readonly #scratch = mkdtempSync(join(tmpdir(), 'leapfrog-bench-'));

  /** `program` and `data` are files. Cycles over `points`. */
  gradient(program: string, data: string, points: readonly (readonly number[])[], seconds: number): number {
    const file = join(this.#scratch, 'points.json');
    writeFileSync(file, JSON.stringify(points));
    const script = join(ROOT, 'dist/test/bench/own-gradient.js');
    const args = [script, program, data, file, String(seconds)];
    return Number(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  }
}
