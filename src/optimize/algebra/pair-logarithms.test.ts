import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Builder, Names } from '../../ir/builder.js';
import {
  and,
  apply,
  call1,
  compare,
  div,
  exp,
  get,
  int,
  load,
  log,
  log1p,
  mul,
  neg,
  ONE,
  real,
  select,
  sub,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { pairLogarithms } from './pair-logarithms.js';

type Write = (b: Builder, u: Expr, v: Expr) => void;

function after(write: Write): string {
  const names = new Names();
  const b = new Builder(names);
  const data = b.newRef('real', 1, 'd', 'global');
  const block = pairLogarithms(
    names,
    b.capture(() => write(b, load(data, int(0)), load(data, int(1)))),
  );
  verify(block);
  return printBlock(block);
}

const invLogit = (u: Expr): Expr => call1('inv_logit', u);
const phi = (u: Expr): Expr => call1('Phi', u);
const expm1 = (u: Expr): Expr => call1('expm1', u);
const log1mExp = (u: Expr): Expr => call1('log1m_exp', u);
const log1m = (p: Expr): Expr => log1p(neg(p));
const cloglog = (u: Expr): Expr => neg(expm1(neg(exp(select(compare('gt', u, real(700)), real(700), u)))));
const oneLess = (p: Expr): Expr => sub(ONE, p);

const BOUNDED_EXP = 'exp(select(d[0] < -700.0, -700.0, select(d[0] > 709.7, 709.7, d[0])))';
const LOG_CLOGLOG = `select(d[0] < -40.0, d[0], log1m_exp(-${BOUNDED_EXP}))`;

/** An expression in u and v, d[0] and d[1], and the same expression after the pass. */
const RULES: readonly (readonly [name: string, e: (u: Expr, v: Expr) => Expr, expected: string])[] = [
  ['log(inv_logit(u))', (u) => log(invLogit(u)), 'log_inv_logit(d[0])'],
  ['log1m(inv_logit(u))', (u) => log1m(invLogit(u)), 'log_inv_logit(-d[0])'],
  ['log(1 - inv_logit(u))', (u) => log(oneLess(invLogit(u))), 'log_inv_logit(-d[0])'],
  ['log1m(1 - inv_logit(u))', (u) => log1m(oneLess(invLogit(u))), 'log_inv_logit(d[0])'],
  ['log(1 / (1 + exp(-u)))', (u) => log(div(ONE, apply('add', 'real', ONE, exp(neg(u))))), 'log_inv_logit(d[0])'],
  ['log(Phi(u))', (u) => log(phi(u)), 'log_Phi(d[0])'],
  ['log1m(Phi(u))', (u) => log1m(phi(u)), 'log_Phi(-d[0])'],
  ['log(inv_cloglog(u))', (u) => log(cloglog(u)), LOG_CLOGLOG],
  ['log1m(inv_cloglog(u))', (u) => log1m(cloglog(u)), '-exp(d[0])'],
  ['log(exp(-exp(u)))', (u) => log(exp(neg(exp(u)))), '-exp(d[0])'],
  ['log1m(exp(-exp(u)))', (u) => log1m(exp(neg(exp(u)))), LOG_CLOGLOG],
  ['log(exp(u))', (u) => log(exp(u)), 'd[0]'],
  ['log1m(exp(u))', (u) => log1m(exp(u)), 'log1m_exp(d[0])'],
  ['log(1 - exp(u))', (u) => log(oneLess(exp(u))), 'log1m_exp(d[0])'],
  ['log(-expm1(u))', (u) => log(neg(expm1(u))), 'log1m_exp(d[0])'],
  ['log1p(expm1(u))', (u) => log1p(expm1(u)), 'd[0]'],
  ['log(exp(log_inv_logit(u)))', (u) => log(exp(call1('log_inv_logit', u))), 'log_inv_logit(d[0])'],
  ['log1m_exp(log_inv_logit(u))', (u) => log1mExp(call1('log_inv_logit', u)), 'log_inv_logit(-d[0])'],
  ['log1m_exp(-log1p_exp(u))', (u) => log1mExp(neg(call1('log1p_exp', u))), 'log_inv_logit(d[0])'],
  ['log1m_exp(log_Phi(u))', (u) => log1mExp(call1('log_Phi', u)), 'log_Phi(-d[0])'],
  ['log1m_exp(-exp(u))', (u) => log1mExp(neg(exp(u))), LOG_CLOGLOG],
  ['log1m_exp(log1m_exp(u))', (u) => log1mExp(log1mExp(u)), 'd[0]'],
  ['log1m_exp(log(Phi(u)))', (u) => log1mExp(log(phi(u))), 'log_Phi(-d[0])'],
  ['log_diff_exp(0, log_Phi(u))', (u) => apply('log_diff_exp', 'real', ZERO, call1('log_Phi', u)), 'log_Phi(-d[0])'],
  ['logit(inv_logit(u))', (u) => log(div(invLogit(u), oneLess(invLogit(u)))), 'd[0]'],
  ['logit(Phi(u))', (u) => log(div(phi(u), oneLess(phi(u)))), 'log_Phi(d[0]) - log_Phi(-d[0])'],
  ['log(Phi(u) - Phi(v))', (u, v) => log(sub(phi(u), phi(v))), 'log_Phi_between(d[1], d[0])'],
  [
    'log(inv_logit(u) - inv_logit(v))',
    (u, v) => log(sub(invLogit(u), invLogit(v))),
    '(log_inv_logit(d[0]) - log1p_exp(d[1])) + log1m_exp(d[1] - d[0])',
  ],
  [
    'log_diff_exp(log_Phi(-u), log_Phi(-v))',
    (u, v) => apply('log_diff_exp', 'real', call1('log_Phi', neg(u)), call1('log_Phi', neg(v))),
    'log_Phi_between(-d[1], -d[0])',
  ],
  ['log of a difference of exponentials', (u, v) => log(sub(exp(u), exp(v))), 'log_diff_exp(d[0], d[1])'],
  ['log of a difference of complements', (u, v) => log(sub(neg(expm1(u)), neg(expm1(v)))), 'log_diff_exp(d[1], d[0])'],
  [
    'log(inv_cloglog(u) - inv_cloglog(v))',
    (u, v) => apply('log_diff_exp', 'real', log(cloglog(u)), log(cloglog(v))),
    'log_diff_exp(-exp(d[1]), -exp(d[0]))',
  ],
  [
    'lmultiply(v, inv_logit(u))',
    (u, v) => apply('lmultiply', 'real', v, invLogit(u)),
    'select(d[1] == 0.0, 0.0, d[1] * log_inv_logit(d[0]))',
  ],
  [
    'log of one probability or the other',
    (u, v) => log(select(compare('gt', v, ZERO), invLogit(u), oneLess(invLogit(u)))),
    'log_inv_logit(select(d[1] > 0.0, d[0], -d[0]))',
  ],
  [
    'log of a probability or 1',
    (u, v) => log(select(compare('gt', v, ZERO), ONE, phi(u))),
    'select(d[1] > 0.0, 0.0, log_Phi(d[0]))',
  ],
  [
    'log of what has an infinite derivative elsewhere',
    (u, v) => log1m(select(compare('gt', v, ZERO), ZERO, cloglog(u))),
    `select(d[1] > 0.0, 0.0, select(d[0] > 709.7, -Infinity, -${BOUNDED_EXP}))`,
  ],
];

describe('logarithms of probabilities', () => {
  for (const [name, e, expected] of RULES) {
    it(name, () =>
      assert.equal(
        after((b, u, v) => b.target(e(u, v))),
        `target += ${expected}`,
      ),
    );
  }

  it('remain if nothing is known about the number', () => {
    const write: Write = (b, u, v) => {
      b.target(log(u));
      b.target(log1p(mul(u, v)));
      b.target(log(select(compare('gt', v, ZERO), u, v)));
      b.target(log(div(u, oneLess(u))));
    };
    const names = new Names();
    const b = new Builder(names);
    const d = b.newRef('real', 1, 'd', 'global');
    const block = b.capture(() => write(b, load(d, int(0)), load(d, int(1))));
    assert.equal(printBlock(pairLogarithms(names, block)), printBlock(block));
  });
});

describe('arguments next to variables', () => {
  const container = (b: Builder): Ref => {
    const p = b.newRef('real', 1, 'p');
    b.allocateRef(p, [int(4)], 'uninitialized');
    return p;
  };

  it('are written wherever the variable is, if a logarithm needs them', () => {
    const text = after((b, u) => {
      const p = container(b);
      b.for(int(0), int(4), (i) => b.store(p, i, phi(mul(real(2), u))));
      b.target(log1m(load(p, int(3))));
      b.target(load(p, int(2)));
    });
    assert.equal(
      text,
      [
        'allocate real p[4] uninitialized',
        'allocate real p.2[4] uninitialized',
        'for i in 0 .. 4 {',
        '  u = 2.0 * d[0]',
        '  p[i] = Phi(u)',
        '  p.2[i] = u',
        '}',
        'target += log_Phi(-p.2[3])',
        'target += p[2]',
      ].join('\n'),
    );
  });

  it('are read before their operands are written', () => {
    const text = after((b, u) => {
      const p = b.newLocal('real', 'p');
      b.assign(p, invLogit(u));
      b.assign(p, invLogit(sub(u, log(get(p)))));
      b.target(log(get(p)));
    });
    assert.equal(
      text,
      [
        'u = d[0]',
        'p = inv_logit(u)',
        'p.2 = u',
        'u.2 = d[0] - log_inv_logit(p.2)',
        'p = inv_logit(u.2)',
        'p.2 = u.2',
        'target += log_inv_logit(p.2)',
      ].join('\n'),
    );
  });

  const REFUSED: readonly (readonly [name: string, write: Write])[] = [
    [
      'different functions are written to the variable',
      (b, u) => {
        const p = container(b);
        b.store(p, int(0), phi(u));
        b.store(p, int(1), invLogit(u));
        b.target(log(load(p, int(0))));
      },
    ],
    [
      'a number of which nothing is known is written to it',
      (b, u, v) => {
        const p = container(b);
        b.store(p, int(0), phi(u));
        b.store(p, int(1), v);
        b.target(log(load(p, int(0))));
      },
    ],
    [
      'a constant other than 0 and 1 is written to it',
      (b, u) => {
        const p = b.newLocal('real', 'p');
        b.assign(p, real(0.5));
        b.assign(p, phi(u));
        b.target(log(get(p)));
      },
    ],
    [
      'a copy of such a variable is written to it',
      (b, u) => {
        const [p, q] = [b.newLocal('real', 'p'), b.newLocal('real', 'q')];
        b.assign(q, real(0.5));
        b.assign(p, phi(u));
        b.assign(p, get(q));
        b.target(log(get(p)));
      },
    ],
    [
      'it starts at zeros',
      (b, u) => {
        const p = b.newRef('real', 1, 'p');
        b.allocateRef(p, [int(4)], 'zero');
        b.store(p, int(0), phi(u));
        b.target(log(load(p, int(0))));
      },
    ],
    [
      'it is there before the block',
      (b, u) => {
        const p = b.newRef('real', 1, 'p', 'global');
        b.store(p, int(0), phi(u));
        b.target(log(load(p, int(0))));
      },
    ],
  ];
  for (const [name, write] of REFUSED) {
    it(`do not exist if ${name}`, () => assert.match(after(write), /target \+= log\(p/));
  }
});

describe('checks of probabilities', () => {
  const inside = (p: Expr): Expr => and(compare('ge', p, ZERO), compare('le', p, ONE));

  it('check and print the argument if a logarithm needs it', () => {
    const write = (b: Builder, u: Expr, uses: boolean): void => {
      const p = b.newLocal('real', 'p');
      b.assign(p, phi(u));
      b.check(inside(get(p)), 'p is {0}', [get(p)]);
      b.target(uses ? log(get(p)) : log(u));
    };
    assert.match(
      after((b, u) => write(b, u, true)),
      /check p\.2 == p\.2 else "p is \{0\}", p\.2/,
    );
    assert.match(
      after((b, u) => write(b, u, false)),
      /check \(p >= 0\.0\) && \(p <= 1\.0\)/,
    );
  });

  it('remain for values that may be above 1', () => {
    const text = after((b, u) => {
      b.check(inside(exp(u)), 'p is {0}', [exp(u)]);
      b.target(log1m(exp(u)));
    });
    assert.match(text, /check \(exp\(d\[0\]\) >= 0\.0\) && \(exp\(d\[0\]\) <= 1\.0\)/);
  });
});
