/** The resources of the interface. Validation, types and the OpenAPI page all come from these schemas. */
import { type Static, Type } from 'typebox';
import type { ProgramInfo } from '../analyze.js';
import type { Description } from './jobs/engine.js';

const closed = { additionalProperties: false };

export const ModelSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>' }),
    compiler_output: Type.String({ description: 'The compile log: stages with their times, sizes of what was made.' }),
    stanc_warnings: Type.String({ description: 'Warnings of the language compiler; empty when there are none.' }),
  },
  { title: 'Model' },
);
export type ModelResource = Static<typeof ModelSchema>;

const Variables = Type.Record(
  Type.String(),
  Type.Object({
    type: Type.Unknown({ description: 'int, real or complex; of a tuple, the list of its slots in this same form.' }),
    dimensions: Type.Integer(),
  }),
);
const Names = Type.Array(Type.String());

const InfoSchema = Type.Unsafe<ProgramInfo>(
  Type.Object(
    {
      inputs: Variables,
      parameters: Variables,
      'transformed parameters': Variables,
      'generated quantities': Variables,
      functions: Names,
      distributions: Names,
      included_files: Names,
    },
    { title: 'Info', description: "What a program declares and calls, as stanc's --info says it." },
  ),
);

const IncludesField = Type.Optional(
  Type.Record(Type.String(), Type.String(), { description: 'The texts that #include may name, by name.' }),
);

export const DescribedModelSchema = Type.Object(
  {
    ...ModelSchema.properties,
    program_code: Type.String({ description: 'The program text.' }),
    includes: IncludesField,
    info: Type.Optional(InfoSchema),
  },
  { title: 'Model with its program' },
);
export type DescribedModelResource = Static<typeof DescribedModelSchema>;

const DiagnosticSchema = Type.Object(
  {
    kind: Type.String({
      description: 'lexing, syntax, include, semantic, or unsupported: right Stan that is not compiled here yet.',
    }),
    severity: Type.Enum(['error', 'warning']),
    message: Type.String(),
    hint: Type.Optional(Type.String({ description: 'What to write instead.' })),
    text: Type.String({ description: 'As the compiler prints it: with the place, errors with the lines around it.' }),
    file: Type.String({ description: 'The include in which it is, or the name of the program itself: string.' }),
    line: Type.Integer({ description: 'From 1.' }),
    column: Type.Integer({ description: 'From 0, in bytes.' }),
    end_line: Type.Integer(),
    end_column: Type.Integer({ description: 'Behind the last character.' }),
  },
  { title: 'Diagnostic' },
);

export const DescriptionSchema = Type.Unsafe<Description>(
  Type.Object(
    {
      errors: Type.Array(DiagnosticSchema, { description: 'The first error; none when the program is right.' }),
      warnings: Type.Array(DiagnosticSchema),
      info: Type.Optional(InfoSchema),
      formatted: Type.Optional(
        Type.String({ description: 'The program as auto-formatted; missing when it cannot be read.' }),
      ),
    },
    { title: 'Description of a program' },
  ),
);

export const ErrorSchema = Type.Object(
  {
    code: Type.Integer({ description: 'The HTTP status code.' }),
    status: Type.String({ description: 'The text of the status.' }),
    message: Type.String({ description: 'What was wrong, where, and what would be right.' }),
    details: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), {
        description: 'One entry for each thing there is to say: the field or the place, and its message.',
      }),
    ),
  },
  { title: 'Error' },
);

export const OperationSchema = Type.Object(
  {
    name: Type.String({ description: 'operations/<operation_id>' }),
    done: Type.Boolean({ description: 'Whether the operation has finished, well or not.' }),
    metadata: Type.Optional(
      Type.Object({
        fit: Type.Object({ name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }) }),
        function: Type.String(),
        random_seed: Type.Integer(),
        progress: Type.Optional(
          Type.String({ description: "Stan's progress line of the chain that is furthest behind." }),
        ),
        chains: Type.Array(Type.Object({ chain: Type.Integer(), progress: Type.Optional(Type.String()) })),
        created: Type.String({ description: 'When the request was accepted (ISO 8601).' }),
        ended: Type.Optional(Type.String()),
      }),
    ),
    result: Type.Optional(
      Type.Object(
        { name: Type.Optional(Type.String()), ...Type.Partial(ErrorSchema).properties },
        { description: 'The fit when all went well, otherwise the error.' },
      ),
    ),
  },
  { title: 'Operation' },
);
export type OperationResource = Static<typeof OperationSchema>;

export const ModelParameters = Type.Object({ model_id: Type.String() });
export const FitParameters = Type.Object({ model_id: Type.String(), fit_id: Type.String() });
export const OperationParameters = Type.Object({ operation_id: Type.String() });

export const NumbersQuery = Type.Object({
  nonfinite: Type.Optional(
    Type.Enum(['string', 'literal', 'null'], {
      description: 'How NaN and infinities are written: as strings, as bare tokens, or as null.',
    }),
  ),
});

export const FitQuery = Type.Object({
  ...NumbersQuery.properties,
  follow: Type.Optional(
    Type.Enum(['true', 'false'], { description: 'Send the messages of a fit that is not finished as they come.' }),
  ),
});

const DATA =
  "Stan's JSON data format: one member a variable; nested arrays, non-finite numbers as strings or bare tokens.";

/** Data and initial values stay unread text in the main thread; a worker reads them. */
export const DataField = Type.Unknown({ description: DATA });

export const NumberValue = Type.Union([
  Type.Number(),
  Type.Enum(['NaN', 'Inf', '+Inf', '-Inf', 'Infinity', '+Infinity', '-Infinity']),
]);
export const NumberArray = Type.Array(NumberValue, { description: 'The unconstrained parameters.' });

const point = {
  data: Type.Optional(DataField),
  unconstrained_parameters: NumberArray,
  adjust_transform: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether the Jacobian of the constraining transforms is included.' }),
  ),
};
export const PointBody = Type.Union([NumberArray, Type.Object(point, closed)]);

export const WriteArrayBody = Type.Union([
  NumberArray,
  Type.Object(
    {
      ...point,
      include_tparams: Type.Optional(Type.Boolean({ default: true })),
      include_gqs: Type.Optional(Type.Boolean({ default: true })),
      random_seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 4294967295 })),
    },
    closed,
  ),
]);

export const DataBody = Type.Object({ data: Type.Optional(DataField) }, closed);

export const TransformInitsBody = Type.Object(
  { data: Type.Optional(DataField), constrained_parameters: Type.Unknown({ description: DATA }) },
  closed,
);

const source = { program_code: Type.String({ description: 'The program text.' }), includes: IncludesField };

export const CompileBody = Type.Object(source, closed);

export const DescribeBody = Type.Object(
  {
    ...source,
    pedantic: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether to warn of what --warn-pedantic warns of, too.' }),
    ),
  },
  closed,
);

const Numbers = Type.Array(NumberValue);

export const ParametersSchema = Type.Object({
  id: Type.Optional(Type.String({ description: "The model's name." })),
  name: Type.String({ description: "The model's name." }),
  params: Type.Array(
    Type.Object({
      name: Type.String(),
      dims: Type.Array(Type.Integer()),
      constrained_names: Type.Array(Type.String()),
    }),
  ),
});
export const LogDensitySchema = Type.Object({ log_prob: NumberValue });
export const GradientSchema = Type.Object({ log_prob: NumberValue, grad_log_prob: Numbers, log_prob_grad: Numbers });
export const WrittenArraySchema = Type.Object({ params_r_constrained: Numbers });
export const UnconstrainedSchema = Type.Object({ params_r_unconstrained: Numbers });

/** Error answers of a route, for the OpenAPI page. */
export function failures(...codes: (400 | 404 | 503)[]): Record<number, typeof ErrorSchema> {
  return Object.fromEntries(codes.map((code) => [code, ErrorSchema]));
}
