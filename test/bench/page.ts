import { existsSync, readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/chromium.js';
import { serve } from '../support/serving.js';
import { Workbench } from '../web/workbench.js';

const COLUMNS = 1000;
const CHAINS = 4;
const WIDE = `parameters { vector[${COLUMNS}] theta; } model { theta ~ std_normal(); }`;
const LONGEST = 600_000;

/** User actions on a run. */
const ACTIONS: readonly (readonly [name: string, act: (bench: Workbench) => Promise<void>])[] = [
  [
    'open the summary',
    async (bench) => {
      await bench.tab('Summary');
      await bench.page.locator('.numbers tbody th').first().waitFor({ timeout: LONGEST });
    },
  ],
  [
    'unfold and scroll the summary',
    async ({ page }) => {
      await page.locator('.numbers').getByRole('button', { expanded: false }).first().click();
      await page.getByRole('region', { name: 'Summary' }).hover();
      for (let turn = 0; turn < 40; turn++) await page.mouse.wheel(0, 700);
    },
  ],
  [
    'open plots of two quantities',
    async (bench) => {
      await bench.tab('Plots');
      await bench.page.getByRole('searchbox').first().fill('theta[1], theta[500]');
      await bench.page.getByRole('img', { name: /^Trace of theta\[500\]/ }).waitFor({ timeout: LONGEST });
    },
  ],
  [
    'move the pointer over a trace',
    async ({ page }) => {
      const box = await page.getByRole('img', { name: /^Trace of theta\[1\]/ }).boundingBox();
      if (box === null) return;
      for (let step = 0; step < 60; step++) {
        await page.mouse.move(box.x + (box.width * (step + 1)) / 62, box.y + box.height / 2);
      }
    },
  ],
  [
    'look at pairs',
    async ({ page }) => {
      await page.getByRole('button', { name: 'pairs' }).click();
      await page.getByRole('img', { name: /Draws of theta\[500\] against theta\[1\]/ }).waitFor({ timeout: LONGEST });
    },
  ],
  [
    'open and scroll the draws',
    async (bench) => {
      await bench.tab('Draws');
      await bench.page.getByRole('region', { name: 'Draws' }).locator('tbody td').first().waitFor({ timeout: LONGEST });
      await bench.page.getByRole('region', { name: 'Draws' }).hover();
      for (let turn = 0; turn < 40; turn++) await bench.page.mouse.wheel(0, 700);
    },
  ],
];

export interface PageAction {
  readonly run: string;
  readonly action: string;
  /** Milliseconds until the action is completed. */
  readonly time: number;
  /** Milliseconds between frames during the action. */
  readonly frame: { readonly median: number; readonly p95: number; readonly longest: number };
  /** Peak memory of the page's process during the action, in mebibytes, with its workers but without its code. */
  readonly memory: number;
}

/** The responsiveness of the page with its own 20,000 draws of 1,000 columns, and with a fit of a gigabyte on the server. */
export async function benchPage(_folder: string, only: RegExp): Promise<PageAction[]> {
  const server = await serve({ LEAPFROG_CACHE_SIZE: String(2 ** 33) });
  const browser = await launchChromium();
  try {
    const rows: PageAction[] = [];
    for (const [name, samples, place] of [
      ['browser, 20,000 draws', 20_000 / CHAINS, 'Browser'],
      ['server, 1 GB', 125_000 / CHAINS, 'Server'],
    ] as const) {
      if (only.test(name)) rows.push(...(await explore(browser, server.address, name, samples, place)));
    }
    return rows;
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function explore(browser: Browser, address: string, run: string, samples: number, place: string) {
  const bench = await Workbench.open(browser, address);
  const { page } = bench;
  page.setDefaultTimeout(LONGEST);
  await page.getByRole('button', { name: place, exact: true }).click();
  await bench.write(WIDE);
  await page
    .getByText(/Ready to run|The program and the data go to the server/)
    .first()
    .waitFor();
  await page.getByLabel('samples', { exact: true }).fill(`${samples}`);
  await page.getByLabel('seed').fill('1');
  const rows: PageAction[] = [];
  const measure = async (action: string, act: (bench: Workbench) => Promise<void>) => {
    await page.evaluate(RECORD_FRAMES);
    const memory = await watchMemory(browser);
    const start = performance.now();
    await act(bench);
    const time = performance.now() - start;
    const frames = await page.evaluate<number[]>('window.recordedFrames.splice(0)');
    const row = { run, action, time, frame: described(frames), memory: await memory() };
    const { median, p95, longest } = row.frame;
    console.log(
      `${run}: ${action.padEnd(30)} ${time.toFixed(0).padStart(7)} ms; frames ${median.toFixed(0)}, ${p95.toFixed(0)} at the ` +
        `95th percentile, ${longest.toFixed(0)} at most; ${row.memory.toFixed(0)} MiB`,
    );
    rows.push(row);
  };
  await measure('run', async () => {
    await bench.run();
    await page.getByRole('heading', { name: /^These draws/ }).waitFor();
  });
  for (const [action, act] of ACTIONS) await measure(action, act);
  await bench.close();
  return rows;
}

/** Records the milliseconds between frames. */
const RECORD_FRAMES = `(() => {
  if (window.recordedFrames !== undefined) return window.recordedFrames.splice(0).length;
  window.recordedFrames = [];
  let before = performance.now();
  const next = (now) => {
    window.recordedFrames.push(now - before);
    before = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})()`;

function described(frames: readonly number[]): PageAction['frame'] {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95), longest: at(1) };
}

/**
 * Samples the memory of the processes that run pages several times a second until the returned function is called, which returns the maximum of one
 * process.
 */
async function watchMemory(browser: Browser): Promise<() => Promise<number>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pages = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  let most = 0;
  const look = () => {
    most = Math.max(most, ...pages.map(memoryOf));
  };
  const timer = setInterval(look, 50);
  return async () => {
    clearInterval(timer);
    look();
    return most;
  };
}

/** Anonymous memory of a process, in mebibytes; 0 if the process has ended, as processes of earlier pages may have. */
function memoryOf(processId: number): number {
  const path = `/proc/${processId}/status`;
  if (!existsSync(path)) return 0;
  const text = readFileSync(path, 'utf8');
  const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(text)?.[1] ?? 0);
  return (field('RssAnon') + field('RssShmem')) / 1024;
}
