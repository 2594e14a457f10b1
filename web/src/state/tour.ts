/** The first-use tour: its stops, and whether it has been taken or declined. */
import { isEmbedded } from './embedded.js';
import { type PageState, update } from './store.js';

export interface Stop {
  /** CSS selector of the element that it explains. */
  readonly at: string;
  readonly title: string;
  readonly text: string;
  /** The state of the page in which the element is visible. */
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
