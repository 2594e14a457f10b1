/** Writes the Stan program of a design. */
import type { DesignColumn, Predictor } from './coding.js';
import type { Design, GroupEffects } from './design.js';
import { type Effect, effectsOf } from './effects.js';
import { type Family, hasIdentityLink } from './families.js';
import { completionLines, type Imputation } from './imputation.js';
import { type CenteredColumn, productText, type Summand, summandsOf, summandText, variableOf } from './linear.js';
import { type ModelTerms, termsOf } from './model-terms.js';
import type { Names } from './names.js';
import { literal, roundedTo } from './numerals.js';
import { offsetText } from './offsets.js';
import { type Prior, Priors } from './priors.js';
import { mean, standardDeviation } from './statistics.js';

const TITLES: Readonly<Record<Family, string>> = {
  normal: 'Linear regression',
  student: 'Robust linear regression: errors have a Student t distribution',
  bernoulli: 'Logistic regression',
  cumulative: 'Ordinal regression: cumulative probabilities with a logit link',
  poisson: 'Poisson regression: logarithms of expected counts',
  negbinomial: 'Negative binomial regression: logarithms of expected counts',
};

/** Mean probabilities of the categories of an ordinal outcome. */
const PROBABILITIES = [
  'functions {',
  '  // Mean probability of each category over the rows.',
  '  vector mean_probabilities(vector eta, vector cutpoints) {',
  '    int K = num_elements(cutpoints) + 1;',
  '    vector[K] p = rep_vector(1, K); // first of the category or a lower one',
  '    for (k in 1 : K - 1) {',
  '      p[k] = mean(inv_logit(cutpoints[k] - eta));',
  '    }',
  '    p[2 : K] = p[2 : K] - p[1 : K - 1];',
  '    return p;',
  '  }',
  '}',
];

const CENTERING = [
  'Predictors without their means in the table from which this program was written. The means are',
  'constants, so that the parameters have the same meaning with other rows.',
];

/** Significant digit of a column's standard deviation to which its mean is rounded. */
const MEAN_DIGIT = 4;

/** A parameter with its prior. */
interface Parameter {
  readonly name: string;
  /** The declaration without the name. */
  readonly type: string;
  readonly note: string;
  readonly prior: Prior;
}

/** The program and its terms. `formula` is the text of its first line. */
export function writeProgram(
  design: Design,
  formula: string,
): { readonly program: string; readonly terms: ModelTerms } {
  return new ProgramWriter(design).written(formula);
}

class ProgramWriter {
  readonly #design: Design;
  readonly #priors: Priors;
  readonly #centered: ReadonlyMap<DesignColumn, CenteredColumn>;
  readonly #summands: readonly Summand[];
  /** The summands of the linear predictor as text, without the intercept. */
  readonly #terms: readonly string[];
  readonly #imputed: readonly (Predictor & { readonly imputation: Imputation })[];
  readonly #alpha: string;
  readonly #cutpoints: string;
  readonly #eta: string;

  constructor(design: Design) {
    const { coefficients, family, intercept, names, offsets, outcome } = design;
    this.#design = design;
    this.#priors = new Priors(family, outcome, offsets);
    const centered = intercept ? coefficients.map(({ column }) => column) : [];
    this.#centered = new Map(centered.map((column) => [column, centeredColumn(column, names)]));
    this.#summands = summandsOf(design, this.#centered);
    this.#terms = [...this.#summands.map(summandText), ...design.offsets.map(offsetText)];
    this.#imputed = [...new Set(this.#summands.flatMap(({ predictors }) => predictors))].flatMap((predictor) =>
      predictor.imputation === undefined ? [] : [{ ...predictor, imputation: predictor.imputation }],
    );
    this.#alpha = names.free('alpha', 'alpha_0');
    this.#cutpoints = names.free('cutpoints');
    this.#eta = hasIdentityLink(family) ? names.free('mu') : names.free('eta');
  }

  written(formula: string): { readonly program: string; readonly terms: ModelTerms } {
    const { family, intercept, names, outcome } = this.#design;
    const { missing } = outcome;
    const aux = this.#auxiliary();
    const centered = this.#centering((column) => !isImputed(column));
    const transformedData =
      this.#centered.size === 0
        ? []
        : [
            'transformed data {',
            ...CENTERING.map((line) => `  // ${line}`),
            ...this.#centerConstants(),
            ...centered,
            '}',
          ];
    const parameters = [...this.#location(), ...this.#coefficients()];
    const groups = this.#design.groups.map((group) => ({ group, ...this.#group(group) }));
    const effects = effectsOf(this.#design, this.#summands, this.#eta, (eta) => this.#average(eta));
    const predictor = this.#predictor('  ');
    const likelihood = this.#likelihoods(aux.map(({ name }) => name));
    const generated = this.#generated(effects, names.free('intercept', 'intercept_0'), names.free('thresholds'));
    const lines = [
      `// ${formula}`,
      `// ${TITLES[family]}.`,
      ...(family === 'cumulative' && effects.length > 0 ? PROBABILITIES : []),
      'data {',
      ...this.#design.data.map(({ name, note, type }) => `  ${type} ${name};${comment(note)}`),
      '}',
      ...transformedData,
      'parameters {',
      ...parameters.map(({ name, note, type }) => `  ${type} ${name};${comment(note)}`),
      ...groups.flatMap(({ declarations }) => declarations),
      ...aux.map(({ name, note, type }) => `  ${type} ${name};${comment(note)}`),
      ...(missing === undefined
        ? []
        : [`  vector[${missing.count}] ${missing.parameters};${comment(`missing values of ${outcome.heading}`)}`]),
      ...this.#imputed.map(({ heading, imputation: { count, parameters } }) => {
        return `  vector[${count}] ${parameters};${comment(`missing values of ${heading}`)}`;
      }),
      '}',
      'model {',
      ...[...parameters, ...aux].map(({ name, prior }) => `  ${name} ~ ${prior.text};${comment(prior.note)}`),
      ...groups.flatMap(({ statements }) => statements),
      ...this.#imputed.map(({ imputation: { parameters, prior } }) => {
        return `  ${parameters} ~ ${prior}; // mean and standard deviation of the other values`;
      }),
      ...predictor,
      ...likelihood.map((statement) => `  ${statement}`),
      '}',
      ...generated,
    ];
    const isOrdinal = family === 'cumulative';
    const terms = termsOf(this.#design, {
      intercept: intercept && !isOrdinal ? this.#alpha : undefined,
      cutpoints: isOrdinal ? this.#cutpoints : undefined,
      summands: this.#summands,
      effects,
      statements: [...this.#centerConstants(), ...centered, ...predictor, ...likelihood],
    });
    return { program: `${lines.join('\n')}\n`, terms };
  }

  #centerConstants(): readonly string[] {
    return [...this.#centered.values()].map(({ mean, meanName }) => `  real ${meanName} = ${literal(mean)};`);
  }

  /** Declarations of some of the centered columns. */
  #centering(isWanted: (column: DesignColumn) => boolean): readonly string[] {
    return [...this.#centered].flatMap(([column, { meanName, name }]) => {
      const product = productText(column.predictors.map(variableOf));
      return isWanted(column) ? [`  vector[${this.#design.size}] ${name} = ${product} - ${meanName};`] : [];
    });
  }

  /** Declarations of the variables in which parameters replace missing values, and of the columns that depend on them. */
  #completion(indent: string): readonly string[] {
    const lines = this.#imputed.flatMap(({ imputation, name }) => completionLines(name, imputation, this.#design.size));
    return [
      ...lines.map((line) => indent + line),
      ...this.#centering(isImputed).map((line) => indent + line.trimStart()),
    ];
  }

  /** The intercept or the cutpoints. */
  #location(): readonly Parameter[] {
    const { coefficients, family, intercept, outcome } = this.#design;
    const where = coefficients.length === 0 ? '' : ' at the means of the predictors';
    if (family === 'cumulative') {
      const prior = this.#priors.intercept();
      const note = `log odds of each category or a lower one${where}`;
      return [{ name: this.#cutpoints, type: `ordered[${outcome.count} - 1]`, note, prior }];
    }
    if (!intercept) return [];
    return [{ name: this.#alpha, type: 'real', note: `${this.#expected()}${where}`, prior: this.#priors.intercept() }];
  }

  /** The linear predictor as text. */
  #expected(): string {
    const { family, outcome } = this.#design;
    if (hasIdentityLink(family)) return `expected ${outcome.name}`;
    return family === 'poisson' || family === 'negbinomial' ? `log of expected ${outcome.name}` : 'log odds';
  }

  /** A coefficient as text. */
  #meaning({ isMean, predictors }: DesignColumn): string {
    const words = predictors.map(({ heading, level }) => (level === undefined ? heading : `${heading} ${level}`));
    if (isMean) return `${this.#expected()} for ${words.join(', ')}`;
    if (predictors.length > 1) return `interaction of ${words.join(' and ')}`;
    const [{ heading, level, reference }] = predictors;
    const change = level === undefined ? `per unit of ${heading}` : `from ${heading} ${reference} to ${level}`;
    return `change of ${this.#expected()} ${change}`;
  }

  #coefficients(): readonly Parameter[] {
    const { coefficients, intercept } = this.#design;
    const columns = coefficients.map(({ column }) => column);
    return coefficients.map(({ column, name }) => ({
      name,
      type: 'real',
      note: this.#meaning(column),
      prior: this.#priors.coefficient(column, columns, intercept),
    }));
  }

  /** Parameters of the distribution of the outcome. */
  #auxiliary(): readonly Parameter[] {
    const { family, names } = this.#design;
    const sigma = () => ({
      name: names.free('sigma', 'sigma_0'),
      type: 'real<lower=0>',
      note: family === 'normal' ? 'standard deviation of the errors' : 'scale of the errors',
      prior: this.#priors.error(),
    });
    switch (family) {
      case 'normal':
        return [sigma()];
      case 'student': {
        const prior = { text: 'gamma(2, 0.1)', note: '' };
        const nu = {
          name: names.free('nu'),
          type: 'real<lower=1>',
          note: 'degrees of freedom: small for outliers',
          prior,
        };
        return [nu, sigma()];
      }
      case 'negbinomial': {
        const prior = { text: 'inv_gamma(0.4, 0.3)', note: '' };
        return [{ name: names.free('phi'), type: 'real<lower=0>', note: 'variance = mean + mean^2 / phi', prior }];
      }
      default:
        return [];
    }
  }

  /**
   * The parameters of a group. The multiplier makes the coordinates of the sampler non-centered, which suits groups with few rows; learned
   * coordinates replace them.
   */
  #group({ columns, effects, factor, group, scale }: GroupEffects) {
    const { count, heading } = group;
    const spread = this.#priors.spread(columns);
    if (columns.length === 1) {
      return {
        declarations: [
          `  real<lower=0> ${scale}; // standard deviation between groups of ${heading}`,
          `  vector<multiplier=${scale}>[${count}] ${effects}; // differences of the groups`,
        ],
        statements: [`  ${scale} ~ ${spread.text};${comment(spread.note)}`, `  ${effects} ~ normal(0, ${scale});`],
      };
    }
    const size = columns.length;
    const what = columns.map(({ name }) => name || 'intercept').join(', ');
    return {
      declarations: [
        `  vector<lower=0>[${size}] ${scale}; // standard deviations between groups of ${heading}: ${what}`,
        `  cholesky_factor_corr[${size}] ${factor}; // their correlation matrix is ${factor} * ${factor}'`,
        `  array[${count}] vector<multiplier=rep_array(${scale}, ${count})>[${size}] ${effects}; // differences of the groups`,
      ],
      statements: [
        `  ${scale} ~ ${spread.text};${comment(spread.note)}`,
        `  ${factor} ~ lkj_corr_cholesky(1); // all correlations are equally likely`,
        `  ${effects} ~ multi_normal_cholesky(rep_vector(0, ${size}), diag_pre_multiply(${scale}, ${factor}));`,
      ],
    };
  }

  /** The declaration of the linear predictor, after those of what it needs; nothing if it is a scalar. */
  #predictor(indent: string): readonly string[] {
    if (this.#terms.length === 0) return [];
    const { family, intercept, size } = this.#design;
    const first = family !== 'cumulative' && intercept ? [this.#alpha] : [];
    return [
      ...this.#completion(indent),
      `${indent}vector[${size}] ${this.#eta} = ${sum([...first, ...this.#terms], '+', indent)};`,
    ];
  }

  /** The statements for the observed outcomes and for the missing ones. */
  #likelihoods(aux: readonly string[]): readonly string[] {
    const { missing, name } = this.#design.outcome;
    if (missing === undefined) return [`${this.#likelihood(name, aux)};`];
    return [
      `${this.#likelihood(name, aux, missing.knownRows)};`,
      `${this.#likelihood(missing.parameters, aux, missing.rows)};`,
    ];
  }

  /** The statement for an outcome, in some or all rows. */
  #likelihood(y: string, aux: readonly string[], rows?: string): string {
    const { family, intercept, size } = this.#design;
    const isOrdinal = family === 'cumulative';
    const scalar = intercept && !isOrdinal ? this.#alpha : `rep_vector(0, ${size})`;
    const all = this.#terms.length === 0 ? scalar : this.#eta;
    const eta = rows === undefined || all === this.#alpha ? all : `${all}[${rows}]`;
    switch (family) {
      case 'normal':
        return `${y} ~ normal(${[eta, ...aux].join(', ')})`;
      case 'student': {
        const [nu, sigma] = aux;
        return `${y} ~ student_t(${nu}, ${eta}, ${sigma})`;
      }
      case 'bernoulli':
        return `${y} ~ bernoulli_logit(${eta})`;
      case 'cumulative':
        return `${y} ~ ordered_logistic(${eta}, ${this.#cutpoints})`;
      case 'poisson':
        return `${y} ~ poisson_log(${eta})`;
      case 'negbinomial':
        return `${y} ~ neg_binomial_2_log(${[eta, ...aux].join(', ')})`;
    }
  }

  /** The mean outcome over the rows. */
  #average(eta: string): string {
    switch (this.#design.family) {
      case 'bernoulli':
        return `mean(inv_logit(${eta}))`;
      case 'poisson':
      case 'negbinomial':
        return `mean(exp(${eta}))`;
      case 'cumulative':
        return `mean_probabilities(${eta}, ${this.#cutpoints})`;
      default:
        return `mean(${eta})`;
    }
  }

  #generated(effects: readonly Effect[], intercept: string, thresholds: string): readonly string[] {
    const { family, groups, outcome } = this.#design;
    const shift = this.#summands.flatMap(({ centered, coefficient }) =>
      centered === undefined ? [] : [`${coefficient} * ${centered.meanName}`],
    );
    const isOrdinal = family === 'cumulative';
    const origin = isOrdinal
      ? `  vector[${outcome.count} - 1] ${thresholds} = ${sum([this.#cutpoints, ...shift], '+', '  ')}; // cutpoints where all predictors are 0`
      : `  real ${intercept} = ${sum([this.#alpha, ...shift], '-', '  ')}; // ${this.#alpha} where all predictors are 0`;
    const correlations = groups.flatMap(({ columns, correlation, factor, group }) => {
      if (columns.length === 1) return [];
      if (columns.length === 2)
        return [`  real ${correlation} = ${factor}[2, 1]; // correlation between the effects of ${group.heading}`];
      return [`  corr_matrix[${columns.length}] ${correlation} = multiply_lower_tri_self_transpose(${factor});`];
    });
    const type = isOrdinal ? `vector[${outcome.count}]` : 'real';
    const what = isOrdinal
      ? 'probabilities of the categories'
      : family === 'bernoulli'
        ? 'the probability'
        : `expected ${outcome.name}`;
    const lines = [
      ...(shift.length === 0 ? [] : [origin]),
      ...correlations,
      ...(effects.length === 0 ? [] : [`  // Average effects on ${what}, over the rows.`]),
      ...effects.map(({ name, note }) => `  ${type} ${name}; // ${note}`),
      ...(effects.length === 0
        ? []
        : [
            '  {',
            ...(hasIdentityLink(family) ? this.#completion('    ') : this.#predictor('    ')),
            ...effects.flatMap(({ statements }) => statements.map((each) => `    ${each}`)),
            '  }',
          ]),
    ];
    return lines.length === 0 ? [] : ['generated quantities {', ...lines, '}'];
  }
}

function isImputed({ predictors }: DesignColumn): boolean {
  return predictors.some(({ imputation }) => imputation !== undefined);
}

function centeredColumn({ name, values }: DesignColumn, names: Names): CenteredColumn {
  const center = roundedTo(mean(values), standardDeviation(values), MEAN_DIGIT);
  return { name: names.free(`${name}_c`), meanName: names.free(`mean_${name}`), mean: center };
}

/** Number of characters of a sum above which each summand is on its own line. */
const LONGEST_SUM = 60;

function sum(summands: readonly string[], sign: '+' | '-', indent: string): string {
  const line = summands.join(` ${sign} `);
  return line.length <= LONGEST_SUM ? line : summands.join(`\n${indent}  ${sign} `);
}

/** A comment on one line. */
function comment(note: string): string {
  return note === '' ? '' : ` // ${note.replace(/\s+/g, ' ')}`;
}
