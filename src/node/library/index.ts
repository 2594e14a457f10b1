/** `leapfrog` in Node. */
import { openLibrary } from '../../library/library.js';
import { nodePlatform } from './platform.js';

export * from '../../library/public.js';
export const { analyze, close, compile, openFit, openModel } = openLibrary(nodePlatform);
