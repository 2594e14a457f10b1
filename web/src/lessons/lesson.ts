/** Lessons: Markdown divided into steps, with goals that the page checks. */

import type { RightTab } from '../state/store.js';
import { t } from '../words/messages.js';

/** A condition on the state of the page. No code is evaluated. */
export type Goal =
  /** The displayed run has finished, with draws. */
  | { readonly kind: 'run'; readonly want?: 'reliable' | 'without divergences' | 'with divergences' }
  /** The mean of a quantity in the run that is shown. */
  | { readonly kind: 'mean'; readonly quantity: string; readonly from: number; readonly to: number }
  /** A data variable has at least `count` elements. */
  | { readonly kind: 'data'; readonly variable: string; readonly count: number }
  /** The program has no error and declares a parameter, transformed parameter or generated quantity. */
  | { readonly kind: 'declares'; readonly name: string }
  /** Runs of at least `count` different programs have ended. */
  | { readonly kind: 'programs'; readonly count: number }
  /** A tab of the results is open. */
  | { readonly kind: 'view'; readonly tab: RightTab };

export interface Step {
  /** Markdown. */
  readonly text: string;
  readonly goals: readonly Goal[];
}

/** A line of three or more hyphens between two steps. */
const BETWEEN = /^-{3,}[ \t]*$/m;
/** A fenced block whose language is `goals`. */
const GOALS = /^```goals[ \t]*\n([\s\S]*?)^```[ \t]*$/m;

/** The steps of a lesson. Throws an error that quotes the line if a goal is invalid. */
export function readLesson(source: string): readonly Step[] {
  return source
    .replaceAll('\r\n', '\n')
    .split(BETWEEN)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const lines = GOALS.exec(part)?.[1]?.split('\n') ?? [];
      const goals = lines.map((line) => line.trim()).filter((line) => line !== '');
      return { text: part.replace(GOALS, '').trim(), goals: goals.map(readGoal) };
    });
}

const TABS: readonly RightTab[] = ['verdict', 'summary', 'plots', 'predictive', 'compare', 'draws', 'log'];
const WANTS = ['reliable', 'without divergences', 'with divergences'] as const;

function readGoal(line: string): Goal {
  const [kind = '', ...words] = line.split(/\s+/);
  const [first = '', second = '', third = ''] = words;
  if (kind === 'run' && words.length === 0) return { kind };
  const want = WANTS.find((each) => each === words.join(' '));
  if (kind === 'run' && want !== undefined) return { kind, want };
  if (kind === 'mean' && words.length === 3 && isNumber(second) && isNumber(third))
    return { kind, quantity: first, from: Number(second), to: Number(third) };
  if (kind === 'data' && words.length === 2 && isNumber(second))
    return { kind, variable: first, count: Number(second) };
  if (kind === 'declares' && words.length === 1) return { kind, name: first };
  if (kind === 'programs' && words.length === 1 && isNumber(first)) return { kind, count: Number(first) };
  const tab = TABS.find((each) => each === first);
  if (kind === 'view' && words.length === 1 && tab !== undefined) return { kind, tab };
  throw new Error(t('write.unknownGoal', { goal: line }));
}

function isNumber(word: string): boolean {
  return word !== '' && Number.isFinite(Number(word));
}

const WANTED = {
  reliable: 'write.goalReliable',
  'without divergences': 'write.goalWithout',
  'with divergences': 'write.goalWith',
} as const;

/** A goal as a sentence. */
export function goalText(goal: Goal): string {
  switch (goal.kind) {
    case 'run':
      return t(goal.want === undefined ? 'write.goalRun' : WANTED[goal.want]);
    case 'mean':
      return t('write.goalMean', goal);
    case 'data':
      return t('write.goalData', goal);
    case 'declares':
      return t('write.goalDeclares', goal);
    case 'programs':
      return t('write.goalPrograms', goal);
    case 'view':
      return t('write.goalView', { tab: t(`runs.${goal.tab}`) });
  }
}
