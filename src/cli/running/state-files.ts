/** Files with the final states of samplers, next to their draws. `--continue` starts from them. */
import { existsSync, lstatSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { readSamplerState, type SamplerState } from '../../chain/sampler-state.js';
import type { DrawFile } from '../../fit-files/draw-file.js';
import { readText } from '../../node/input-files.js';
import { writing } from '../errors.js';

/** `a.state.json` for the draws in `a.csv`. */
export function statePath(draws: string): string {
  return `${draws.slice(0, draws.length - extname(draws).length)}.state.json`;
}

/**
 * Writes the state of a chain next to its draws. Without a state, removes the previous file. Draws that are written to
 * a device or a pipe have no state.
 */
export function keepState({ path, run }: DrawFile, state: SamplerState | undefined): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const place = statePath(path);
  writing(place, () => {
    if (state?.end === undefined) rmSync(place, { force: true });
    else
      writeFileSync(place, `${JSON.stringify({ run_id: run.run, chain: run.chain, format: extname(path), state })}\n`);
  });
}

/** The state next to a file with draws; undefined if it is missing, damaged or from a different run. */
export function stateBeside(draws: string, run: string | undefined): SamplerState | undefined {
  const place = statePath(draws);
  if (!existsSync(place) || !statSync(place).isFile()) return undefined;
  const content = parsed(readText(place));
  const state = readSamplerState(content?.state);
  const isOther = content?.format !== extname(draws) || (run !== undefined && content.run_id !== run);
  return state?.end === undefined || isOther ? undefined : state;
}

function parsed(
  text: string,
): { readonly run_id?: unknown; readonly format?: unknown; readonly state?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
