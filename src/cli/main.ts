#!/usr/bin/env node
/** The command `leapfrog` of a checkout. Starts from a bundle if one exists. Packages start the bundle, which saves the loader of modules. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { entryUrl } from '../node/entry-url.js';

const plain = new URL('./command-line.js', import.meta.url);
const entry = entryUrl('main', plain);
// Loaded with `require`, because `import` would first parse the CommonJS module for the names of its exports.
if (entry === plain) await import(plain.href);
else createRequire(import.meta.url)(fileURLToPath(entry));
