/** Notebooks of the page are valid, and repeat the page's run with the Python package. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';
import { withoutChromium } from '../support/chromium.js';
import { withoutModules, withoutPackages } from '../support/packages.js';
import { browserForAll, Workbench } from './workbench.js';

const run = promisify(execFile);
const PYTHON = process.env.LEAPFROG_TEST_PYTHON ?? 'python3';
/** The package of this checkout, on the Node that runs the tests. */
const ENVIRONMENT = { ...process.env, PYTHONPATH: join(ROOT, 'python', 'src'), LEAPFROG_NODE: process.execPath };

interface Notebook {
  readonly nbformat: number;
  readonly metadata: { readonly kernelspec: { readonly name: string } };
  readonly cells: readonly { readonly cell_type: string; readonly source: string }[];
}

/** Names with both types of quotes and a backslash, which the texts must escape. */
const INCLUDED = 'real twice(real x) { // "doubles" \\ it\n  return 2 * x;\n}\n';
const PROGRAM = `functions {
  #include twice.stan
}
data {
  int N;
  vector[N] y;
}
parameters {
  real mu;
}
model {
  mu ~ normal(0, 5);
  y ~ normal(twice(mu), 1);
}
`;

describe('notebooks of the page', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  let bench: Workbench;
  let folder: string;
  /** Of `mu` in the page. */
  let mean: string | null;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-notebook-'));
    bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Projects', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Open files/ }).click();
    const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await (await chooser).setFiles([
      file('twice.json', '{"N": 3, "y": [1.5, 2.5, 2]}'),
      file('twice.stan', INCLUDED),
      file('model.stan', PROGRAM),
    ]);
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('seed').fill('3');
    await page.getByLabel('samples', { exact: true }).fill('400');
    await bench.run();
    await page.getByRole('heading', { name: /^These draws/ }).waitFor();
    await bench.tab('Summary');
    mean = await page.getByRole('row', { name: /^mu / }).getByRole('cell').first().textContent();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Code and notebooks/ }).click();
  });
  after(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  const saved = async (name: string) => {
    const download = bench.page.waitForEvent('download');
    await bench.page.getByRole('button', { name }).click();
    return readFile(await (await download).path(), 'utf8');
  };
  const notebook = async (name: string): Promise<Notebook> => JSON.parse(await saved(name));
  const code = ({ cells }: Notebook) =>
    cells.filter(({ cell_type }) => cell_type === 'code').map(({ source }) => source);

  it('contain program, data, settings and seed, for either language and either format', async () => {
    for (const [language, kernel] of [
      ['Python', 'python3'],
      ['R', 'ir'],
    ] as const) {
      const jupyter = await notebook(`Jupyter, ${language}`);
      assert.equal(jupyter.nbformat, 4);
      assert.equal(jupyter.metadata.kernelspec.name, kernel);
      const text = code(jupyter).join('\n');
      for (const part of [PROGRAM, INCLUDED, '[1.5, 2.5, 2]']) assert.ok(text.includes(part), `${part} in ${text}`);
      assert.match(text, /seed ?= ?3/);
      assert.match(text, /iter_sampling ?= ?400/);
      assert.match(text, /chains ?= ?4/);
      const quarto = await saved(`Quarto, ${language}`);
      assert.match(quarto, /^---\ntitle: "/);
      for (const cell of code(jupyter)) assert.ok(quarto.includes(cell), 'the same code');
    }
  });

  it('are offered on a narrow page without scrolling sideways', async () => {
    const before = bench.page.viewportSize();
    await bench.page.setViewportSize({ width: 360, height: 800 });
    const widths = await bench.page.evaluate<number[]>(
      "[...document.querySelectorAll('dialog, dialog .overlay-content')].flatMap((each) => [each.scrollWidth, each.clientWidth])",
    );
    assert.deepEqual([widths[0], widths[2]], [widths[1], widths[3]]);
    if (before !== null) await bench.page.setViewportSize(before);
  });

  it('repeat the run in Python', { skip: withoutModules(['numpy', 'leapfrog'], PYTHON, ENVIRONMENT) }, async () => {
    // The last cell shows the fit.
    const cells = code(await notebook('Jupyter, Python')).slice(0, -1);
    const text = [...cells, "print(fit['mu'].mean())"];
    await writeFile(join(folder, 'cells.py'), text.join('\n\n'));
    const { stdout } = await run(PYTHON, ['cells.py'], { cwd: folder, env: ENVIRONMENT });
    assert.equal(Number(Number(stdout).toPrecision(3)), Number(Number(mean).toPrecision(3)));
  });

  it('repeat the run in R', { skip: withoutPackages(['leapfrog']) }, async () => {
    const cells = code(await notebook('Jupyter, R')).slice(0, -1);
    const text = [...cells, "cat(mean(fit$draws('mu')))"];
    await writeFile(join(folder, 'cells.R'), text.join('\n\n'));
    const { stdout } = await run('Rscript', ['cells.R'], { cwd: folder, env: ENVIRONMENT });
    assert.equal(Number(Number(stdout).toPrecision(3)), Number(Number(mean).toPrecision(3)));
  });

  it('are executed by Jupyter', {
    skip: withoutModules(['numpy', 'leapfrog', 'nbclient', 'ipykernel'], PYTHON, ENVIRONMENT),
  }, async () => {
    await writeFile(join(folder, 'made.ipynb'), await saved('Jupyter, Python'));
    const program = [
      'import nbformat, nbclient',
      'notebook = nbformat.read("made.ipynb", as_version=4)',
      'nbformat.validate(notebook)',
      'nbclient.NotebookClient(notebook).execute()',
      'print("".join(output["data"]["text/html"] for output in notebook.cells[-1].outputs))',
    ];
    await writeFile(join(folder, 'execute.py'), program.join('\n'));
    const { stdout } = await run(PYTHON, ['execute.py'], { cwd: folder, env: ENVIRONMENT });
    assert.match(stdout, /mu/);
    assert.match(stdout, /<svg/);
  });
});
