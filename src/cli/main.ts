#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { serveCommand } from './serve.js';

const { version }: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

await new Command('leapfrog')
  .description('A Stan server without a C++ toolchain.')
  .version(version)
  .addCommand(serveCommand(version))
  .parseAsync();
