import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { type Convergence, type Finding, findings, type SamplerReport } from './findings.js';
import { judge, summarize } from './summary.js';

const GOOD: Convergence = { name: 'x', rhat: 1, essBulk: 900, essTail: 800, variation: 'within chains' };
const CHAIN: SamplerReport = { chain: 1, draws: 1000, divergences: 0, treedepthHits: 0, energyFraction: 1 };

/** The findings that are problems; by default, for two chains. */
function problems(quantities: readonly Convergence[], sampler: readonly SamplerReport[] = [CHAIN, CHAIN]): Finding[] {
  return findings(sampler, quantities, 10).filter(({ ok }) => !ok);
}

function assertOne(
  found: readonly Finding[],
  check: Finding['check'],
  message: RegExp,
  names: readonly string[],
): void {
  assert.deepEqual(
    found.map((each) => [each.check, each.concerns.map(({ name }) => name)]),
    [[check, names]],
  );
  assert.match(found[0].message, message);
}

describe('findings', () => {
  it('suggest tempering if each chain has converged on its own, but the chains do not agree', () => {
    const rng = createRng(1, 1);
    const chainAt = (center: number, drift = 0) =>
      Float64Array.from({ length: 400 }, (_, draw) => center + (drift * draw) / 400 + rng.normal());
    const found = (chains: readonly Float64Array[]) => problems([{ name: 'x', ...judge(chains) }]);
    const [modes] = found([chainAt(0), chainAt(8), chainAt(0)]);
    assert.match(modes.message, /converged for one quantity, x, but to different values: .* the function tempered/);
    assert.equal(summarize([chainAt(0), chainAt(8)]).isSeparated, true);
    for (const chains of [
      [chainAt(0, 8), chainAt(3, 8)],
      [chainAt(0), chainAt(0)],
    ])
      assert.ok(found(chains).every(({ message }) => !message.includes('tempered')));
  });

  it('report no problems for good draws or constant quantities', () => {
    const nothing = { rhat: Number.NaN, essBulk: Number.NaN, essTail: Number.NaN };
    assert.deepEqual(problems([GOOD, { ...GOOD, ...nothing, name: 'Omega.1.1', variation: 'none' }]), []);
  });

  it('report that there are no draws, or too few to check', () => {
    const ofDraws = (draws: number) => problems([GOOD], [{ ...CHAIN, draws }]);
    assertOne(ofDraws(0), 'draws', /no draws after warmup, so the draws cannot be checked/, []);
    assertOne(
      problems([GOOD], [CHAIN, { ...CHAIN, draws: 0 }]),
      'draws',
      /no draws after warmup, so the draws cannot be checked/,
      [],
    );
    assertOne(ofDraws(1), 'draws', /There is one draw per chain, too few to check/, []);
    assertOne(ofDraws(5), 'draws', /There are 5 draws per chain, too few to check.*at least 6/, []);
    assert.deepEqual(ofDraws(6), []);
  });

  it('report quantities that cannot be checked, with the reason', () => {
    const unjudged = { rhat: Number.NaN, essBulk: 2.02, essTail: Number.NaN, name: 'y' };
    const stuck: Convergence = { ...unjudged, variation: 'between chains' };
    assertOne(
      problems([GOOD, stuck]),
      'draws',
      /one quantity, y, are equal, but they differ between chains: the sampler does not move/,
      ['y'],
    );
    const broken: Convergence = { ...unjudged, variation: 'not finite' };
    assertOne(problems([GOOD, broken]), 'draws', /one quantity, y, are NaN or infinite/, ['y']);
    const constant: Convergence = { ...unjudged, variation: 'none' };
    const all = { ...constant, name: 'lp__' };
    assertOne(problems([all, constant]), 'draws', /All draws are equal.*does not move/, ['lp__', 'y']);
    const [chosen] = findings([{ chain: 1, draws: 100 }], [constant], undefined);
    assert.deepEqual([chosen.ok, chosen.check], [true, 'draws']);
    assert.match(chosen.message, /nothing to check/);
  });

  it('report an infinite R-hat, values just beyond their limits, and a low bulk sample size where the tail has none', () => {
    assertOne(problems([{ ...GOOD, rhat: Number.POSITIVE_INFINITY }]), 'rhat', /above 1\.01 for .*x \(Infinity\)/, [
      'x',
    ]);
    assertOne(problems([{ ...GOOD, rhat: 1.01041 }]), 'rhat', /above 1\.01 for .*x \(1\.0104\)/, ['x']);
    assertOne(problems([{ ...GOOD, essBulk: 199.96 }]), 'ess', /below 200.* x \(199\.96\)/, ['x']);
    const balanced = findings([CHAIN], [GOOD, { ...GOOD, name: 'w', rhat: Number.NaN }], 10).find(
      ({ check }) => check === 'rhat',
    );
    assert.match(balanced?.message ?? '', /satisfactory.*undefined for one quantity, w/);
    assert.equal(balanced?.ok, true);
    const binary = { ...GOOD, name: 'z', essTail: Number.NaN };
    assertOne(problems([{ ...binary, essBulk: 10 }]), 'ess', /below 200.* z \(10\)/, ['z']);
    const ess = findings([CHAIN], [GOOD, binary], 10).find(({ check }) => check === 'ess');
    assert.match(ess?.message ?? '', /satisfactory.*For one quantity, z, only the bulk was checked/);
    assert.equal(ess?.ok, true);
  });

  it('report an E-BFMI that is low or cannot be computed', () => {
    const sampler = [
      CHAIN,
      { ...CHAIN, chain: 2, energyFraction: Number.NaN },
      { ...CHAIN, chain: 3, energyFraction: 0.1 },
    ];
    const message = /cannot be computed for chain 2:.* below 0\.3 in chain 3 \(0\.1\)/;
    assertOne(problems([GOOD], sampler), 'energy', message, ['chain 2', 'chain 3']);
  });

  it('print percentages without exponents', () => {
    const share = (divergences: number, draws: number) =>
      / \(([^)]*)\) diverged/.exec(problems([GOOD], [{ ...CHAIN, divergences, draws }])[0].message)?.[1];
    assert.deepEqual(
      [share(1000, 1000), share(999, 1000), share(1, 3), share(1, 4000)],
      ['100 %', '99.9 %', '33.3 %', '0.025 %'],
    );
  });
});
