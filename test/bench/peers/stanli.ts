import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../project/tree.js';

export interface Evaluation {
  readonly value: number;
  readonly gradient: readonly number[];
}

/** Processor time per gradient, and the gradients, as one engine computes them. */
export interface Measured {
  readonly nanoseconds: number;
  readonly evaluations: readonly Evaluation[];
}

const MODES = { default: '0', fast: '1' } as const;

export type StanliMode = keyof typeof MODES;

/**
 * stanli from PyPI, called through its C interface so that no Python is timed. The Python interpreter that `LEAPFROG_PEER_PYTHON` names (by
 * default `python3`) must find it. Requires a C compiler.
 */
export class Stanli {
  readonly #library: string;
  readonly #scratch = mkdtempSync(join(tmpdir(), 'leapfrog-peers-'));
  readonly #program = join(this.#scratch, 'stanli');

  private constructor(library: string) {
    this.#library = library;
    execFileSync('cc', ['-O2', '-o', this.#program, join(ROOT, 'test/bench/peers/stanli.c'), '-ldl']);
  }

  /** Null if it is not installed. */
  static find(): Stanli | null {
    const python = process.env.LEAPFROG_PEER_PYTHON ?? 'python3';
    const find =
      'import importlib.util, pathlib; print(pathlib.Path(importlib.util.find_spec("stanli").origin).parent / "_bin/libstanli.so")';
    try {
      const library = execFileSync(python, ['-c', find], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
      return existsSync(library) ? new Stanli(library) : null;
    } catch {
      return null;
    }
  }

  /** Throws with stanli's message if it cannot compile the program or has no density at a point. */
  measure(
    program: string,
    data: string,
    points: readonly (readonly number[])[],
    mode: StanliMode,
    seconds: number,
  ): Measured {
    const file = join(this.#scratch, 'points.txt');
    writeFileSync(file, [points.length, points[0]?.length ?? 0, ...points.flat()].join('\n'));
    const run = [this.#library, program, data, file, MODES[mode], String(seconds)];
    const output = execFileSync(this.#program, run, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
    });
    return JSON.parse(output);
  }
}
