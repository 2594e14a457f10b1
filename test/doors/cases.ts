/**
 * Properties of stopping rules, continued fits and warm starts that hold at every entry point. Draws must equal those of the library bit by bit, so
 * each run depends only on its request, and not on the entry point, the number of threads or the process that runs a block.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { standardDeviation } from '../../src/inference/diagnostics/moments.js';
import { summarize } from '../../src/inference/diagnostics/summary.js';
import {
  type CalibrationRequest,
  type Door,
  type DoorCalibration,
  type DoorFit,
  EDITED,
  PROGRAM,
  type SampleRequest,
  type Session,
  SLICED,
} from './door.js';
import { libraryDoor } from './library.js';

type Fits = Readonly<Record<string, DoorFit>>;
type Sample = <Fit extends DoorFit>(session: Session<Fit>) => Promise<Readonly<Record<string, Fit>>>;

/** How much of the properties to test: slow tests use the main path at doors whose runs are expensive, long tests everything. */
export type Extent = 'main path' | 'all';

interface Case {
  readonly name: string;
  /** Whether it only repeats another case with other arguments: it is not part of the main path. */
  readonly isVariant?: boolean;
  readonly runs: Sample;
  /** Requirements on the fits, in addition to equality with those of the library. */
  check(fits: Fits): void;
}

/** The draws of each chain, for several fits in sequence. */
function drawsOf(...fits: readonly DoorFit[]): (readonly (readonly number[])[])[] {
  return fits[0].chains.map((_, index) => fits.flatMap((fit) => fit.chains[index]?.draws ?? []));
}

type Draws = ReturnType<typeof drawsOf>;

/** The same posterior. An evaluation takes long enough for a run to be cancelled. */
const SLOW = PROGRAM.replace('model {', 'model { for (n in 1:1000) target += 0 * sin(n * mu);');

/** Compares draws bit by bit; reports the first that differs. */
function assertEqual(found: Draws, wanted: Draws, label: string): void {
  const lines = (draws: Draws) =>
    draws.flatMap((chain, index) => chain.map((row, draw) => `${label}, chain ${index}, draw ${draw}: ${row.join()}`));
  const [ours, theirs] = [lines(found), lines(wanted)];
  const place = ours.findIndex((line, index) => line !== theirs[index]);
  if (place >= 0) assert.equal(ours[place], theirs[place]);
  assert.equal(ours.length, theirs.length, `draws of ${label}`);
}

function iterationsOf({ chains }: DoorFit): number {
  const [, found] = /^Stopped after (\d+) iterations: /.exec(chains[0]?.lastLine ?? '') ?? [];
  return Number(found);
}

const stopping: readonly Case[] = [
  {
    name: 'stops when all quantities are precise, with the draws of the run of that length',
    runs: async ({ sample }) => {
      const request = { num_samples: 100, random_seed: 3, num_thin: 2, stepsize_jitter: 0.3, save_warmup: true };
      const until = await sample({ ...request, until: { ess_bulk: 300, rhat: 1.05 } });
      return { until, whole: await sample({ ...request, num_samples: iterationsOf(until) }) };
    },
    check: ({ until, whole }) => {
      const iterations = iterationsOf(until);
      assert.ok(iterations > 100 && iterations % 100 === 0, `${iterations}`);
      for (const { lastLine } of until.chains)
        assert.equal(lastLine, `Stopped after ${iterations} iterations: the draws are as precise as required.`);
      assert.equal(until.chains[0]?.draws.length, iterations / 2);
      assertEqual(drawsOf(until), drawsOf(whole), 'the longer run');
    },
  },
  {
    name: 'ends at max_iterations with what is missing, and can be continued',
    runs: async ({ sample }) => {
      const limits = { ess_bulk: 1e6, max_iterations: 250, quantities: ['theta[2]'] };
      const until = await sample({ num_samples: 100, until: limits });
      const rest = await sample({ num_samples: 50, continue: until });
      return { until, rest, whole: await sample({ num_samples: 300 }) };
    },
    check: ({ until, rest, whole }) => {
      assert.match(
        until.chains[1]?.lastLine ?? '',
        /^Stopped after 250 iterations: max_iterations is reached\. ess_bulk of theta\[2\] is [\d.]+; it must be at least 1000000\.$/,
      );
      assertEqual(drawsOf(until, rest), drawsOf(whole), 'the longer run');
    },
  },
  {
    name: 'stops with a single chain, a low-rank metric and tail sizes',
    isVariant: true,
    runs: async ({ sample }) => ({
      until: await sample({
        metric: 'low_rank',
        num_chains: 1,
        num_samples: 50,
        until: { ess_tail: 100, quantities: ['z'] },
      }),
    }),
    check: ({ until }) => assert.ok(iterationsOf(until) > 50),
  },
  {
    name: 'stops when Monte Carlo errors of a quantity are small enough',
    isVariant: true,
    runs: async ({ sample }) => {
      const until = await sample({ num_samples: 50, until: { mcse_mean: 0.1, mcse_sd: 0.09, quantities: ['mu'] } });
      const short = await sample({ num_samples: iterationsOf(until) - 50 });
      return { until, short, whole: await sample({ num_samples: iterationsOf(until) }) };
    },
    check: ({ until, short, whole }) => {
      const errors = ({ chains, columns }: DoorFit) => {
        const place = columns.indexOf('mu');
        const draws = chains.map((chain) => Float64Array.from(chain.draws, (row) => row[place] ?? Number.NaN));
        return summarize(draws);
      };
      const [kept, missed] = [errors(whole), errors(short)];
      assert.ok(kept.mcseMean <= 0.1 && kept.mcseSd <= 0.09, `${kept.mcseMean} ${kept.mcseSd}`);
      assert.ok(missed.mcseMean > 0.1 || missed.mcseSd > 0.09, `${missed.mcseMean} ${missed.mcseSd}`);
      assertEqual(drawsOf(until), drawsOf(whole), 'the longer run');
    },
  },
  {
    name: 'stops a warm start',
    runs: async ({ sample }) => {
      const first = await sample({});
      return { until: await sample({ warm_start: first, num_warmup: 50, num_samples: 60, until: { rhat: 1.02 } }) };
    },
    check: ({ until }) => assert.ok(iterationsOf(until) > 60),
  },
];

const PROFILED_PROGRAM = `data {
  int N;
  vector[N] y;
}
parameters {
  real a;
  real<lower=0> b;
}
transformed parameters {
  vector[N] s;
  s[1] = b;
  for (n in 2:N) {
    s[n] = sqrt(a^2 + b * square(s[n - 1]));
  }
}
model {
  a ~ normal(0, 1);
  y ~ normal(a, s);
  for (n in 1:N) target += -0.01 * n;
}
`;

/** For each statement its line, executions and cost. */
const PROFILED_STATEMENTS: readonly (readonly [number, number, string | null])[] = [
  [6, 1, null],
  [7, 1, null],
  [10, 1, null],
  [11, 1, null],
  [13, 49, null],
  [17, 1, 'once'],
  [18, 50, 'rows'],
  [19, 0, 'data'],
];

const continuing: readonly Case[] = [
  ...(['unit_e', 'diag_e', 'dense_e', 'low_rank'] as const).map(
    (metric): Case => ({
      name: `continues a fit with the metric ${metric} twice, with bit-identical draws`,
      isVariant: metric !== 'low_rank',
      runs: async ({ sample }) => {
        const first = await sample({ metric });
        const second = await sample({ metric, num_samples: 30, random_seed: 9, num_warmup: 0, continue: first });
        const third = await sample({ metric, num_samples: 20, continue: second });
        return { first, second, third, whole: await sample({ metric, num_samples: 90 }) };
      },
      check: ({ first, second, third, whole }) =>
        assertEqual(drawsOf(first, second, third), drawsOf(whole), 'the longer run'),
    }),
  ),
  {
    name: 'thins and jitters a continued fit as the longer run does',
    runs: async ({ sample }) => {
      const request = { num_thin: 3, stepsize_jitter: 0.5 };
      const first = await sample({ ...request, num_samples: 20 });
      const rest = await sample({ ...request, num_samples: 30, continue: first });
      return { first, rest, whole: await sample({ ...request, num_samples: 50 }) };
    },
    check: ({ first, rest, whole }) => assertEqual(drawsOf(first, rest), drawsOf(whole), 'the longer run'),
  },
];

const starting: readonly Case[] = (['unit_e', 'diag_e', 'dense_e', 'low_rank'] as const).map(
  (metric): Case => ({
    name: `starts warm with the metric ${metric}, in the same program and in an edited one with more data`,
    isVariant: metric !== 'low_rank',
    runs: async ({ sample }) => {
      const first = await sample({ metric });
      const again = await sample({ metric, num_warmup: 0, random_seed: 7, warm_start: first });
      const data = { N: 4, y: [1, 2, 4, 3] };
      const edited = { program: EDITED, data, metric, num_warmup: 50, random_seed: 2, warm_start: first };
      return { first, again, edited: await sample(edited) };
    },
    check: ({ again, first }) => {
      const place = first.columns.indexOf('stepsize__');
      for (const [index, { draws }] of again.chains.entries())
        assert.equal(draws[0]?.[place], first.chains[index]?.draws[0]?.[place]);
    },
  }),
);

const reparameterizing: readonly Case[] = (['diag_e', 'dense_e', 'low_rank'] as const).map(
  (metric): Case => ({
    name: `learns coordinates with the metric ${metric}, stops, continues and starts warm`,
    // The recommended sampler learns coordinates and a low-rank metric.
    isVariant: true,
    runs: async ({ sample }) => {
      const request = { metric, reparameterize: 'auto' } as const;
      const first = await sample(request);
      const rest = await sample({ ...request, num_samples: 30, continue: first });
      const until = await sample({ ...request, num_samples: 10, until: { rhat: 1.001, max_iterations: 70 } });
      const again = await sample({ ...request, num_warmup: 0, random_seed: 7, warm_start: first });
      const written = await sample({ metric, num_warmup: 50, warm_start: first });
      return { first, rest, until, again, written, whole: await sample({ ...request, num_samples: 70 }) };
    },
    check: ({ again, first, rest, until, whole }) => {
      assertEqual(drawsOf(first, rest), drawsOf(whole), 'the longer run');
      assertEqual(drawsOf(until), drawsOf(whole), 'the run in blocks');
      const place = first.columns.indexOf('stepsize__');
      for (const [index, { draws }] of again.chains.entries())
        assert.equal(draws[0]?.[place], first.chains[index]?.draws[0]?.[place]);
    },
  }),
);

const recommended: Case = {
  name: 'runs the recommended sampler, which learns coordinates and a low-rank metric, stops and continues',
  runs: async ({ sample }) => {
    const request = { algorithm: 'recommended' } as const;
    const first = await sample(request);
    const rest = await sample({ ...request, num_samples: 30, continue: first });
    const until = await sample({ ...request, num_samples: 10, until: { rhat: 1.001, max_iterations: 70 } });
    const lowRank = await sample({ metric: 'low_rank', reparameterize: 'auto' });
    return { first, rest, until, lowRank, whole: await sample({ ...request, num_samples: 70 }) };
  },
  check: ({ first, lowRank, rest, until, whole }) => {
    assertEqual(drawsOf(first, rest), drawsOf(whole), 'the longer run');
    assertEqual(drawsOf(until), drawsOf(whole), 'the run in blocks');
    assert.notDeepEqual(drawsOf(first), drawsOf(lowRank));
  },
};

const integrating: Case = {
  name: 'integrates parameters out, stops, continues and starts warm',
  runs: async ({ sample }) => {
    const request = { integrate: 'auto' } as const;
    const first = await sample(request);
    const rest = await sample({ ...request, num_samples: 30, continue: first });
    const until = await sample({ ...request, num_samples: 10, until: { rhat: 1.001, max_iterations: 70 } });
    const again = await sample({ ...request, num_warmup: 0, random_seed: 7, warm_start: first });
    const written = await sample({ num_warmup: 50, warm_start: first });
    return { first, rest, until, again, written, whole: await sample({ ...request, num_samples: 70 }) };
  },
  check: ({ again, first, rest, until, whole, written }) => {
    assertEqual(drawsOf(first, rest), drawsOf(whole), 'the longer run');
    assertEqual(drawsOf(until), drawsOf(whole), 'the run in blocks');
    assert.deepEqual(first.columns, written.columns);
    const place = first.columns.indexOf('stepsize__');
    for (const [index, { draws }] of again.chains.entries())
      assert.equal(draws[0]?.[place], first.chains[index]?.draws[0]?.[place]);
  },
};

const NOT_CALIBRATED = PROGRAM.replace(
  'y ~ normal(theta, 0.5)',
  'target += normal_lpdf(y | theta, 0.5) + std_normal_lpdf(mu)',
);

const ofPriors: readonly Case[] = [
  {
    name: 'draws from the prior, continues and stops',
    runs: async ({ sample }) => {
      const request = { prior: true, num_samples: 200 } as const;
      const first = await sample(request);
      const rest = await sample({ ...request, num_samples: 100, continue: first });
      const until = await sample({ ...request, num_samples: 100, until: { rhat: 1.0001, max_iterations: 300 } });
      const learned = await sample({ ...request, num_samples: 300, reparameterize: 'auto' });
      return { first, rest, until, learned, whole: await sample({ ...request, num_samples: 300 }) };
    },
    check: ({ first, learned, rest, until, whole }) => {
      assertEqual(drawsOf(first, rest), drawsOf(whole), 'the longer run');
      assertEqual(drawsOf(until), drawsOf(whole), 'the run in blocks');
      for (const fit of [whole, learned]) {
        const place = fit.columns.indexOf('mu');
        const mu = Float64Array.from(drawsOf(fit).flat(), (row) => row[place] ?? Number.NaN);
        assert.ok(Math.abs(standardDeviation(mu) - 5) < 1.5, `${standardDeviation(mu)}`);
      }
    },
  },
];

/** Calibrations that no door runs. */
const uncalibrated: readonly { readonly request: CalibrationRequest; readonly message: RegExp }[] = [
  { request: { simulations: 9 }, message: /simulations must be an integer from 10 to 10000/ },
  { request: { program: NOT_CALIBRATED }, message: /densities of data and densities of parameters/ },
];

const WITH_TERMS = PROGRAM.replace(
  'generated quantities {',
  'generated quantities { vector[N] log_lik; for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | theta[n], 0.5);',
);

/** A program with two outcomes of one element each. */
const PAIRED = `data { real y; real z; }
parameters { real mu; }
model { mu ~ std_normal(); y ~ normal(mu, 1); z ~ normal(mu, 1); }
`;

type ObservedRequest = Pick<SampleRequest<never>, 'program' | 'data'>;

/** Pairs of fits of different observations, which no door compares. */
const incomparable: readonly {
  readonly fits: readonly [ObservedRequest, ObservedRequest];
  readonly message: RegExp;
}[] = [
  {
    fits: [{}, { data: { N: 4, y: [1, 2, 4, 3] } }],
    message: /has 3 observations, and .* has 4\. A comparison requires the same observations/,
  },
  {
    fits: [{}, { data: { N: 3, y: [1, 4, 2] } }],
    message:
      /Number 2 of y is 2 in .*, and 4 in .*\. A comparison requires the same values of the outcomes in the same order/,
  },
  {
    fits: [{}, { program: WITH_TERMS, data: { N: 3, y: [1, 2, 4.5] } }],
    message: /Number 3 of y is 4 in .*, and 4\.5 in /,
  },
  {
    fits: [{}, { program: PROGRAM.replaceAll(/\by\b/g, 'w'), data: { N: 3, w: [1, 2, 4] } }],
    message: / predicts y, and .* predicts w\. A comparison requires the same outcomes/,
  },
  {
    fits: [
      { program: PAIRED, data: { y: 1, z: 2 } },
      { program: PAIRED.replaceAll(/(y|z) ~/g, (_, name) => `${name === 'y' ? 'z' : 'y'} ~`), data: { y: 1, z: 2 } },
    ],
    message: /Observation 1 is y in .*, and z in .*\. A comparison requires the same observations in the same order/,
  },
];

/** Requests that no door runs. */
const refused: readonly { readonly request: SampleRequest<never>; readonly message: RegExp }[] = [
  { request: { until: { ess_bulk: 0 } }, message: /ess_bulk must be a number above 0/ },
  { request: { until: { rhat: 1 } }, message: /rhat must be a number above 1/ },
  { request: { until: { max_iterations: 100 } }, message: /must have at least one of ess_bulk, ess_tail, rhat/ },
  { request: { until: { rhat: 1.1, max_iterations: 39 } }, message: /max_iterations must be an integer from 40/ },
  { request: { until: { rhat: 1.1, quantities: ['nu'] } }, message: /quantities names nu, which draws do not have/ },
  {
    request: { until: { rhat: 1.1, quantities: ['theta[9]'] } },
    message: /quantities matches no column of the draws: theta\[9\]/,
  },
  { request: { until: { rhat: 1.1 }, num_thin: 3 }, message: /must be a positive multiple of num_thin with until/ },
];

/** Refused requests that name an earlier fit. */
const refusedWithFit: readonly { readonly request: SampleRequest<never>; readonly message: RegExp }[] = [
  { request: { until: { rhat: 1.1 } }, message: /cannot be combined with continue/ },
  { request: { data: { N: 3, y: [1, 2, 5] } }, message: /log density at its last position differs/ },
  { request: { data: { N: 2, y: [1, 2] } }, message: /has other parameters/ },
  { request: { metric: 'dense_e' }, message: /has the metric diag_e, not dense_e/ },
  { request: { max_depth: 9 }, message: /has max_depth 10/ },
  { request: { reparameterize: 'auto' }, message: /has reparameterize none, which must be the same here/ },
];

const dividing: readonly Case[] = [
  {
    name: 'has the same draws on any number of threads',
    runs: async ({ sample }) => {
      const request = { ...SLICED, num_chains: 1, num_warmup: 20, num_samples: 10, max_depth: 4 };
      return {
        whole: await sample(request),
        one: await sample({ ...request, threads_per_chain: 1 }),
        two: await sample({ ...request, threads_per_chain: 2 }),
        three: await sample({ ...request, threads_per_chain: 3 }),
      };
    },
    check: ({ one, three, two, whole }) => {
      assertEqual(drawsOf(two), drawsOf(one), 'one thread');
      assertEqual(drawsOf(three), drawsOf(one), 'one thread');
      // The order of the sum shows that the density was in slices.
      assert.notDeepEqual(drawsOf(whole), drawsOf(one));
    },
  },
];

let reference: Promise<Session<DoorFit>> | undefined;
const expected = new Map<Case, Promise<Fits>>();
const calibrations = new Map<string, Promise<DoorCalibration>>();

function referenceSession(): Promise<Session<DoorFit>> {
  reference ??= libraryDoor.open();
  return reference;
}

/** The fits of a case in the library. */
function expectedOf(each: Case): Promise<Fits> {
  const known = expected.get(each) ?? referenceSession().then((session) => each.runs(session));
  expected.set(each, known);
  return known;
}

/** The calibration in the library. */
function expectedCalibration(request: CalibrationRequest): Promise<DoorCalibration> {
  const key = JSON.stringify(request);
  const known = calibrations.get(key) ?? referenceSession().then((session) => session.calibrate(request));
  calibrations.set(key, known);
  return known;
}

/** Tests a door. The main path has one case of those that differ in their arguments only, and the first row of each table. */
export function testDoor<Fit extends DoorFit>({ name, open, skip = false }: Door<Fit>, extent: Extent): void {
  const rowsOf = <Row>(rows: readonly Row[]): readonly Row[] => (extent === 'all' ? rows : rows.slice(0, 1));
  const title = `${name}, ${extent}: runs that stop, continue and start warm`;
  describe(title, { skip }, () => {
    let session: Session<Fit>;
    before(async () => {
      session = await open();
    });
    after(() => session.close());

    const cases = [
      ...[...stopping, ...continuing, ...starting, ...reparameterizing],
      ...[recommended, integrating, ...ofPriors, ...dividing],
    ];
    for (const each of cases.filter(({ isVariant = false }) => extent === 'all' || !isVariant)) {
      it(each.name, async () => {
        const fits = await each.runs(session);
        each.check(fits);
        const others = await expectedOf(each);
        assert.deepEqual(Object.keys(fits), Object.keys(others));
        for (const [label, fit] of Object.entries(fits)) {
          const other = others[label];
          assert.ok(other !== undefined);
          assert.deepEqual(fit.columns, other.columns, label);
          assertEqual(drawsOf(fit), drawsOf(other), label);
        }
      });
    }

    it('calibrates a program, with the same ranks', async () => {
      const requests = rowsOf<CalibrationRequest>([{}, { metric: 'low_rank', simulations: 35, random_seed: 4 }]);
      for (const request of requests) {
        const found = await session.calibrate(request);
        assert.deepEqual(Object.keys(found.ranks), ['theta[1]', 'theta[2]', 'theta[3]', 'mu', 'tau']);
        assert.ok(found.ok, found.message);
        assert.deepEqual(found, await expectedCalibration(request));
      }
    });

    it('continues a cancelled run with bit-identical draws', async (context) => {
      if (session.cancelled === undefined) return context.skip('a run ends with its client');
      const until = { ess_bulk: 1e9, max_iterations: 20_000 };
      const first = await session.sample({ program: SLOW, num_samples: 40 });
      const runs = [
        { block: 50, program: PROGRAM, request: { num_samples: 50, until }, before: [] },
        { block: 1000, program: SLOW, request: { num_samples: 10_000 }, before: [] },
        { block: 1000, program: SLOW, request: { num_samples: 10_000, continue: first }, before: [first] },
      ];
      for (const { before, block, program, request } of runs) {
        const kept = await session.cancelled({ program, ...request });
        const iterations = iterationsOf(kept);
        assert.ok(iterations >= block && iterations % block === 0 && iterations < 20_000, `${iterations}`);
        assert.equal(kept.chains[0]?.draws.length, iterations);
        const rest = await session.sample({ program, num_samples: 30, continue: kept });
        const num_samples = 40 * before.length + iterations + 30;
        const whole = await (await referenceSession()).sample({ program, num_samples });
        assertEqual(drawsOf(...before, kept, rest), drawsOf(whole), 'the longer run');
      }
    });

    it('refuses calibrations of unsuitable programs and sizes', async () => {
      for (const { message, request } of uncalibrated) assert.match(await session.calibrationRefusal(request), message);
    });

    it('cross-validates with moment matching, with the same estimates', async () => {
      const request = { num_samples: 100 };
      const found = await session.matched(await session.sample(request));
      const library = await referenceSession();
      const wanted = await library.matched(await library.sample(request));
      assert.deepEqual(found, wanted);
      assert.deepEqual(
        found.map(({ name }) => name),
        ['y[1]', 'y[2]', 'y[3]'],
      );
    });

    it('cross-validates by refits, with the same estimates', async () => {
      const library = await referenceSession();
      const found = await session.refitted(3);
      assert.deepEqual(found, await library.refitted(3));
      assert.deepEqual(
        found.observations.map(({ name }) => name),
        ['y[1]', 'y[2]', 'y[3]'],
      );
      assert.match(await session.refitRefusal(1), /folds.*2/s);
      const request = { num_samples: 100 };
      const exact = await session.exact(await session.sample(request));
      assert.deepEqual(exact, await library.exact(await library.sample(request)));
      assert.ok(exact.some(({ paretoK }) => paretoK === 0));
    });

    it('compares fits, with the same differences and weights', async () => {
      const compare = async <Own extends DoorFit>(door: Session<Own>) => {
        const { sample } = door;
        const request = { num_samples: 100 };
        const wide = PROGRAM.replace('normal(theta, 0.5)', 'normal(theta, 2)');
        return door.compare({
          usual: { fit: await sample(request) },
          wide: { fit: await sample({ ...request, program: wide }), program: wide },
          terms: { fit: await sample({ ...request, program: WITH_TERMS }), program: WITH_TERMS },
        });
      };
      const found = await compare(session);
      assert.deepEqual(found, await compare(await referenceSession()));
      assert.deepEqual(found.map(({ name }) => name).sort(), ['terms', 'usual', 'wide']);
      assert.equal(found[0]?.difference, 0);
      assert.ok(found.every(({ standardError }, place) => (place === 0 ? standardError === 0 : standardError >= 0)));
    });

    it('refuses to compare fits of different observations', async () => {
      for (const { fits, message } of rowsOf(incomparable)) {
        const [first, other] = fits;
        const sampled = async (request: ObservedRequest) => ({
          ...request,
          fit: await session.sample({ ...request, num_samples: 20 }),
        });
        assert.match(
          await session.comparisonRefusal({ first: await sampled(first), other: await sampled(other) }),
          message,
        );
      }
    });

    it('evaluates the same log density on any number of threads', async (context) => {
      if (session.gradient === undefined) return context.skip('models are not evaluated at points');
      const point = [0.3, -0.2, 0.1];
      const whole = await session.gradient({ point });
      const [one, two, three] = [
        await session.gradient({ point, threads: 1 }),
        await session.gradient({ point, threads: 2 }),
        await session.gradient({ point, threads: 3 }),
      ];
      assert.deepEqual([two, three], [one, one]);
      // The order of the sum shows that the density was in slices.
      assert.notDeepEqual(one, whole);
      for (const [index, each] of one.gradient.entries())
        assert.ok(Math.abs(each - (whole.gradient[index] ?? 0)) < 1e-9 * Math.abs(each), `${each}`);
      assert.deepEqual(one, await (await referenceSession()).gradient?.({ point, threads: 2 }));
      assert.match((await session.gradientRefusal?.({ point, threads: 0 })) ?? '', /threads must be .*1/);
    });

    it('measures the gradient by statement', async () => {
      const found = await session.profile({ program: PROFILED_PROGRAM, data: { N: 50, y: Array(50).fill(1) } });
      assert.deepEqual(
        found.map(({ cost, executions, line }) => [line, executions, cost]),
        PROFILED_STATEMENTS,
      );
      const shares = found.map(({ share }) => share);
      assert.ok(shares.every((share) => share >= 0));
      const total = shares.reduce((sum, share) => sum + share, 0);
      assert.ok(total > 0 && total <= 1 + 1e-9, `${total}`);
      assert.equal((await session.profile({ point: [0, 0, 0, 1, 2] })).length > 0, true);
    });

    it('refuses to measure at unsuitable points and on unsuitable data', async () => {
      assert.match(await session.profileRefusal({ point: [1, 2] }), /position has 2 elements, but the model has 5/);
      assert.match(await session.profileRefusal({ data: { N: 3 } }), /variable does not exist.*variable name=y/);
      assert.match(await session.profileRefusal({ evaluations: 0 }), /evaluations.* must be .*1/s);
      const everywhereInfinite = 'parameters { real x; } model { target += negative_infinity() + x; }';
      assert.match(
        await session.profileRefusal({ program: everywhereInfinite, data: {} }),
        /not finite at any of 100 random points: choose a point/,
      );
    });

    it('refuses rules that cannot decide', async () => {
      for (const { message, request } of rowsOf(refused)) assert.match(await session.refusal(request), message);
    });

    it('refuses to continue a fit of another density, sampler or program', async () => {
      const fit = await session.sample({ num_samples: 5 });
      for (const { message, request } of rowsOf(refusedWithFit))
        assert.match(await session.refusal({ ...request, continue: fit }), message);
    });
  });
}

/** Must be called after all tests. */
export async function closeReference(): Promise<void> {
  const session = await reference;
  await session?.close();
}
