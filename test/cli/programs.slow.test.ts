import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { CommandFolder } from './command.js';

const RIGHT = 'parameters {\n  real x;\n}\nmodel {\n  x ~ std_normal();\n}\n';
const UNTIDY = 'parameters{real x;}model{x~std_normal();}';

describe('leapfrog check, format and compile', () => {
  let place: CommandFolder;
  before(async () => {
    place = await CommandFolder.create({
      'right.stan': RIGHT,
      'wrong.stan': 'parameters {\n  real x\n}\nmodel {\n}\n',
      'doubtful.stan': 'parameters {\n  real x;\n}\nmodel {\n  x ~ normal(0, 1000000);\n}\n',
      'untidy.stan': UNTIDY,
      'including.stan':
        'functions {\n#include lib.stan\n}\nparameters {\n  real x;\n}\nmodel {\n  x ~ normal(f(1), 1);\n}\n',
    });
    await mkdir(place.path('lib'));
    await writeFile(place.path('lib/lib.stan'), '#include other.stan\n');
    await writeFile(place.path('lib/other.stan'), 'real f(real y) {\n  return y;\n}\n');
  });
  after(() => place.remove());

  it('print nothing for a correct program', async () => {
    assert.deepEqual(await place.run('check', 'right.stan'), { code: 0, output: '', errors: '' });
  });

  it("print an error as stanc does, under the file's name, with exit code 1", async () => {
    const { code, errors, output } = await place.run('check', 'right.stan', 'wrong.stan');
    assert.equal(code, 1);
    assert.equal(output, '');
    assert.match(errors, /^Syntax error in 'wrong\.stan', line 3, column 0 to column 1, parsing error:\n {3}-+\n/);
    assert.match(errors, /Ill-formed declaration\. Expected ";" after variable declaration\./);
  });

  it('print pedantic warnings on request', async () => {
    assert.equal((await place.run('check', 'doubtful.stan')).errors, '');
    const { code, errors } = await place.run('check', '--pedantic', 'doubtful.stan');
    assert.equal(code, 0);
    assert.match(errors, /^Warning in 'doubtful\.stan', line 5/);
  });

  it('describe a program as JSON', async () => {
    const { output } = await place.run('check', '--info', 'right.stan');
    assert.deepEqual(JSON.parse(output).parameters, { x: { type: 'real', dimensions: 0 } });
  });

  it('print what statements cost, as text and as JSON', async () => {
    await writeFile(place.path('costs.stan'), 'parameters { real x; }\nmodel { x ~ std_normal(); }\n');
    const { code, output } = await place.run('check', '--explain', 'costs.stan');
    assert.equal(code, 0);
    assert.equal(output, 'costs.stan:2:9: x ~ std_normal();\n  once per evaluation\n');
    const json = JSON.parse((await place.run('check', '--explain', '--json', 'costs.stan')).output);
    assert.deepEqual(json, [
      {
        cost: 'once',
        by: [],
        terms_by: [],
        reasons: [],
        text: 'x ~ std_normal();',
        file: 'costs.stan',
        line: 2,
        column: 8,
      },
    ]);
    assert.equal((await place.run('check', '--explain', 'wrong.stan')).code, 1);
  });

  it('find included files', async () => {
    for (const words of [['lib'], ['none', '--include-path', 'lib'], ['lib', '--']])
      assert.equal((await place.run('check', '--include-path', ...words, 'including.stan')).code, 0, words.join(' '));
    const { code, errors } = await place.run('check', 'including.stan');
    assert.equal(code, 1);
    assert.match(errors, /Could not find include file 'lib\.stan'/);
  });

  it('call functions', async () => {
    await writeFile(
      place.path('functions.stan'),
      'functions {\n#include lib.stan\n  vector scaled(vector x, real a) { print("scaling"); return a * x; }\n  real total(vector x) { return sum(x); }\n  real total(row_vector x, real y) { return sum(x) - y; }\n}\n',
    );
    const call = (...words: string[]) => place.run('call', '--include-path', 'lib', 'functions.stan', ...words);
    assert.deepEqual(await call('scaled', '[1, 2.5]', '2'), { code: 0, output: '[2,5]\n', errors: 'scaling\n' });
    assert.equal((await call('f', '--', '-1.5')).output, '-1.5\n');
    assert.equal((await call('total', '[1]', '1', '--signature', 'row_vector, real')).output, '0\n');
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['f', 'x'], /error: argument 1 is not JSON/],
      [['f'], /takes 1 arguments, but 0 were given/],
      [['g', '1'], /declares no function g/],
      [['f', '1', '--seed', '-3'], /integer from 0/],
    ];
    for (const [words, message] of cases) {
      const { code, errors } = await call(...words);
      assert.notEqual(code, 0);
      assert.match(errors, message);
    }
    assert.match((await place.run('call', 'wrong.stan', 'f')).errors, /Syntax error in 'wrong\.stan'/);
  });

  it('format to standard output, or in place', async () => {
    const { code, output } = await place.run('format', 'untidy.stan');
    assert.equal(code, 0);
    assert.equal(output, RIGHT);
    assert.equal((await place.run('format', '--write', 'untidy.stan')).output, '');
    assert.equal(await readFile(place.path('untidy.stan'), 'utf8'), RIGHT);
  });

  it('do not change a program that cannot be parsed', async () => {
    const text = await readFile(place.path('wrong.stan'), 'utf8');
    assert.equal((await place.run('format', '--write', 'wrong.stan')).code, 1);
    assert.equal(await readFile(place.path('wrong.stan'), 'utf8'), text);
  });

  it('format the target of a link in place, and keep its permissions', async () => {
    await writeFile(place.path('target.stan'), UNTIDY);
    await chmod(place.path('target.stan'), 0o640);
    await symlink('target.stan', place.path('link.stan'));
    assert.equal((await place.run('format', '--write', 'link.stan')).code, 0);
    assert.equal(await readFile(place.path('target.stan'), 'utf8'), RIGHT);
    assert.equal((await lstat(place.path('target.stan'))).mode & 0o777, 0o640);
    assert.ok((await lstat(place.path('link.stan'))).isSymbolicLink());
  });

  it('reject programs and data that are not UTF-8, and do not change them', async () => {
    const program = Buffer.from(`// caf\xe9\n${UNTIDY}`, 'latin1');
    await writeFile(place.path('latin.stan'), Buffer.concat([Buffer.from('// \u00e9\n'), program]));
    await writeFile(place.path('latin.json'), Buffer.from('{"\xe9": 1}', 'latin1'));
    for (const words of [['check'], ['format', '--write'], ['compile'], ['sample']]) {
      const { code, errors } = await place.run(...words, 'latin.stan');
      assert.deepEqual([code, errors], [1, 'error: latin.stan is not valid UTF-8 (line 2)\n'], words.join(' '));
    }
    assert.ok((await readFile(place.path('latin.stan'))).includes(program));
    const { errors } = await place.run('sample', 'right.stan', '--data', 'latin.json');
    assert.equal(errors, 'error: latin.json is not valid UTF-8 (line 1)\n');
  });

  it('compile to a module and its description', async () => {
    const { code, output } = await place.run('compile', 'right.stan', '--output', 'build');
    assert.equal(code, 0);
    assert.match(output, /^module +\d+ bytes$/m);
    assert.ok(WebAssembly.validate(new Uint8Array(await readFile(place.path('build/right.wasm')))));
    assert.equal(typeof JSON.parse(await readFile(place.path('build/right.json'), 'utf8')), 'object');
    assert.equal((await place.run('compile', 'wrong.stan')).code, 1);
  });

  it('compile standard input, here an empty program, to files called program', async () => {
    assert.equal((await place.run('compile', '-', '--output', 'read')).code, 0);
    assert.deepEqual((await readdir(place.path('read'))).sort(), ['program.json', 'program.wasm']);
  });

  it('print the IR around a pass, and the time of each pass', async () => {
    const { code, output } = await place.run(
      ...['compile', 'right.stan', '--print-ir-before', 'hoistData', '--print-ir-after', 'lower', '--time-passes'],
    );
    assert.equal(code, 0);
    assert.match(output, /^==== log density before hoistData ====$/m);
    assert.match(output, /^==== log density after lower ====$/m);
    assert.match(output, /^hoistData +\d+\.\d ms +1 ×$/m);
    assert.doesNotMatch(output, /before removeDead/);
  });

  it('omit passes that are not required, and suggest the nearest name', async () => {
    const shown = ['compile', 'right.stan', '--print-ir-after', 'all', '--without', 'hoistData'];
    const { code, output } = await place.run(...shown);
    assert.equal(code, 0);
    assert.match(output, /after splitDeep/);
    assert.doesNotMatch(output, /hoistData/);
    const mistyped = await place.run('compile', 'right.stan', '--without', 'hoistDate');
    assert.equal(mistyped.code, 1);
    assert.match(mistyped.errors, /There is no pass hoistDate\. Did you mean hoistData\?/);
    const required = await place.run('compile', 'right.stan', '--without', 'removeExits');
    assert.equal(required.code, 1);
    assert.match(required.errors, /removeExits cannot be disabled: /);
  });

  it('report which file is missing', async () => {
    const { code, errors } = await place.run('check', 'none.stan');
    assert.equal(code, 1);
    assert.match(errors, /^error: none\.stan cannot be read: no such file or directory/);
  });
});
