#!/usr/bin/env node
/** The command `leapfrog`. Starts from a bundle if one exists. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { addressLimit, EXPLICIT_CHECKS } from '../node/address-space.js';
import { entryUrl } from '../node/entry-url.js';

if (addressLimit() !== undefined && !process.execArgv.includes(EXPLICIT_CHECKS)) {
  const { restartWithin } = await import('./restart.js');
  restartWithin();
} else {
  const plain = new URL('./command-line.js', import.meta.url);
  const entry = entryUrl('main', plain);
  // Loaded with `require`, because `import` would first parse the CommonJS module for the names of its exports.
  if (entry === plain) await import(plain.href);
  else createRequire(import.meta.url)(fileURLToPath(entry));
}
