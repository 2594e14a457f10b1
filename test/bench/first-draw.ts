import { launchChromium } from '../support/chromium.js';
import { serve } from '../support/serving.js';
import { Workbench } from '../web/workbench.js';

const RUNS = 7;

export interface FirstDraw {
  /** Whether this was the first run of the page, which loads the engine and starts its threads. */
  readonly isFirst: boolean;
  /** Milliseconds from the keypress that runs the program to the first draw in the page. */
  readonly time: number;
}

/** The time of the eight schools in the page from source, never compiled before, to the first draw. */
export async function benchFirstDraw(_folder: string, _only: RegExp): Promise<FirstDraw[]> {
  const server = await serve({});
  const browser = await launchChromium();
  try {
    const bench = await Workbench.open(browser, server.address);
    const { page } = bench;
    await bench.openExample(/^Eight schools Partial/);
    const text = (await page.locator('.write .cm-line').allTextContents()).join('\n');
    const rows: FirstDraw[] = [];
    for (let run = 1; run <= RUNS; run++) {
      // A different program for the compiler each time, so that none has been compiled in advance.
      await bench.write(`${text}\n// ${run}`);
      await page.evaluate(WATCH);
      await bench.run();
      const time = await page.evaluate<number>('window.firstDraw');
      rows.push({ isFirst: run === 1, time });
      console.log(
        `${run === 1 ? 'first run of the page' : 'another program'}: ${time.toFixed(0)} ms to the first draw`,
      );
      await page.getByRole('button', { name: new RegExp(`^Run ${run} (reliable|\\d+ problem)`) }).waitFor();
    }
    await bench.close();
    return rows;
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Measures the time from the next press of Enter to the first frame of the new run that shows draws: a trace, or their number. */
const WATCH = `void (window.firstDraw = new Promise((resolve) => {
  let begun;
  addEventListener('keydown', ({ key }) => { if (key === 'Enter') begun ??= performance.now(); }, { capture: true });
  const runs = () => document.querySelectorAll('.runs > li').length;
  const before = runs();
  const look = () => {
    const isShown =
      begun !== undefined && runs() > before &&
      document.querySelector('.running svg, .verdict .prose') !== null;
    if (isShown) resolve(performance.now() - begun);
    else requestAnimationFrame(look);
  };
  look();
}))`;
