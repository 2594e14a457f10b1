import type { ArgumentValue } from '#engine/inference/algorithms/arguments.js';
import type { PlainKey } from '../words/types.js';

export interface Example {
  readonly folder: string;
  readonly group: ExampleGroup;
  readonly title: PlainKey;
  /** Its topic in a few words. */
  readonly teaches: PlainKey;
  /** Arguments that differ from their defaults. */
  readonly settings?: Readonly<Record<string, ArgumentValue>>;
  /** Whether it runs when it is opened, and shows its sliders. */
  readonly isLive?: boolean;
}

/** An example whose posterior follows sliders. */
export const liveCoin: Example = {
  folder: 'coin-live',
  group: 'first',
  title: 'titles.live',
  teaches: 'titles.liveTeaches',
  isLive: true,
};

/** Groups of examples, in the order of the list. */
export const exampleGroups = {
  first: 'titles.groupFirst',
  regression: 'titles.groupRegression',
  groups: 'titles.groupGroups',
  latent: 'titles.groupLatent',
  time: 'titles.groupTime',
} as const satisfies Readonly<Record<string, PlainKey>>;

type ExampleGroup = keyof typeof exampleGroups;

/** In order of difficulty. */
export const examples: readonly Example[] = [
  { folder: 'coin', group: 'first', title: 'titles.coin', teaches: 'titles.coinTeaches' },
  {
    folder: 'line',
    group: 'first',
    title: 'titles.line',
    teaches: 'titles.lineTeaches',
  },
  {
    folder: 'eight-schools',
    group: 'groups',
    title: 'titles.schools',
    teaches: 'titles.schoolsTeaches',
    settings: { delta: 0.95 },
  },
  liveCoin,
  { folder: 'eight-schools-centered', group: 'groups', title: 'titles.centered', teaches: 'titles.centeredTeaches' },
  { folder: 'dose', group: 'regression', title: 'titles.dose', teaches: 'titles.doseTeaches' },
  { folder: 'golf', group: 'regression', title: 'titles.golf', teaches: 'titles.golfTeaches' },
  { folder: 'counts', group: 'regression', title: 'titles.counts', teaches: 'titles.countsTeaches' },
  { folder: 'varying-slopes', group: 'groups', title: 'titles.slopes', teaches: 'titles.slopesTeaches' },
  { folder: 'mixture', group: 'latent', title: 'titles.mixture', teaches: 'titles.mixtureTeaches' },
  { folder: 'change-point', group: 'time', title: 'titles.changePoint', teaches: 'titles.changePointTeaches' },
  { folder: 'local-level', group: 'time', title: 'titles.level', teaches: 'titles.levelTeaches' },
  { folder: 'survival', group: 'regression', title: 'titles.survival', teaches: 'titles.survivalTeaches' },
  { folder: 'item-response', group: 'latent', title: 'titles.response', teaches: 'titles.responseTeaches' },
  { folder: 'gaussian-process', group: 'regression', title: 'titles.process', teaches: 'titles.processTeaches' },
  { folder: 'predator-prey', group: 'time', title: 'titles.predators', teaches: 'titles.predatorsTeaches' },
];
