/** Why a chain found no initial value, from its log. */

export interface FailedStart {
  /** The reason why the last initial value was rejected. */
  readonly reason: string;
  /** Number of initial values that were rejected for this reason. */
  readonly count: number;
  /**
   * Whether an argument has the same finite value, outside of its domain, at all initial values: it does not depend on
   * the parameters, so other initial values cannot help.
   */
  readonly isConstant: boolean;
  /** The location of the statement, if the reason contains it. `line` counts from 1, `column` from 0. */
  readonly at?: { readonly file: string; readonly line: number; readonly column: number };
}

const REJECTING = 'Rejecting initial value:';
/** Lines around the reason of a rejection. */
const FRAME = /^\s*(?:Error evaluating the log probability at the initial value|Stan can't start sampling)/;
const VALUE = / is (\S+), but must be /;
const LOCATION = /\(in '([^']+)', line (\d+), column (\d+)/;

/** Summarizes the rejections in the log of a run; undefined if its initialization did not fail. */
export function failedStart(log: readonly string[]): FailedStart | undefined {
  if (!log.some((text) => text.startsWith('Initialization between'))) return undefined;
  const reasons = log.flatMap((text, place) => {
    if (text !== REJECTING) return [];
    const reason = log.slice(place + 1).find((line) => line.trim() !== '' && !FRAME.test(line));
    return reason === undefined ? [] : [reason.trim()];
  });
  const reason = reasons.at(-1);
  if (reason === undefined) return undefined;
  const count = reasons.filter((each) => each === reason).length;
  const value = Number(VALUE.exec(reason)?.[1] ?? Number.NaN);
  const [, file, line, column] = LOCATION.exec(reason) ?? [];
  return {
    reason,
    count,
    isConstant: count > 1 && count === reasons.length && Number.isFinite(value),
    ...(file !== undefined && { at: { file, line: Number(line), column: Number(column) } }),
  };
}
