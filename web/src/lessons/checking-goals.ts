/** Whether the goals of a lesson hold. */
import type { Fit } from 'leapfrog';
import { displayName } from '#engine/formats/columns.js';
import { parseStanJson, type StanJson } from '#engine/formats/stan-json.js';
import { isOver } from '../state/run.js';
import { currentRun, type PageState } from '../state/store.js';
import type { Goal } from './lesson.js';

/** Whether a goal is reached. `fit`: the draws of the displayed run, if any. */
export function holds(goal: Goal, state: PageState, fit: Fit | undefined): boolean {
  const run = currentRun(state);
  const draws = run !== undefined && run.status === 'done' && fit !== undefined && fit.draws > 0 ? fit : undefined;
  switch (goal.kind) {
    case 'run':
      if (run === undefined || draws === undefined) return false;
      if (goal.want === undefined) return true;
      if (goal.want === 'reliable') return run.findings?.every(({ ok }) => ok) === true && run.findings.length > 0;
      return (
        divergencesIn(draws) !== undefined && (divergencesIn(draws) === 0) === (goal.want === 'without divergences')
      );
    case 'mean': {
      const mean = draws && meanOf(draws, goal.quantity);
      return mean !== undefined && mean >= goal.from && mean <= goal.to;
    }
    case 'data':
      return lengthOf(state.project.data, goal.variable) >= goal.count;
    case 'declares': {
      const info = state.report?.info;
      const blocks = info && [info.parameters, info['transformed parameters'], info['generated quantities']];
      return blocks?.some((variables) => Object.hasOwn(variables, goal.name)) === true;
    }
    case 'programs': {
      const ended = state.runs.filter((each) => isOver(each) && each.status === 'done' && each.draws > 0);
      return new Set(ended.map(({ source }) => source.program)).size >= goal.count;
    }
    case 'view':
      return run !== undefined && state.rightTab === goal.tab;
  }
}

function divergencesIn(fit: Fit): number | undefined {
  if (!fit.columns.includes('divergent__')) return undefined;
  return sumOf(fit.column('divergent__'));
}

function meanOf(fit: Fit, quantity: string): number | undefined {
  const place = fit.columns.findIndex((name) => displayName(name) === quantity);
  if (place < 0) return undefined;
  const chains = fit.columnAt(place);
  return sumOf(chains) / chains.reduce((count, { length }) => count + length, 0);
}

function sumOf(chains: readonly Float64Array[]): number {
  return chains.reduce((sum, chain) => sum + chain.reduce((a, b) => a + b, 0), 0);
}

let read: { readonly data: string; readonly values: StanJson } | undefined;

/** The length of an array in the data; 0 if the variable does not exist or is not an array. */
function lengthOf(data: string, variable: string): number {
  // Goals are checked at every change of the page, most of which do not affect the data.
  if (read?.data !== data) read = { data, values: valuesIn(data) };
  const { values } = read;
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return 0;
  const value = Object.entries(values).find(([name]) => name === variable)?.[1];
  return Array.isArray(value) ? value.length : 0;
}

function valuesIn(data: string): StanJson {
  try {
    return parseStanJson(data, { plainNumbers: true });
  } catch {
    return null;
  }
}
