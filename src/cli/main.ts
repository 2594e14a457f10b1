#!/usr/bin/env node
/** The command `leapfrog`, which starts from a bundle if there is one. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { entryUrl } from '../node/entry-url.js';

const plain = new URL('./command-line.js', import.meta.url);
const entry = entryUrl('main', plain);
// A bundle is required, because `import` first parses a CommonJS module for the names of its exports.
if (entry === plain) await import(plain.href);
else createRequire(import.meta.url)(fileURLToPath(entry));
