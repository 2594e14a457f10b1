/** The first-use tour: its stops, and whether it has been taken or declined. */
import type { PlainKey } from '../words/types.js';
import { isEmbedded } from './embedded.js';
import { type PageState, update } from './store.js';

export interface Stop {
  /** CSS selector of the element that it explains. */
  readonly at: string;
  readonly title: PlainKey;
  readonly text: PlainKey;
  /** The state of the page in which the element is visible. */
  readonly state: Partial<PageState>;
}

export const stops: readonly Stop[] = [
  {
    at: '.write .tabs',
    title: 'start.tourWrite',
    text: 'start.tourWriteText',
    state: { side: 'left', leftTab: 'program' },
  },
  {
    at: '.write .tab-list',
    title: 'start.tourData',
    text: 'start.tourDataText',
    state: { side: 'left', leftTab: 'program' },
  },
  {
    at: '.header .run',
    title: 'start.tourRun',
    text: 'start.tourRunText',
    state: { side: 'left' },
  },
  {
    at: '.look',
    title: 'start.tourLook',
    text: 'start.tourLookText',
    state: { side: 'right' },
  },
];

const SEEN = 'leapfrog.tour';

/** Whether to offer the tour: until it has ended or was declined once in this browser. */
export function isTourNew(): boolean {
  try {
    return !isEmbedded && localStorage.getItem(SEEN) === null;
  } catch {
    return false;
  }
}

export function goToStop(stop: number): void {
  const found = stops[stop];
  if (found === undefined) endTour();
  else update({ ...found.state, tourStop: stop });
}

/** Ends the tour permanently. */
export function endTour(): void {
  update({ tourStop: undefined, isTourOffered: false });
  try {
    localStorage.setItem(SEEN, 'seen');
  } catch {
    // If the browser stores nothing, the tour is offered again.
  }
}
