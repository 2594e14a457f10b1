import type { EventSink } from './events.js';

/** Discards all events. */
export const SILENT: EventSink = {
  log: () => {},
  progress: () => {},
  initialization: () => {},
  adaptation: () => {},
  elapsed: () => {},
  remark: () => {},
  draw: () => {},
  diagnostic: () => {},
};
