import { type Argument, resolveOverload } from './overloads.js';
import { promotionCost } from './promotion.js';
import { compareSignatures, compareTypes, type Signature } from './signature.js';
import {
  arrayOf,
  COMPLEX,
  COMPLEX_MATRIX,
  COMPLEX_ROW_VECTOR,
  COMPLEX_VECTOR,
  INT,
  MATRIX,
  REAL,
  ROW_VECTOR,
  type Type,
  VECTOR,
} from './types.js';

/** Names of the library functions that operators represent. */
export type OperatorFunction =
  | 'add'
  | 'subtract'
  | 'multiply'
  | 'divide'
  | 'mdivide_left'
  | 'mdivide_right'
  | 'elt_multiply'
  | 'elt_divide'
  | 'pow'
  | 'modulus'
  | 'int_divide'
  | 'logical_or'
  | 'logical_and'
  | 'logical_eq'
  | 'logical_neq'
  | 'logical_lt'
  | 'logical_lte'
  | 'logical_gt'
  | 'logical_gte'
  | 'logical_negation'
  | 'plus'
  | 'minus'
  | 'transpose';

/** The functions that an operator may represent; the first that accepts the operands is used. */
export const INFIX: Readonly<Record<string, readonly OperatorFunction[]>> = {
  '+': ['add'],
  '-': ['subtract'],
  '*': ['multiply'],
  '/': ['mdivide_right', 'divide'],
  '%': ['modulus'],
  '%/%': ['int_divide'],
  '\\': ['mdivide_left'],
  '.*': ['elt_multiply'],
  './': ['elt_divide'],
  '^': ['pow'],
  '.^': ['pow'],
  '||': ['logical_or'],
  '&&': ['logical_and'],
  '==': ['logical_eq'],
  '!=': ['logical_neq'],
  '<': ['logical_lt'],
  '<=': ['logical_lte'],
  '>': ['logical_gt'],
  '>=': ['logical_gte'],
};

export const PREFIX: Readonly<Record<string, readonly OperatorFunction[]>> = {
  '!': ['logical_negation'],
  '+': ['plus'],
  '-': ['minus'],
};

export const TRANSPOSE: readonly OperatorFunction[] = ['transpose'];

interface Family {
  readonly scalar: Type;
  readonly vector: Type;
  readonly rowVector: Type;
  readonly matrix: Type;
}

const FAMILIES: readonly Family[] = [
  { scalar: REAL, vector: VECTOR, rowVector: ROW_VECTOR, matrix: MATRIX },
  { scalar: COMPLEX, vector: COMPLEX_VECTOR, rowVector: COMPLEX_ROW_VECTOR, matrix: COMPLEX_MATRIX },
];

const MAX_ARRAY_DEPTH = 7;

type Row = readonly [...operands: Type[], result: Type];

function containers({ vector, rowVector, matrix }: Family): readonly Type[] {
  return [vector, rowVector, matrix];
}

/** Operands: scalars with scalars and containers, and containers with containers of the same type. */
function elementwise(): Row[] {
  return [[INT, INT, INT], ...FAMILIES.flatMap((family) => [...scaling(family), ...paired(family)])];
}

function scaling(family: Family): Row[] {
  const { scalar } = family;
  return [
    [scalar, scalar, scalar],
    ...containers(family).flatMap((type): Row[] => [
      [scalar, type, type],
      [type, scalar, type],
    ]),
  ];
}

function paired(family: Family): Row[] {
  return containers(family).map((type) => [type, type, type]);
}

function products(family: Family): Row[] {
  const { scalar, vector, rowVector, matrix } = family;
  return [
    ...scaling(family),
    [vector, rowVector, matrix],
    [rowVector, vector, scalar],
    [rowVector, matrix, rowVector],
    [matrix, vector, vector],
    [matrix, matrix, matrix],
  ];
}

const INT_OR_REAL: readonly Type[] = [INT, REAL];

function comparison(): Row[] {
  return INT_OR_REAL.flatMap((left) => INT_OR_REAL.map((right): Row => [left, right, INT]));
}

function equality(): Row[] {
  return [...comparison(), [COMPLEX, REAL, INT], [COMPLEX, COMPLEX, INT]];
}

/** Powers are also elementwise for arrays, one level deeper for scalars. An integer raised to an integer is real. */
function powers(): Row[] {
  const rows: Row[] = [[COMPLEX, COMPLEX, COMPLEX]];
  for (const left of INT_OR_REAL) for (const right of INT_OR_REAL) rows.push([left, right, REAL]);
  const raise = (element: Type, power: Type, scalars: readonly Type[], depth: number) => {
    const base = arrayOf(element, depth);
    const result = arrayOf(power, depth);
    rows.push([base, base, result]);
    for (const scalar of scalars) rows.push([base, scalar, result], [scalar, base, result]);
  };
  for (let depth = 1; depth <= MAX_ARRAY_DEPTH + 1; depth++) {
    for (const element of INT_OR_REAL) raise(element, REAL, INT_OR_REAL, depth);
    raise(COMPLEX, COMPLEX, [COMPLEX], depth);
  }
  for (let depth = 0; depth <= MAX_ARRAY_DEPTH; depth++) {
    for (const element of containers(FAMILIES[0])) raise(element, element, INT_OR_REAL, depth);
    for (const element of containers(FAMILIES[1])) raise(element, element, [COMPLEX], depth);
  }
  return rows;
}

function negations(): Row[] {
  const types = [INT, ...FAMILIES.flatMap((family) => [family.scalar, ...containers(family)])];
  const depths = Array.from({ length: MAX_ARRAY_DEPTH + 1 }, (_, depth) => depth);
  return types.flatMap((type) => depths.map((depth): Row => [arrayOf(type, depth), arrayOf(type, depth)]));
}

const INTS: readonly Row[] = [[INT, INT, INT]];

const ROWS: readonly (readonly [OperatorFunction, readonly Row[]])[] = [
  ['add', elementwise()],
  ['subtract', elementwise()],
  ['elt_multiply', elementwise()],
  ['elt_divide', elementwise()],
  ['multiply', [...INTS, ...FAMILIES.flatMap(products)]],
  ['divide', [...INTS, ...FAMILIES.flatMap(scaling)]],
  [
    'mdivide_right',
    FAMILIES.flatMap(({ rowVector, matrix }): Row[] => [
      [rowVector, matrix, rowVector],
      [matrix, matrix, matrix],
    ]),
  ],
  [
    'mdivide_left',
    [
      [MATRIX, VECTOR, VECTOR],
      [MATRIX, MATRIX, MATRIX],
    ],
  ],
  ['pow', powers()],
  ['modulus', INTS],
  ['int_divide', INTS],
  ['logical_or', INTS],
  ['logical_and', INTS],
  ['logical_eq', equality()],
  ['logical_neq', equality()],
  ['logical_lt', comparison()],
  ['logical_lte', comparison()],
  ['logical_gt', comparison()],
  ['logical_gte', comparison()],
  ['logical_negation', [[INT, INT]]],
  ['plus', [INT, REAL, VECTOR, COMPLEX, ROW_VECTOR, MATRIX].map((type): Row => [type, type])],
  ['minus', negations()],
  [
    'transpose',
    FAMILIES.flatMap(({ vector, rowVector, matrix }): Row[] => [
      [vector, rowVector],
      [rowVector, vector],
      [matrix, matrix],
    ]),
  ],
];

export interface OperatorSignature extends Signature {
  readonly name: OperatorFunction;
}

const SIGNATURES: ReadonlyMap<OperatorFunction, readonly OperatorSignature[]> = new Map(
  ROWS.map(([name, rows]) => [
    name,
    rows
      .map(
        (row): OperatorSignature => ({
          name,
          parameters: row.slice(0, -1).map((type) => ({ type, level: 'autodiff' })),
          result: row[row.length - 1],
        }),
      )
      .sort(compareSignatures),
  ]),
);

/** The signatures of a function that operators represent, in Stan's order. Source: Stan Functions Reference. */
export function operatorSignatures(name: OperatorFunction): readonly OperatorSignature[] {
  return SIGNATURES.get(name) ?? [];
}

/**
 * The function that an operator represents for these operands: the first of `functions` with a unique least promotion. Integer division
 * accepts only ints, because no promotion leads to an int.
 */
export function resolveOperator(
  functions: readonly OperatorFunction[],
  operands: readonly Argument[],
): OperatorSignature | undefined {
  for (const name of functions) {
    const resolution = resolveOverload(operatorSignatures(name), operands);
    if (resolution.kind === 'match') return resolution.signature;
  }
  return undefined;
}

/** The infix operators that have an assigning form. */
export type CompoundOperator = '+' | '-' | '*' | '/' | '.*' | './';

const COMPOUND: Readonly<Record<CompoundOperator, OperatorFunction>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '.*': 'elt_multiply',
  './': 'elt_divide',
};

/**
 * The function that `x op= e` represents. Undefined if the result does not have the type of `x`. `.*=` and `./=` do not accept scalars;
 * `/=` accepts only scalar divisors.
 */
export function resolveCompound(
  operator: CompoundOperator,
  target: Type,
  value: Argument,
): OperatorSignature | undefined {
  const signature = resolveOperator([COMPOUND[operator]], [{ type: target, level: 'autodiff' }, value]);
  if (signature === undefined || compareTypes(signature.result, target) !== 0) return undefined;
  const isScalar = signature.result.kind === 'int' || signature.result.kind === 'real';
  return isScalar && (operator === '.*' || operator === './') ? undefined : signature;
}

/** The types allowed on the right of `x op= …`, in Stan's order. */
export function compoundValueTypes(operator: CompoundOperator, target: Type): readonly Type[] {
  const types: Type[] = [];
  for (const { parameters, result } of operatorSignatures(COMPOUND[operator])) {
    const [left, right] = parameters;
    const isScalar = result.kind === 'int' || result.kind === 'real';
    if (compareTypes(result, left.type) !== 0) continue;
    if (isScalar && (operator === '.*' || operator === './')) continue;
    if (promotionCost(target, left.type) === undefined) continue;
    if (right.type.kind === 'real') types.push(INT);
    types.push(right.type);
  }
  const sorted = types.sort(compareTypes);
  return sorted.filter((type, i) => i === 0 || compareTypes(type, sorted[i - 1]) !== 0);
}
