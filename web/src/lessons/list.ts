import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';

export interface LessonEntry {
  readonly folder: string;
  readonly title: string;
  /** Its topic in a few words. */
  readonly teaches: string;
  readonly settings?: Readonly<Record<string, ArgumentValue>>;
}

/** In a suggested order. */
export const lessons: readonly LessonEntry[] = [
  { folder: 'coin', title: 'Lesson 1: a coin', teaches: 'Prior, data and posterior' },
  { folder: 'regression', title: 'Lesson 2: a regression', teaches: 'A slope, and checks of predictions' },
  { folder: 'hierarchy', title: 'Lesson 3: groups', teaches: 'A hierarchical model' },
  { folder: 'funnel', title: 'Lesson 4: a funnel', teaches: 'Divergences, and what to do about them' },
  { folder: 'comparison', title: 'Lesson 5: two models', teaches: 'Comparison by cross-validation' },
];
