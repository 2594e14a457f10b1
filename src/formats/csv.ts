/**
 * Draws in the layout of CmdStan's output files (CmdStan User's Guide, "Stan CSV file format"): the configuration as comments, a header
 * line, draws, and among them the sampler's comments on adaptation and elapsed time.
 */
import { END_OF_WARMUP } from '../inference/events.js';
import { streamText } from '../inference/number-text.js';

/** The number of significant digits that distinguishes all doubles. Each number is then the shortest text that round-trips. */
export const ALL_DIGITS = 17;

/** A header line. */
export function csvHeader(names: readonly string[]): string {
  return `${names.join(',')}\n`;
}

/** The algorithm without draws: CmdStan's file of it has no header. */
const UNDRAWN = 'diagnose';

/** The column names in the file of a function, given by its full or its short name. */
export function namesInFile(functionName: string, names: readonly string[]): readonly string[] {
  return functionName.split('::').at(-1) === UNDRAWN ? [] : names;
}

/** A line of draws. */
export function csvRow(values: Float64Array, digits: number = ALL_DIGITS): string {
  let line = '';
  for (let k = 0; k < values.length; k++) {
    if (k > 0) line += ',';
    line += csvNumber(values[k], digits);
  }
  return `${line}\n`;
}

/** The texts before, between and after the numbers of a line: one more text than names. */
export function csvTexts(names: readonly string[]): string[] {
  return [...names.map((_, k) => (k === 0 ? '' : ',')), '\n'];
}

export function csvNumber(value: number, digits: number = ALL_DIGITS): string {
  const isShort = digits >= ALL_DIGITS && Number.isFinite(value) && !Object.is(value, -0);
  return isShort ? `${value}` : streamText(value, digits);
}

const ELAPSED = /^ +(Elapsed Time: )?\S+ seconds( \([\w -]+\))?$/;

/** The ends of the last line about elapsed times. */
const LAST_TIMES = ['(Total)', '(Generated Quantities)'];

/** The comment for a remark among the draws. */
export function remarkComment(text: string): string {
  return `# ${text}\n`;
}

/** The comment at the end of warmup. */
export const WARMUP_COMMENT = remarkComment(END_OF_WARMUP);

/** The comment for a logged text that reports a time; empty for other texts. */
export function elapsedComment(text: string): string {
  const elapsed = ELAPSED.exec(text);
  if (elapsed === null) return '';
  const isFirst = elapsed[1] !== undefined;
  const isLast = LAST_TIMES.some((phase) => text.endsWith(phase));
  return `${isFirst ? '# \n' : ''}# ${text}\n${isLast ? '# \n' : ''}`;
}

const INFO = 'info:';

/**
 * A line with a sampler's time under the topic `sample`. It also occurs under the topic `logger`. Pathfinder's lines have one space less.
 */
const SAMPLER_ELAPSED = /^ (Elapsed Time: | {14})\S+ seconds \((Warm-up|Sampling|Total)\)$/;

/** The comments for a message other than a draw: a remark, or a time; empty for the others. */
export function csvComments(message: string): string {
  const { topic, values }: { topic: string; values: unknown } = JSON.parse(message);
  const text = Array.isArray(values) ? values[0] : undefined;
  if (typeof text !== 'string') return '';
  if (topic === 'sample') return SAMPLER_ELAPSED.test(text) ? '' : remarkComment(text);
  return topic === 'logger' && text.startsWith(INFO) ? elapsedComment(text.slice(INFO.length)) : '';
}
