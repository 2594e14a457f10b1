/** `leapfrog model`: programs from formulas and tables. */
import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CommandFolder } from './command.js';

const WORKBOOK = fileURLToPath(new URL('../../../test/tables/workbooks/openpyxl.xlsx', import.meta.url));
const TABLE = 'Größe;Ort\n171,5;Kiel\n180,0;Ulm\n;Kiel\n165,5;Ulm\n169,0;Kiel\n';

describe('leapfrog model', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({ 'table.csv': TABLE });
    await copyFile(WORKBOOK, place.path('book.xlsx'));
  });
  after(() => place.remove());

  it('writes a program and its data', async () => {
    const outputs = ['--output', 'model.stan', '--data-output', 'data.json'];
    const { code, errors, output } = await place.run('model', '--formula', 'Größe ~ Ort', ...outputs, 'table.csv');
    assert.deepEqual([code, output], [0, '']);
    assert.equal(
      errors,
      '1 row is left out because of missing values.\nNext: leapfrog sample model.stan --data data.json --recommended\n',
    );
    assert.deepEqual(JSON.parse(await readFile(place.path('data.json'), 'utf8')), {
      N: 4,
      groesse: [171.5, 180, 165.5, 169],
      Ort_Ulm: [0, 1, 1, 0],
    });
    const checked = await place.run('check', 'model.stan');
    assert.deepEqual([checked.code, checked.errors], [0, '']);
  });

  it('treats missing numbers as parameters on request', async () => {
    const { errors, output } = await place.run(
      'model',
      '--formula',
      'Größe ~ Ort',
      '--missing',
      'parameters',
      'table.csv',
    );
    assert.equal(errors, '');
    assert.match(output, /\n {2}vector\[N_groesse_mis\] groesse_mis; \/\/ missing values of Größe\n/);
    const wrong = await place.run('model', '--formula', 'Größe ~ Ort', '--missing', 'drop', 'table.csv');
    assert.match(wrong.errors, /--missing.*Allowed choices are omit, parameters/s);
  });

  it('suggests the recommended sampler', async () => {
    const outputs = ['--output', 'groups.stan', '--data-output', 'groups.json', 'table.csv'];
    const { errors } = await place.run('model', '--formula', 'Größe ~ (1 | Ort)', ...outputs);
    assert.match(errors, /\nNext: leapfrog sample groups\.stan --data groups\.json --recommended\n$/);
  });

  it('prints the program without --output, and reads workbooks and sheets', async () => {
    const first = await place.run('model', '--formula', 'score ~ consent', 'book.xlsx');
    assert.match(first.output, /^\/\/ score ~ consent\n/);
    const other = await place.run(
      'model',
      '--formula',
      'y ~ x',
      '--sheet',
      'Other',
      '--family',
      'gaussian',
      'book.xlsx',
    );
    assert.match(other.output, /^\/\/ y ~ x\n\/\/ Linear regression\./);
    const absent = await place.run('model', '--formula', 'y ~ x', '--sheet', 'None', 'book.xlsx');
    assert.match(absent.errors, /^error: book\.xlsx has no sheet None; its sheets are Notes, Größen & Co, Other\n/);
  });

  it('underlines what is wrong in a formula', async () => {
    const { code, errors } = await place.run('model', '--formula', 'Größe ~ ort + x', 'table.csv');
    assert.equal(code, 1);
    assert.equal(
      errors,
      'error: The table has no column "ort". Did you mean "Ort"?\n  Größe ~ ort + x\n          ^^^\n\n' +
        'error: The table has no column "x".\n  Größe ~ ort + x\n                ^\n',
    );
  });

  it('refuses other families, and does not overwrite the table', async () => {
    const family = await place.run('model', '--formula', 'Größe ~ Ort', '--family', 'gamma', 'table.csv');
    assert.match(family.errors, /^error: --family must be one of normal, student, .*, but is gamma\n/);
    const same = await place.run('model', '--formula', 'Größe ~ Ort', '--output', 'table.csv', 'table.csv');
    assert.match(same.errors, /^error: table\.csv is an input and would be overwritten/);
    assert.equal(await readFile(place.path('table.csv'), 'utf8'), TABLE);
  });
});
