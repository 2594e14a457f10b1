import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesBelow, isTest, read } from './tree.js';

test('Only one file writes to the standard streams, so that no text reaches a terminal with its control characters.', () => {
  const writing = /\bprocess\.(?:stdout|stderr)\.write\b|(?<![.\w])console\.(?:log|info|warn|error)\(/;
  const own = (file: string) => /^(?:import|const|let) .*\bconsole\b|\bconsole[:,]|= openConsole/m.test(read(file));
  const files = ['src/node', 'src/cli', 'src/cmdstan', 'src/service'].flatMap((folder) => filesBelow(folder, '.ts'));
  const found = files.filter((file) => !isTest(file) && writing.test(read(file)) && !own(file));
  assert.deepEqual(found, ['src/node/standard-streams.ts']);
});
