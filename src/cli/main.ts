#!/usr/bin/env node
/** The command `leapfrog`, which starts from a bundle if there is one. */
import { entryUrl } from '../node/entries.js';

await import(entryUrl('main', new URL('./command-line.js', import.meta.url)).href);
