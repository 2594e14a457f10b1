/** Schemas of programs and models. */
import { type Static, Type } from 'typebox';
import { closed, immutable } from './shared.js';

export const ModelParameters = Type.Object({ model_id: Type.String() });

export const ModelSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>' }),
    compiler_output: Type.String({
      description: 'The compile log: the duration of each stage and the sizes of its output.',
    }),
    stanc_warnings: Type.String({ description: 'Warnings of the language compiler, possibly empty.' }),
  },
  { title: 'Model' },
);
export type ModelResource = Static<typeof ModelSchema>;

/** The base type and number of dimensions of a variable; for a tuple, the types of its slots. */
export interface VariableResource {
  readonly type: string | readonly VariableResource[];
  readonly dimensions: number;
}

const Variables = Type.Record(
  Type.String(),
  Type.Object(
    {
      type: Type.Unsafe<VariableResource['type']>(
        Type.Unknown({ description: 'int, real or complex; for a tuple, the list of its slots in the same form.' }),
      ),
      dimensions: Type.Integer(),
    },
    { title: 'Variable' },
  ),
  { title: 'Variables' },
);

const Names = Type.Array(Type.String());

const InfoSchema = Type.Object(
  {
    inputs: Variables,
    parameters: Variables,
    'transformed parameters': Variables,
    'generated quantities': Variables,
    functions: Names,
    distributions: Names,
    included_files: Names,
  },
  { title: 'Info', description: "What a program declares and calls, as printed by stanc's --info." },
);

const IncludesField = Type.Optional(
  Type.Record(Type.String(), Type.String(), { title: 'Includes', description: 'Sources of included files, by name.' }),
);

export const DescribedModelSchema = immutable(
  Type.Object(
    {
      ...ModelSchema.properties,
      program_code: Type.String({ description: 'The source of the program.' }),
      includes: IncludesField,
      info: Type.Optional(InfoSchema),
    },
    { title: 'DescribedModel' },
  ),
);
export type DescribedModelResource = Static<typeof DescribedModelSchema>;

const DiagnosticSchema = Type.Object(
  {
    kind: Type.String({
      description:
        'lexing, syntax, include, semantic, or unsupported: valid Stan that this compiler does not support yet.',
    }),
    severity: Type.Enum(['error', 'warning'], { title: 'Severity' }),
    code: Type.String({
      description: 'Names the error independently of its text; docs/diagnostics.md lists the codes.',
    }),
    message: Type.String(),
    suggestion: Type.Optional(
      Type.String({ description: 'What was probably meant instead of the text at the location.' }),
    ),
    hint: Type.Optional(Type.String({ description: 'What to write instead.' })),
    text: Type.String({
      description: 'The message as the compiler prints it, with its location and, for errors, the surrounding lines.',
    }),
    file: Type.String({ description: 'The included file, or the name of the program itself: string.' }),
    line: Type.Integer({ description: 'From 1.' }),
    column: Type.Integer({ description: 'From 0, in bytes.' }),
    end_line: Type.Integer(),
    end_column: Type.Integer({ description: 'The column after the last character.' }),
  },
  { title: 'Diagnostic' },
);

export const costOfStatement = {
  cost: Type.Enum(['data', 'once', 'sums', 'groups', 'distinct rows', 'rows'], {
    title: 'Cost',
    description:
      'data: computed when data are bound. once: no loop over rows. sums: independent of the number of rows. groups, distinct rows, rows: computed once per group, distinct row or row.',
  }),
  by: Type.Array(Type.String(), { description: 'Variables whose values distinguish groups or rows.' }),
  terms_by: Type.Array(Type.String(), {
    description: 'Variables whose distinct values determine costly terms, if these are not computed for each row.',
  }),
  reasons: Type.Array(
    Type.Object(
      { against: Type.Enum(['sums', 'distinct rows'], { title: 'Compression' }), text: Type.String() },
      { title: 'CostReason' },
    ),
    { description: 'Reasons why the cost is not lower.' },
  ),
};

export const statement = {
  text: Type.String({ description: 'The statement.' }),
  file: Type.String({ description: 'The included file, or the name of the program itself: string.' }),
  line: Type.Integer({ description: 'From 1.' }),
  column: Type.Integer({ description: 'From 0, in bytes.' }),
};

const CostSchema = Type.Object({ ...costOfStatement, ...statement }, { title: 'StatementCost' });

export const DescriptionSchema = immutable(
  Type.Object(
    {
      errors: Type.Array(DiagnosticSchema, { description: 'The first error. Empty if the program is valid.' }),
      warnings: Type.Array(DiagnosticSchema),
      info: Type.Optional(InfoSchema),
      formatted: Type.Optional(Type.String({ description: 'The formatted program. Absent if it cannot be parsed.' })),
      costs: Type.Optional(
        Type.Array(CostSchema, {
          description:
            'Statements that add to target, in the order of the program. Only with `explain`, if the program can be compiled.',
        }),
      ),
    },
    { title: 'Description' },
  ),
);
export type DescriptionResource = Static<typeof DescriptionSchema>;

const source = { program_code: Type.String({ description: 'The source of the program.' }), includes: IncludesField };

export const CompileBody = Type.Object(source, { ...closed, title: 'CompileRequest' });

export const DescribeBody = Type.Object(
  {
    ...source,
    pedantic: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether to include the warnings of --warn-pedantic.' }),
    ),
    explain: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether to include the cost of each statement that adds to target.',
      }),
    ),
  },
  { ...closed, title: 'DescribeRequest' },
);
