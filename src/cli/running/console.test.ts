import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { openConsole, type RunConsole } from './console.js';

/** The text that a run writes to a terminal. */
function shown(chains: readonly number[], talk: (console: RunConsole) => void): string {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const console = openConsole(chains, terminal);
  talk(console);
  console.end();
  return String(terminal.read());
}

describe('a terminal', () => {
  it('shows all output of chains, even if the run ends immediately', () => {
    const said = shown([1, 2], (console) => {
      console.log(1, 'info', 'Gradient evaluation took 1 seconds');
      console.log(2, 'error', 'Initialization failed.');
      console.log(2, 'debug', 'first\nsecond');
    });
    const lines = said.split('\n');
    for (const line of ['Chain 2: Initialization failed.', 'second']) assert.ok(lines.includes(line), said);
    for (const part of ['Chain 1: Gradient evaluation took', 'Chain 2: first']) assert.ok(said.includes(part), said);
  });

  it('shows the progress of each chain below their output', () => {
    const said = shown([1, 2], (console) => {
      console.log(1, 'info', 'Iteration: 1000 / 2000 [ 50%]  (Warmup)');
      console.log(2, 'info', 'Iteration: 2000 / 2000 [100%]  (Sampling)');
      console.log(1, 'warn', 'a warning');
    });
    const end = said.slice(said.lastIndexOf('a warning'));
    assert.match(end, /Chain 1 \[=+-+\] 1000\/2000 warmup/);
    assert.match(end, /Chain 2 \[=+\] 2000\/2000 sampling/);
    assert.ok(!said.includes('Iteration:'));
  });

  it('shows a line about the run below the bars, cut to the width of the terminal', () => {
    const said = shown([1], (console) => {
      console.note(() => 'R-hat 1.20 (mu)');
      console.note(() => `R-hat 1.02 (tau), ${'x'.repeat(100)}`);
    });
    const end = said.slice(said.lastIndexOf('Chain 1 ['));
    assert.match(end, /R-hat 1\.02 \(tau\), x{61}(?!x)/);
    assert.ok(!end.includes('R-hat 1.20'));
  });
});
