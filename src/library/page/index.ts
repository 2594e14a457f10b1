/**
 * `leapfrog` in a page. In Node, the package exports the same names.
 *
 * @module leapfrog
 */
import { openLibrary } from '../library.js';
import { webPlatform } from './platform.js';

export * from '../public.js';
export const { analyze, close, compile, openFit, openModel } = openLibrary(webPlatform);
