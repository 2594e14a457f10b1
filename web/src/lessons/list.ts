import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import type { PlainKey } from '../words/types.js';

export interface LessonEntry {
  readonly folder: string;
  readonly title: PlainKey;
  /** Its topic in a few words. */
  readonly teaches: PlainKey;
  readonly settings?: Readonly<Record<string, ArgumentValue>>;
}

/** In a suggested order. */
export const lessons: readonly LessonEntry[] = [
  { folder: 'coin', title: 'titles.lesson1', teaches: 'titles.lesson1Teaches' },
  { folder: 'regression', title: 'titles.lesson2', teaches: 'titles.lesson2Teaches' },
  { folder: 'hierarchy', title: 'titles.lesson3', teaches: 'titles.lesson3Teaches' },
  { folder: 'funnel', title: 'titles.lesson4', teaches: 'titles.lesson4Teaches' },
  { folder: 'comparison', title: 'titles.lesson5', teaches: 'titles.lesson5Teaches' },
];
