/** Importing several files into the page together. */
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { benchForAll } from './workbench.js';

const COIN = 'data { int N; array[N] int y; } parameters { real<lower=0, upper=1> p; } model { y ~ bernoulli(p); }';
const SCALED = '#include "scale.stanfunctions"\nparameters { real x; } model { x ~ normal(0, twice(1)); }';
const SCALE = 'functions { real twice(real a) { return 2 * a; } }';

describe('files opened together', { skip: withoutChromium }, () => {
  const bench = benchForAll();

  type Files = Readonly<Record<string, string>>;
  const transfer = (files: Files) => `const transfer = new DataTransfer();
    for (const [name, text] of ${JSON.stringify(Object.entries(files))}) transfer.items.add(new File([text], name));`;
  const drop = (files: Files) =>
    bench().page.evaluate(`(() => { ${transfer(files)}
      document.querySelector('.look').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
  const paste = (files: Files) =>
    bench().page.evaluate(`(() => { ${transfer(files)}
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }));
    })()`);
  const named = async (name: string) => {
    const field = bench().page.getByLabel('Name of the project');
    while ((await field.inputValue()) !== name) await bench().page.waitForTimeout(10);
  };
  const ready = () => bench().page.getByText('Ready to run').waitFor();

  it('become a program with its data', async () => {
    await drop({ 'coin.stan': COIN, 'tosses.json': '{"N": 2, "y": [0, 1]}' });
    await named('coin');
    await ready();
  });

  it('become a program with its data in two files, if pasted', async () => {
    await paste({ 'coins.stan': COIN, 'a.json': '{"N": 2}', 'b.R': 'y <- c(1, 1)' });
    await named('coins');
    await ready();
  });

  it('become a program with its includes', async () => {
    await drop({ 'scaled.stan': SCALED, 'scale.stanfunctions': SCALE });
    await named('scaled');
    await ready();
    await bench().page.getByRole('tab', { name: 'scale.stanfunctions' }).waitFor();
  });

  it('become one project per program, with data of the same name', async () => {
    await drop({
      'one.stan': COIN,
      'one.json': '{"N": 1, "y": [1]}',
      'two.stan': COIN,
      'two.data.json': '{"N": 0, "y": []}',
    });
    await named('two');
    await ready();
    await bench().page.getByRole('button', { name: 'Projects' }).click();
    await bench().page.getByRole('menuitem', { name: /^one/ }).click();
    await named('one');
    await ready();
  });

  it('become an included text of the open project', async () => {
    await drop({ 'scaled.stan': SCALED });
    await named('scaled');
    await drop({ 'scale.stanfunctions': SCALE });
    await ready();
  });

  it('are reported if they cannot be used', async () => {
    await drop({ 'one.stan': COIN, 'two.stan': COIN, 'three.json': '{}' });
    await bench().page.getByText('three.json cannot be opened: no program has that name.').waitFor();
    await drop({ 'a.json': '{"N": 1}', 'b.json': '{"N": 2}' });
    await bench().page.getByText('a.json and b.json both have the variable N').waitFor();
    await drop({ 'a.csv': 'x\n1\n', 'b.csv': 'x\n2\n' });
    await bench().page.getByText('only one table can be opened at a time: a.csv was opened; open b.csv next').waitFor();
    await bench().page.keyboard.press('Escape');
  });

  it('are read from a folder', async () => {
    // Playwright cannot drop folders: the entries of a folder replace them.
    await bench().page.evaluate(`(() => {
      const entryOf = (name, text) => ({ name, isFile: true, isDirectory: false, file: (resolve) => resolve(new File([text], name)) });
      const files = [entryOf('folded.stan', ${JSON.stringify(COIN)}), entryOf('data.json', '{"N": 1, "y": [1]}'), entryOf('.hidden.stan', '')];
      const batches = [files.slice(0, 1), files.slice(1), []];
      const reader = { readEntries: (resolve) => resolve(batches.shift()) };
      const folder = { name: 'folder', isFile: false, isDirectory: true, createReader: () => reader };
      const event = new DragEvent('drop', { bubbles: true, cancelable: true });
      Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], files: [], items: [{ webkitGetAsEntry: () => folder }] } });
      document.querySelector('.look').dispatchEvent(event);
    })()`);
    await named('folded');
    await ready();
  });
});
