import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inCluster } from '../support/cluster.js';
import { withoutNats } from '../support/nats.js';

/** Some of the tests of one server, run against a cluster with LEAPFROG_TEST_CLUSTER=1 (`npm run test:cluster` runs all of them). */
const FILES = ['contract/interface-fits', 'owners', 'paging'] as const;

describe('in a cluster', { skip: withoutNats || (inCluster && 'this is the cluster') }, () => {
  for (const file of FILES) {
    test(`${file} passes`, async () => {
      const path = fileURLToPath(new URL(`./${file}.test.js`, import.meta.url));
      // These tests run in a separate test runner.
      const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
      const child = spawn(process.execPath, ['--test', path], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...environment, LEAPFROG_TEST_CLUSTER: '1' },
      });
      let output = '';
      child.stdout.on('data', (text) => {
        output += text;
      });
      const [code] = await once(child, 'close');
      assert.equal(code, 0, output.slice(-5000));
    });
  }
});
