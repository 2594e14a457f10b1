/** The first-use tour: where it stops, and whether it was taken or left before. */
import { isEmbedded } from './embedded.js';
import { type PageState, update } from './store.js';

export interface Stop {
  /** CSS selector of what it shows. */
  readonly at: string;
  readonly title: string;
  readonly text: string;
  /** What must be so that it is seen. */
  readonly state: Partial<PageState>;
}

export const stops: readonly Stop[] = [
  {
    at: '.write .tabs',
    title: 'Write',
    text: 'Here you write a Stan program. Errors are underlined as you type, and names are completed.',
    state: { side: 'left', leftTab: 'program' },
  },
  {
    at: '.write .tab-list',
    title: 'Data',
    text: 'The data are JSON, in a tab of their own. You can drop a table on the page instead.',
    state: { side: 'left', leftTab: 'program' },
  },
  {
    at: '.header .run',
    title: 'Run',
    text: 'This runs the program in your browser. No data leave it. Below the program you choose the method and its settings.',
    state: { side: 'left' },
  },
  {
    at: '.look',
    title: 'Look',
    text: 'Results appear here: first whether they can be relied on, then the quantities, plots and predictive checks. Start with an example or a lesson.',
    state: { side: 'right' },
  },
];

const SEEN = 'leapfrog.tour';

/** Whether the tour is offered: until it has ended or was declined once in this browser. */
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

/** Ends the tour, for good. */
export function endTour(): void {
  update({ tourStop: undefined, isTourOffered: false });
  try {
    localStorage.setItem(SEEN, 'seen');
  } catch {
    // A browser that stores nothing offers the tour again.
  }
}
