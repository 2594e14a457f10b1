import type { Random } from './random.js';

export type Values = number | readonly Values[];

/** A program of this folder, and data that are simulated for it from known values. */
export interface Study {
  /** Name of the file, without extension. */
  readonly program: string;
  simulate(random: Random): Simulation;
}

export interface Simulation {
  readonly data: object;
  /** The true values, by the names of the program's variables. */
  readonly truth: Readonly<Record<string, Values>>;
}

/** The true values by column name: `beta.2.1` is `beta[2, 1]` of the program. */
export function flatten(truth: Simulation['truth']): Map<string, number> {
  const found = new Map<string, number>();
  const visit = (name: string, values: Values): void => {
    if (typeof values === 'number') found.set(name, values);
    else for (const [index, value] of values.entries()) visit(`${name}.${index + 1}`, value);
  };
  for (const [name, values] of Object.entries(truth)) visit(name, values);
  return found;
}
