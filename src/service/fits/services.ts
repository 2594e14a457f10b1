import type { Registry } from 'prom-client';
import type { NonFinite } from '../../formats/numbers.js';
import type { Models } from '../operations/models.js';
import type { Operations } from '../operations/operations.js';
import type { Owners } from '../store/owners.js';
import type { Store } from '../store/store.js';
import type { Requests } from '../threads/requests.js';
import type { LiveFits } from './live-fits.js';

/** The services that routes use. */
export interface Services {
  readonly store: Store;
  readonly models: Models;
  readonly requests: Requests;
  readonly operations: Operations;
  readonly owners: Owners;
  readonly live: LiveFits;
  readonly nonFinite: NonFinite;
  readonly version: string;
  readonly engineVersion: string;
  readonly metrics: Registry;
  readonly requiresToken: boolean;
  /** Whether to serve the workbench. */
  readonly web: boolean;
  readonly frameAncestors: readonly string[];
}
