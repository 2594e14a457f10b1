import type { EventSink } from './events.js';

/** Discards all events. */
export const SILENT: EventSink = {
  log: () => {},
  progress: () => {},
  iteration: () => {},
  initialization: () => {},
  adaptation: () => {},
  elapsed: () => {},
  remark: () => {},
  draw: () => {},
  diagnostic: () => {},
};
