/** `leapfrog` in Node. */
import { openLibrary } from '../../library/library.js';
import { nodePlatform } from './platform.js';

export * from '../../library/public.js';
export const { compile, analyze, close } = openLibrary(nodePlatform);
