/**
 * Schemas of the resources of the HTTP interface. Validation, the types of server and client, and the OpenAPI
 * description all come from these schemas. A schema with a title is a component of that name in the description.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { FAILURE_CODES } from '../../model/failure-detail.js';
import { ERROR_REASONS } from '../errors.js';

export const closed = { additionalProperties: false };

type Immutable<Value> = Value extends readonly (infer Element)[]
  ? readonly Immutable<Element>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
    : Value;

/** The schema with an immutable value as its static type. */
export function immutable<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Immutable<Static<Schema>>>(schema);
}

/** Reference to the schema with this title in the OpenAPI description. */
export function componentReference(title: string): string {
  return `#/components/schemas/${title}`;
}

/** The response of a request without a result. */
export const EmptySchema = Type.Object({}, { title: 'Empty' });

/** A failure at run time as data: an entry of `details` of the error `refused`. */
export const FailureDetailSchema = Type.Object(
  {
    code: Type.Enum([...FAILURE_CODES], {
      title: 'FailureCode',
      description: 'Identifier of the failure, for programs. Messages may change, codes do not.',
    }),
    input: Type.Optional(
      Type.String({ description: 'The input that is wrong: `data`, or the name of another input.' }),
    ),
    variable: Type.Optional(Type.String({ description: 'The variable whose value is wrong.' })),
    declared: Type.Optional(Type.Array(Type.Integer(), { description: 'The declared sizes of the variable.' })),
    found: Type.Optional(Type.Array(Type.Integer(), { description: 'The sizes of its value.' })),
    file: Type.Optional(Type.String({ description: 'The file of the program.' })),
    line: Type.Optional(Type.Integer({ description: 'The line in the program or in the data, from 1.' })),
    column: Type.Optional(Type.Integer({ description: 'The column in the program, from 0, or in the data, from 1.' })),
    end_line: Type.Optional(Type.Integer()),
    end_column: Type.Optional(Type.Integer()),
  },
  { title: 'FailureDetail' },
);

export const ErrorSchema = Type.Object(
  {
    code: Type.Integer({ description: 'HTTP status code.' }),
    status: Type.String({ description: 'HTTP status text.' }),
    reason: Type.Enum([...ERROR_REASONS], {
      title: 'ErrorReason',
      description: 'Identifier of the error, for programs. Messages may change, reasons do not.',
    }),
    message: Type.String({ description: 'What is wrong, where, and how to fix it.' }),
    details: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true, title: 'ErrorDetail' }), {
        description:
          'One entry per problem: the field or location, and its message. Of `refused`: what failed, as FailureDetail.',
      }),
    ),
  },
  { title: 'Error' },
);
export type ErrorResource = Static<typeof ErrorSchema>;

/** Error responses of a route, for the OpenAPI page. */
export function failures(...codes: (400 | 404 | 416 | 429 | 503)[]): Record<number, typeof ErrorSchema> {
  return Object.fromEntries(codes.map((code) => [code, ErrorSchema]));
}

/** Entries that a list omits. */
export const DamagedField = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Entries that are omitted because their records on disk are corrupt, with instructions for repair.',
  }),
);

export const NumbersQuery = Type.Object({
  nonfinite: Type.Optional(
    Type.Enum(['string', 'literal', 'null'], {
      title: 'NonFiniteStyle',
      description: 'How NaN and infinities are written: as strings, as bare tokens, or as null.',
    }),
  ),
});

export const NumberValue = Type.Union(
  [
    Type.Number(),
    Type.Enum(['NaN', 'Inf', '+Inf', '-Inf', 'Infinity', '+Infinity', '-Infinity'], { title: 'NonFinite' }),
  ],
  { title: 'Number' },
);

export const StatementSchema = Type.Object(
  {
    key: Type.String({ description: 'Identifier of the sentence.' }),
    values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      title: 'StatementValues',
      description: 'The names and numbers in the sentence.',
    }),
  },
  { title: 'Statement', description: 'A sentence as data, for translation.' },
);
