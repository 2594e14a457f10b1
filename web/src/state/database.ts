/** The browser's database: projects, their runs, and the draws of these. */

import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { FitChain, FitContents } from 'leapfrog';
import { isEmbedded } from './embedded.js';
import type { Project } from './project.js';
import type { Run } from './run.js';

interface Schema extends DBSchema {
  projects: { key: string; value: Project; indexes: { savedAt: number } };
  /** Runs without their draws, which are large. */
  runs: { key: string; value: Run; indexes: { projectId: string } };
  /** Fits by run id. Their chains are stored separately. */
  fits: { key: string; value: FitContents };
  /** Chains by run id and chain id. */
  chains: { key: [string, number]; value: FitChain };
}

export type Database = IDBPDatabase<Schema>;

const NAME = 'leapfrog';
/** Versions of the schema. 1: projects. 2: runs and fits. 3: chains of fits. */
const VERSION = 3;

let opened: Promise<Database> | undefined;

/** Rejects if the browser does not store data, and in an embedded page. */
export function database(): Promise<Database> {
  if (isEmbedded) return Promise.reject(new Error('an embedded page stores nothing'));
  opened ??= openDB<Schema>(NAME, VERSION, {
    upgrade(made, from) {
      if (from < 1) made.createObjectStore('projects', { keyPath: 'id' }).createIndex('savedAt', 'savedAt');
      if (from < 2) {
        made.createObjectStore('runs', { keyPath: 'id' }).createIndex('projectId', 'projectId');
        made.createObjectStore('fits');
      }
      if (from < 3) made.createObjectStore('chains');
    },
    // Another tab requires a newer schema, and must not wait for this one.
    blocking: (_current, _wanted, event) => {
      if (event.target instanceof IDBDatabase) event.target.close();
      opened = undefined;
    },
  });
  return opened;
}
