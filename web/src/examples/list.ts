import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import type { PlainKey } from '../words/types.js';

export interface Example {
  readonly folder: string;
  readonly title: PlainKey;
  /** Its topic in a few words. */
  readonly teaches: PlainKey;
  /** Arguments that differ from their defaults. */
  readonly settings?: Readonly<Record<string, ArgumentValue>>;
}

/** In order of difficulty. */
export const examples: readonly Example[] = [
  { folder: 'coin', title: 'titles.coin', teaches: 'titles.coinTeaches' },
  {
    folder: 'line',
    title: 'titles.line',
    teaches: 'titles.lineTeaches',
  },
  {
    folder: 'eight-schools',
    title: 'titles.schools',
    teaches: 'titles.schoolsTeaches',
    settings: { delta: 0.95 },
  },
  { folder: 'eight-schools-centered', title: 'titles.centered', teaches: 'titles.centeredTeaches' },
  { folder: 'dose', title: 'titles.dose', teaches: 'titles.doseTeaches' },
  { folder: 'golf', title: 'titles.golf', teaches: 'titles.golfTeaches' },
  { folder: 'counts', title: 'titles.counts', teaches: 'titles.countsTeaches' },
  { folder: 'varying-slopes', title: 'titles.slopes', teaches: 'titles.slopesTeaches' },
  { folder: 'mixture', title: 'titles.mixture', teaches: 'titles.mixtureTeaches' },
  { folder: 'change-point', title: 'titles.changePoint', teaches: 'titles.changePointTeaches' },
  { folder: 'local-level', title: 'titles.level', teaches: 'titles.levelTeaches' },
  { folder: 'survival', title: 'titles.survival', teaches: 'titles.survivalTeaches' },
  { folder: 'item-response', title: 'titles.response', teaches: 'titles.responseTeaches' },
  { folder: 'gaussian-process', title: 'titles.process', teaches: 'titles.processTeaches' },
  { folder: 'predator-prey', title: 'titles.predators', teaches: 'titles.predatorsTeaches' },
];
