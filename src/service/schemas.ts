/**
 * The resources of the interface. Validation, the types of server and client, and the OpenAPI page all come from these schemas. A
 * schema with a title is a component of the page under that name.
 */
import { type Static, type TSchema, Type } from 'typebox';
import type { ArgumentDescription, FunctionDescription } from '../run/function-description.js';

const closed = { additionalProperties: false };

type Immutable<Value> = Value extends readonly (infer Element)[]
  ? readonly Immutable<Element>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
    : Value;

/** The same schema for an immutable value. */
function immutable<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Immutable<Static<Schema>>>(schema);
}

export const ModelSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>' }),
    compiler_output: Type.String({ description: 'The compile log: stages with their times, sizes of what was made.' }),
    stanc_warnings: Type.String({ description: 'Warnings of the language compiler, possibly empty.' }),
  },
  { title: 'Model' },
);
export type ModelResource = Static<typeof ModelSchema>;

/** The base type and the number of dimensions of a variable; of a tuple, its slots' instead of a name. */
export interface VariableResource {
  readonly type: string | readonly VariableResource[];
  readonly dimensions: number;
}

const Variables = Type.Record(
  Type.String(),
  Type.Object(
    {
      type: Type.Unsafe<VariableResource['type']>(
        Type.Unknown({ description: 'int, real or complex; of a tuple, the list of its slots in this same form.' }),
      ),
      dimensions: Type.Integer(),
    },
    { title: 'Variable' },
  ),
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
  Type.Record(Type.String(), Type.String(), { description: 'The texts that #include may name, by name.' }),
);

export const DescribedModelSchema = immutable(
  Type.Object(
    {
      ...ModelSchema.properties,
      program_code: Type.String({ description: 'The program text.' }),
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

export const DescriptionSchema = immutable(
  Type.Object(
    {
      errors: Type.Array(DiagnosticSchema, { description: 'The first error; none when the program is right.' }),
      warnings: Type.Array(DiagnosticSchema),
      info: Type.Optional(InfoSchema),
      formatted: Type.Optional(
        Type.String({ description: 'The program as auto-formatted; missing when it cannot be read.' }),
      ),
    },
    { title: 'Description' },
  ),
);
export type DescriptionResource = Static<typeof DescriptionSchema>;

export const ErrorSchema = Type.Object(
  {
    code: Type.Integer({ description: 'The HTTP status code.' }),
    status: Type.String({ description: 'The text of the status.' }),
    message: Type.String({ description: 'What was wrong, where, and what would be right.' }),
    details: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), {
        description: 'One entry per problem: the field or location, and its message.',
      }),
    ),
  },
  { title: 'Error' },
);
export type ErrorResource = Static<typeof ErrorSchema>;

const Finite = Type.Array(Type.Number());

/** What a sampler moved with after warmup, in the form in which the arguments of the same names take it. */
export const AdaptationSchema = Type.Object(
  {
    stepsize: Type.Number(),
    inv_metric: Type.Optional(Type.Union([Finite, Type.Array(Finite)])),
  },
  { title: 'Adaptation' },
);

/** How far a chain is. */
export const ChainProgressSchema = Type.Object(
  {
    chain: Type.Integer(),
    state: Type.Optional(Type.Enum(['waiting', 'running', 'done'])),
    progress: Type.Optional(Type.String({ description: "Stan's progress line." })),
    iteration: Type.Optional(Type.Integer({ description: 'Iterations done, warmup included.' })),
    iterations: Type.Optional(Type.Integer({ description: 'Iterations in all.' })),
    draws: Type.Optional(Type.Integer({ description: 'Draws kept so far.' })),
    divergences: Type.Optional(Type.Integer({ description: 'Divergent transitions among those draws.' })),
    step_size: Type.Optional(Type.Number()),
    seconds_left: Type.Optional(Type.Number({ description: 'An estimate.' })),
  },
  { title: 'ChainProgress' },
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
        state: Type.Enum(['waiting', 'running', 'done']),
        place: Type.Optional(Type.Integer({ description: 'Of a waiting operation: its place in the queue, from 1.' })),
        chains: Type.Array(ChainProgressSchema),
        adaptation: Type.Optional(
          Type.Array(
            Type.Object({ chain: Type.Integer(), ...AdaptationSchema.properties }, { title: 'ChainAdaptation' }),
            {
              description: "What a sampler's chains moved with after warmup; left out of lists.",
            },
          ),
        ),
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

const ArgumentSchema = Type.Unsafe<ArgumentDescription>(
  Type.Object(
    {
      name: Type.String(),
      type: Type.Enum(['integer', 'number', 'boolean', 'string', 'array']),
      default: Type.Optional(Type.Unknown({ description: 'Absent when leaving it out means something of its own.' })),
      minimum: Type.Optional(Type.Number()),
      exclusiveMinimum: Type.Optional(Type.Number()),
      maximum: Type.Optional(Type.Number()),
      exclusiveMaximum: Type.Optional(Type.Number()),
      choices: Type.Optional(Type.Array(Type.String(), { description: 'Of a string: what it may be.' })),
      depth: Type.Optional(Type.Integer({ description: 'Of an array of numbers: 1, or 2 for rows of them.' })),
      elements: Type.Optional(Type.Literal('string', { description: 'Of an array of names.' })),
      description: Type.String(),
    },
    { title: 'Argument' },
  ),
);

export const FunctionSchema = Type.Unsafe<FunctionDescription>(
  Type.Object(
    {
      name: Type.String({ description: 'stan::services::…' }),
      short_name: Type.String(),
      description: Type.String(),
      inputs: Type.Array(
        Type.Object({
          name: Type.Enum(['init', 'warm_start', 'continue', 'mode', 'fitted_params']),
          required: Type.Boolean(),
          description: Type.String(),
        }),
        { description: 'What it takes beside arguments: values, or the name of a fit.' },
      ),
      arguments: Type.Array(ArgumentSchema),
      draws: Type.Enum(['all', 'generated quantities'], { description: 'The variables that its draws hold.' }),
    },
    { title: 'Function' },
  ),
);
export type FunctionResource = FunctionDescription;

/** Beside a list: what it lacks. */
export const DamagedField = Type.Optional(
  Type.Array(Type.String(), {
    description: 'What is left out because its record on the disk is damaged, and what makes it good.',
  }),
);

export const ModelParameters = Type.Object({ model_id: Type.String() });
export const FitParameters = Type.Object({ model_id: Type.String(), fit_id: Type.String() });
export const OperationParameters = Type.Object({ operation_id: Type.String() });

export const FunctionParameters = Type.Object({ model_id: Type.String(), function_name: Type.String() });

export const NumbersQuery = Type.Object({
  nonfinite: Type.Optional(
    Type.Enum(['string', 'literal', 'null'], {
      description: 'How NaN and infinities are written: as strings, as bare tokens, or as null.',
    }),
  ),
});

export const EventsQuery = Type.Object({
  ...NumbersQuery.properties,
  draws: Type.Optional(Type.Enum(['true', 'false'], { description: 'Whether draws are also sent.' })),
});

/** Which draws of a fit are meant. */
const drawsQuery = {
  variables: Type.Optional(
    Type.String({ description: 'Variables or single columns, separated by commas: theta,mu or theta.1.' }),
  ),
  chain: Type.Optional(Type.String({ pattern: '^\\d{1,10}$', description: 'The id of one chain; all unless given.' })),
  first: Type.Optional(
    Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'The first draw of each chain, counted from 1.' }),
  ),
  last: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'The last draw of each chain.' })),
};

export const ReportQuery = Type.Object({ ...NumbersQuery.properties, ...drawsQuery });

export const FitQuery = Type.Object({
  ...NumbersQuery.properties,
  ...drawsQuery,
  warmup: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: 'Whether saved draws of warmup are sent; by default they are.',
    }),
  ),
  format: Type.Optional(
    Type.Enum(['ndjson', 'csv', 'arrow'], {
      description: "Messages, CmdStan's CSV, or an Arrow IPC stream; what Accept asks for unless given.",
    }),
  ),
  follow: Type.Optional(
    Type.Enum(['true', 'false'], { description: 'Send the messages of a fit that is not finished as they come.' }),
  ),
});

const DATA =
  "Stan's JSON data format: one member a variable; nested arrays, non-finite numbers as strings or bare tokens.";

/** Data and initial values stay unread text in the main thread; a worker reads them. */
export const DataField = Type.Unknown({ description: DATA });

export const NumberValue = Type.Union(
  [Type.Number(), Type.Enum(['NaN', 'Inf', '+Inf', '-Inf', 'Infinity', '+Infinity', '-Infinity'])],
  { title: 'Number' },
);
export const NumberArray = Type.Array(NumberValue, { description: 'The unconstrained parameters.' });

const point = {
  data: Type.Optional(DataField),
  unconstrained_parameters: NumberArray,
  adjust_transform: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether the Jacobian of the constraining transforms is included.' }),
  ),
};
export const PointBody = Type.Union([NumberArray, Type.Object(point, closed)], { title: 'PointRequest' });

export const WriteArrayBody = Type.Union(
  [
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
  ],
  { title: 'WriteArrayRequest' },
);

export const DataBody = Type.Object({ data: Type.Optional(DataField) }, { ...closed, title: 'DataRequest' });

export const TransformInitsBody = Type.Object(
  { data: Type.Optional(DataField), constrained_parameters: Type.Unknown({ description: DATA }) },
  { ...closed, title: 'TransformInitsRequest' },
);

export const CallBody = Type.Object(
  {
    arguments: Type.Optional(
      Type.Unknown({ description: 'An array with a value for each parameter, in the JSON format of Stan.' }),
    ),
    signature: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Types of the parameters, to choose an overload: ["vector", "array[] int"].',
      }),
    ),
    random_seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4294967295,
        description: 'Seed of a function that ends in _rng. Drawn where it is absent.',
      }),
    ),
  },
  { ...closed, title: 'CallRequest' },
);

const source = { program_code: Type.String({ description: 'The program text.' }), includes: IncludesField };

export const CompileBody = Type.Object(source, { ...closed, title: 'CompileRequest' });

export const DescribeBody = Type.Object(
  {
    ...source,
    pedantic: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether to include the warnings of --warn-pedantic.' }),
    ),
  },
  { ...closed, title: 'DescribeRequest' },
);

const Numbers = Type.Array(NumberValue);

export const ParametersSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ description: "The model's name." })),
    name: Type.String({ description: "The model's name." }),
    params: Type.Array(
      Type.Object({
        name: Type.String(),
        dims: Type.Array(Type.Integer()),
        constrained_names: Type.Array(Type.String()),
      }),
    ),
  },
  { title: 'Parameters' },
);
export type ParametersResource = Static<typeof ParametersSchema>;
export const LogDensitySchema = Type.Object({ log_prob: NumberValue }, { title: 'LogDensity' });
export const GradientSchema = Type.Object(
  { log_prob: NumberValue, grad_log_prob: Numbers, log_prob_grad: Numbers },
  { title: 'LogDensityGradient' },
);
export const WrittenArraySchema = Type.Object({ params_r_constrained: Numbers }, { title: 'ConstrainedParameters' });
export const UnconstrainedSchema = Type.Object(
  { params_r_unconstrained: Numbers },
  { title: 'UnconstrainedParameters' },
);

export const FunctionValueSchema = Type.Object(
  {
    result: Type.Unknown({ description: 'In the JSON format of Stan; null for a function that returns nothing.' }),
    type: Type.String({ description: "Stan's type of the result." }),
    signature: Type.String({ description: 'The function that was called, with its types.' }),
    output: Type.String({ description: 'What the function printed.' }),
    random_seed: Type.Optional(Type.Integer({ description: 'Of a function that ends in _rng.' })),
  },
  { title: 'FunctionValue' },
);
export type FunctionValueResource = Static<typeof FunctionValueSchema>;

const ArgumentValues = Type.Record(Type.String(), Type.Unknown());

export const FitSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    function: Type.String(),
    arguments: Type.Unsafe<object>(ArgumentValues),
    random_seed: Type.Integer(),
    chains: Type.Array(Type.Integer()),
    created: Type.String({ description: 'When the request was accepted (ISO 8601).' }),
    ended: Type.Optional(Type.String()),
    bytes: Type.Integer({ description: 'On disk.' }),
  },
  { title: 'Fit' },
);
export type FitResource = Static<typeof FitSchema>;

export const SummarySchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    chains: Type.Array(Type.Integer()),
    draws: Type.Integer({ description: 'Of each chain, after warmup.' }),
    variables: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          mean: NumberValue,
          mcse_mean: NumberValue,
          sd: NumberValue,
          mcse_sd: NumberValue,
          q5: NumberValue,
          q50: NumberValue,
          q95: NumberValue,
          ess_bulk: NumberValue,
          ess_tail: NumberValue,
          rhat: NumberValue,
        },
        { title: 'VariableSummary' },
      ),
    ),
  },
  { title: 'Summary' },
);
export type SummaryResource = Static<typeof SummarySchema>;

export const DiagnosisSchema = Type.Object(
  {
    name: Type.String({ description: 'models/<model_id>/fits/<fit_id>' }),
    ok: Type.Boolean({ description: 'Whether nothing was found that needs attention.' }),
    findings: Type.Array(
      Type.Object(
        {
          check: Type.Enum(['draws', 'divergences', 'treedepth', 'energy', 'rhat', 'ess']),
          ok: Type.Boolean(),
          message: Type.String({ description: 'What was found, and what may be done about it.' }),
          concerns: Type.Array(Type.Object({ name: Type.String(), value: NumberValue }), {
            description: 'Quantities or chains concerned, the worst first; a hundred at most.',
          }),
          limit: Type.Optional(
            Type.Number({
              description:
                'What the values of the concerns are beyond: the greatest R-hat, the least effective sample size.',
            }),
          ),
        },
        { title: 'Finding' },
      ),
    ),
    text: Type.String({ description: 'All messages, a paragraph each.' }),
  },
  { title: 'Diagnosis' },
);
export type DiagnosisResource = Static<typeof DiagnosisSchema>;

export const CacheSchema = Type.Object(
  {
    bytes: Type.Integer({ description: 'What models and fits take on disk.' }),
    limit: Type.Integer({ description: 'What they may take (--cache-size).' }),
    models: Type.Object({ count: Type.Integer(), bytes: Type.Integer() }),
    fits: Type.Object({ count: Type.Integer(), bytes: Type.Integer() }),
  },
  { title: 'Cache' },
);
export type CacheResource = Static<typeof CacheSchema>;

/** Error answers of a route, for the OpenAPI page. */
export function failures(...codes: (400 | 404 | 429 | 503)[]): Record<number, typeof ErrorSchema> {
  return Object.fromEntries(codes.map((code) => [code, ErrorSchema]));
}
