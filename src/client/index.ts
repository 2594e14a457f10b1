/**
 * `leapfrog/client`: a typed client of the HTTP interface.
 *
 * @module leapfrog/client
 */
export { Client } from './client.js';
export { type DrawOptions, Fit, StartedFit, type WaitOptions } from './fit.js';
export { type DensityOptions, Model, type OnData, type WriteArrayOptions } from './model.js';
export { ServerError, type TransportOptions } from './transport.js';
export type * from './types.js';
