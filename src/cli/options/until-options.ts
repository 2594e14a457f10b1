/** Options of the rule for stopping: `--until ess_bulk=400,rhat=1.01` and `--until-quantities mu tau`. */
import { Option } from 'commander';
import type { Input } from '../../inference/algorithms/algorithm.js';
import type { ArgumentProblem, ArgumentValue } from '../../inference/algorithms/arguments.js';
import { readUntil, type Until } from '../../requests/until.js';
import { CommandError } from '../errors.js';
import { flagName } from './flags.js';

export interface UntilFlags {
  readonly until?: string;
  readonly untilQuantities?: readonly string[];
}

export function untilOptions(): Option[] {
  return [
    new Option(
      '--until <limits>',
      'stop when the draws meet limits such as ess_bulk=400,ess_tail=400,rhat=1.01; checked after every num_samples iterations, up to max_iterations in total',
    ),
    new Option(
      '--until-quantities <names...>',
      'variables or elements that must meet the limits (default: all but generated quantities)',
    ),
  ];
}

/** The rule for stopping; undefined if no rule is given. Throws for limits that cannot be parsed. */
export function untilGiven(
  { until, untilQuantities }: UntilFlags,
  taken: Readonly<Record<string, ArgumentValue>>,
  inputs: readonly string[],
  algorithmInputs: readonly Input[],
): Until | undefined {
  if (until === undefined) {
    if (untilQuantities !== undefined) throw new CommandError('error: --until-quantities requires --until');
    return undefined;
  }
  const limits = until.split(',').map(readLimit);
  const given = { ...Object.fromEntries(limits), ...(untilQuantities && { quantities: untilQuantities }) };
  const read = readUntil(given, taken, inputs, algorithmInputs.includes('continue'));
  if ('problems' in read) throw new CommandError(optionsText(read.problems));
  return read.until;
}

/** Problems of fields, expressed as options, one per line. */
export function optionsText(problems: readonly ArgumentProblem[]): string {
  return problems.map(({ field, message }) => `error: ${optionOf(field)} ${message}`).join('\n');
}

function readLimit(text: string): [string, number] {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (name === '' || Number.isNaN(number))
    throw new CommandError(`error: --until requires limits such as ess_bulk=400, not ${text}`);
  return [name.trim().replaceAll('-', '_'), number];
}

function optionOf(field: string): string {
  if (field === 'until/quantities') return '--until-quantities';
  return field.startsWith('until/') ? `--until ${field.slice('until/'.length)}` : `--${flagName(field)}`;
}
