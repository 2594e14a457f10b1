import { setTimeout } from 'node:timers/promises';
import { launchChromium } from '../support/chromium.js';
import { serve } from '../support/serving.js';
import { Workbench } from '../web/workbench.js';

const LINES = 200;
const STATEMENTS = LINES - 8;
const PROGRAM = [
  'data {',
  '  vector[10] y;',
  '}',
  'parameters {',
  `  vector[${STATEMENTS}] b;`,
  '}',
  'model {',
  ...Array.from({ length: STATEMENTS }, (_, k) => `  y[${(k % 10) + 1}] ~ normal(b[${k + 1}] + exp(b[1]), 1);`),
  '}',
].join('\n');

/** Typed one by one in the middle of the program, which is alternately invalid and valid. */
const TYPED =
  '  target += normal_lpdf(y | b[1] + log1p_exp(b[2]), 1); // a sentence of some words, as people add them\n'.repeat(2);
/** Milliseconds between two keypresses of a fast typist. */
const PAUSE = 80;

export interface Typing {
  readonly keys: number;
  /** Milliseconds from a keypress until the frame that shows the character is painted. */
  readonly latency: { readonly median: number; readonly p95: number; readonly longest: number };
  /** Durations of tasks of the page's thread above 50 ms, in milliseconds. */
  readonly longTasks: readonly number[];
}

/** The delay of keypresses in the editor while a program of 200 lines is analyzed, compiled and colored. */
export async function benchTyping(_folder: string, _only: RegExp): Promise<Typing[]> {
  const server = await serve({});
  const browser = await launchChromium();
  try {
    const bench = await Workbench.open(browser, server.address);
    const { page } = bench;
    await bench.write(PROGRAM);
    await page.getByText('1 parameter').waitFor();
    await page.locator('.write [contenteditable]').press('ControlOrMeta+Home');
    for (let line = 0; line < LINES / 2; line++) await page.keyboard.press('ArrowDown');
    await setTimeout(1000);
    await page.evaluate(RECORD_KEYS);
    for (const key of TYPED) {
      await page.keyboard.press(key === '\n' ? 'Enter' : key);
      await setTimeout(PAUSE);
    }
    const { latencies, longTasks } = await page.evaluate<{ latencies: number[]; longTasks: number[] }>(
      'window.recordedKeys',
    );
    const sorted = latencies.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
    const latency = { median: at(0.5), p95: at(0.95), longest: at(1) };
    console.log(
      `${sorted.length} keys in ${LINES} lines: ${latency.median.toFixed(1)} ms to the painted frame, ${latency.p95.toFixed(1)} at the ` +
        `95th percentile, ${latency.longest.toFixed(1)} at most; long tasks: ${longTasks.map((time) => time.toFixed(0)).join(', ') || 'none'}`,
    );
    await bench.close();
    return [{ keys: sorted.length, latency, longTasks }];
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Records the milliseconds from each keypress to the task after the next frame, and those of long tasks. */
const RECORD_KEYS = `(() => {
  window.recordedKeys = { latencies: [], longTasks: [] };
  addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.recordedKeys.latencies.push(performance.now() - timeStamp);
      port2.postMessage(undefined);
    });
  }, true);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.recordedKeys.longTasks.push(duration);
  }).observe({ type: 'longtask' });
})()`;
