import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LanguageService } from './language-service.js';

const PROGRAM = `functions {
  // halves
  real half_lpdf(real y, real mu) {
    return normal_lpdf(y | mu, 0.5);
  }
}
data {
  int N; // observations
  vector[N] y;
}
parameters {
  real mu;
}
model {
  for (n in 1 : N) {
    y[n] ~ half(mu);
  }
  for (n in 1 : N) {
    target += n * mu;
  }
}
`;

const FILE = 'model.stan';

function open(text: string, includes: Readonly<Record<string, string>> = {}) {
  const service = new LanguageService();
  const report = service.update({ name: FILE, text, includes });
  return { service, report };
}

/** The offset of occurrence `n` of a text, counted from 0. */
function place(text: string, part: string, nth = 0): number {
  let offset = text.indexOf(part);
  for (let k = 0; k < nth; k++) offset = text.indexOf(part, offset + 1);
  return offset;
}

describe('the language service', () => {
  it('reports errors with their locations', () => {
    const text = 'parameters {\n  real mu\n}\n';
    const [remark, ...others] = open(text).report.remarks;
    assert.deepEqual(others, []);
    assert.equal(remark.severity, 'error');
    assert.match(remark.message, /Expected ";"/);
    assert.equal(text.slice(remark.at.from, remark.at.to), 'u');
  });

  it('reports features that Leapfrog cannot compile only on request', () => {
    const { report, service } = open('parameters { real a; } model { target += (a, 1.0); }');
    assert.deepEqual(report.remarks, []);
    assert.deepEqual(
      service.unsupported().map(({ code, line, severity }) => ({ code, line, severity })),
      [{ code: 'unsupported', line: 1, severity: 'warning' }],
    );
    service.read({ name: FILE, text: 'parameters { real a }', includes: {} });
    assert.deepEqual(service.unsupported(), []);
  });

  it('lists the declared variables of a valid program, and no errors', () => {
    const { remarks, info } = open(PROGRAM).report;
    assert.deepEqual(
      remarks.filter(({ severity }) => severity === 'error'),
      [],
    );
    assert.deepEqual(Object.keys(info?.inputs ?? {}), ['N', 'y']);
  });

  it('goes from a use to the declaration in scope', () => {
    const { service } = open(PROGRAM);
    const definition = (part: string, nth: number) => service.definition(FILE, place(PROGRAM, part, nth))?.from;
    assert.equal(definition('mu);', 0), place(PROGRAM, 'mu;'));
    assert.equal(definition('mu, 0.5', 0), place(PROGRAM, 'mu)'));
    assert.equal(definition('half(mu)', 0), place(PROGRAM, 'half_lpdf(real'));
  });

  it('distinguishes loops whose variables have the same name', () => {
    const { service } = open(PROGRAM);
    const second = place(PROGRAM, 'n in', 1);
    const places = service.references(FILE, place(PROGRAM, 'n * mu')).map(({ from }) => from);
    assert.deepEqual(places, [second, place(PROGRAM, 'n * mu')]);
  });

  it('shows the type and comment of a name, or the documentation of the library', () => {
    const { service } = open(PROGRAM);
    const declared = service.hover(FILE, place(PROGRAM, 'N; //'));
    assert.ok(declared?.kind === 'declared');
    assert.deepEqual([declared.declared.type, declared.declared.comment], ['int', 'observations']);
    const library = service.hover(FILE, place(PROGRAM, 'normal_lpdf'));
    assert.ok(library?.kind === 'library');
    assert.equal(library.help.name, 'normal_lpdf');
    assert.ok(library.help.signatures.length > 0);
  });

  it('completes distributions after a tilde, without the variate, including those of the program', () => {
    const { service } = open(PROGRAM);
    const text = PROGRAM.replace('half(mu);', 'ha');
    service.update({ name: FILE, text, includes: {} });
    const found = service.complete(FILE, place(text, '~ ha') + 4);
    assert.ok(found.every(({ kind }) => kind === 'distribution'));
    assert.ok(found.some(({ label }) => label === 'half'));
    assert.equal(found.find(({ label }) => label === 'normal')?.detail, '(reals, reals)');
  });

  it('completes blocks outside blocks, and names, functions and types inside', () => {
    const { service } = open(PROGRAM);
    assert.ok(service.complete(FILE, PROGRAM.length).every(({ kind }) => kind === 'block'));
    const within = service.complete(FILE, place(PROGRAM, 'n * mu')).map(({ label }) => label);
    for (const label of ['mu', 'N', 'exp', 'vector', 'for']) assert.ok(within.includes(label), label);
  });

  it('completes the contents of a block after an include', () => {
    const text = '#include a.stan\nmodel {\n  \n}\n';
    const { service } = open(text, { 'a.stan': 'data { int N; }\n' });
    const within = service.complete(FILE, place(text, '  \n') + 2).map(({ label }) => label);
    assert.ok(within.includes('N') && within.includes('for'));
  });

  it('finds names after an edit that cannot be parsed', () => {
    const { service } = open(PROGRAM);
    const text = PROGRAM.replace('vector[N] y;', 'vector[ y;');
    service.update({ name: FILE, text, includes: {} });
    assert.equal(service.definition(FILE, place(text, 'n * mu') + 4)?.from, place(text, 'mu;'));
  });

  it('goes to every overload of a function, and from a declaration to the definition', () => {
    const text =
      'functions { real f(real x); real f(int n) { return n; } real f(real x) { return x; } }\nmodel { target += f(1); }';
    const { service } = open(text);
    const found = service.definitions(FILE, place(text, 'f(1)')).map(({ from }) => from);
    assert.deepEqual(
      found.toSorted((a, b) => a - b),
      [place(text, 'f(int'), place(text, 'f(real x) {')],
    );
  });

  it('omits pedantic warnings unless they are requested', () => {
    const text = 'parameters { real x; }\nmodel { }\n';
    const service = new LanguageService();
    const found = [true, false].map(
      (pedantic) => service.update({ name: FILE, text, includes: {} }, { pedantic }).remarks.length,
    );
    assert.ok(found[0] > 0 && found[1] === 0);
  });

  it('omits warnings about the scale of priors, which no change but another prior resolves', () => {
    const text = 'parameters { real<offset=57, multiplier=18> x; }\nmodel { x ~ normal(57, 18); }\n';
    const { remarks } = new LanguageService().update({ name: FILE, text, includes: {} });
    assert.deepEqual(remarks, []);
  });

  it('uses the names of the last text that could be parsed', () => {
    const { service } = open(PROGRAM);
    const { remarks, declared } = service.update({
      name: FILE,
      text: `${PROGRAM}generated quantities { real z = `,
      includes: {},
    });
    assert.equal(remarks.length, 1);
    assert.ok(declared.some(({ name }) => name === 'mu'));
  });

  it('reports errors in included files under their names', () => {
    const { report } = open('#include a.stan\nmodel {}\n', { 'a.stan': 'data { int N }\n' });
    assert.equal(report.remarks[0].at.file, 'a.stan');
  });

  it('analyzes two hundred lines of densities in 200 milliseconds of processor time on a busy machine, after warming up', () => {
    const lines = Array.from({ length: 190 }, (_, k) => `  target += normal_lpdf(mu | ${k}, exp(0.1 * ${k}));`);
    const text = `parameters {\n  real mu;\n}\nmodel {\n${lines.join('\n')}\n}\n`;
    const { service } = open(text);
    const times = Array.from({ length: 25 }, (_, k) => {
      const start = process.cpuUsage();
      service.update({ name: FILE, text: `${text}// ${k}\n`, includes: {} });
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    });
    assert.ok(Math.min(...times) < 200, `${Math.min(...times)} ms`);
  });

  it('reports a missing semicolon at the end of its statement', () => {
    const text = 'parameters {\n  real mu // mean\n\n  real tau;\n}\n';
    const [remark] = new LanguageService().update({ name: FILE, text, includes: {} }).remarks;
    const end = text.indexOf(' // mean');
    assert.deepEqual(remark?.at, { file: FILE, from: end - 1, to: end });
    assert.equal(remark?.line, 2);
  });
});
