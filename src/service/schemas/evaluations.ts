/** Schemas of requests that evaluate a model, and of their results. */
import { type Static, Type } from 'typebox';
import { costOfStatement, statement } from './models.js';
import { closed, NumberValue } from './shared.js';

export const FunctionParameters = Type.Object({ model_id: Type.String(), function_name: Type.String() });

const DATA =
  "Stan's JSON data format: one member per variable, nested arrays, and non-finite numbers as strings or bare tokens.";

/** The main thread keeps data and initial values as text; a worker parses them. */
export const DataField = Type.Unknown({ description: DATA });

export const NumberArray = Type.Array(NumberValue, { title: 'Point', description: 'The unconstrained parameters.' });

const point = {
  data: Type.Optional(DataField),
  unconstrained_parameters: NumberArray,
  adjust_transform: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether the Jacobian of the constraining transforms is included.' }),
  ),
};

const threads = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 1024,
    description:
      'Maximum number of threads that evaluate the log density, each on slices of the rows of the data. Results do not depend on the number of threads, but their last digits can differ from those without this argument, when the density is computed as a single sum.',
  }),
);

export const PointBody = Type.Union(
  [NumberArray, Type.Object({ ...point, threads }, { ...closed, title: 'PointOnData' })],
  { title: 'PointRequest' },
);

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
      { ...closed, title: 'WriteArrayPoint' },
    ),
  ],
  { title: 'WriteArrayRequest' },
);

export const DataBody = Type.Object({ data: Type.Optional(DataField) }, { ...closed, title: 'DataRequest' });

export const LooBody = Type.Object(
  {
    data: Type.Optional(DataField),
    moment_match: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether observations whose Pareto k is above k_threshold are estimated by moment matching.',
      }),
    ),
    refits: Type.Optional(
      Type.String({
        description:
          'A fit from kfold with `observations`, models/<model_id>/fits/<fit_id>. Its estimates replace the estimates of these observations.',
      }),
    ),
  },
  { ...closed, title: 'LooRequest' },
);

export const PredictiveBody = Type.Object(
  {
    data: Type.Optional(DataField),
    random_seed: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1, description: 'Seed of replicated data; 1 by default.' }),
    ),
  },
  { ...closed, title: 'PredictiveRequest' },
);

export const TransformInitsBody = Type.Object(
  { data: Type.Optional(DataField), constrained_parameters: Type.Unknown({ description: DATA }) },
  { ...closed, title: 'TransformInitsRequest' },
);

export const CallBody = Type.Object(
  {
    arguments: Type.Optional(
      Type.Unknown({ description: "An array with one value per parameter, in Stan's JSON format." }),
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
        description: 'Seed of a function whose name ends in _rng. Random by default.',
      }),
    ),
  },
  { ...closed, title: 'CallRequest' },
);

const Numbers = Type.Array(NumberValue);

export const ParametersSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ description: "The model's name." })),
    name: Type.String({ description: "The model's name." }),
    params: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          dims: Type.Array(Type.Integer()),
          constrained_names: Type.Array(Type.String()),
        },
        { title: 'Parameter' },
      ),
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
    result: Type.Unknown({ description: "In Stan's JSON format; null for a function that returns nothing." }),
    type: Type.String({ description: "Stan's type of the result." }),
    signature: Type.String({ description: 'The function that was called, with its types.' }),
    output: Type.String({ description: 'Output that the function printed.' }),
    random_seed: Type.Optional(Type.Integer({ description: 'Seed of a function whose name ends in _rng.' })),
  },
  { title: 'FunctionValue' },
);
export type FunctionValueResource = Static<typeof FunctionValueSchema>;

export const ProfileBody = Type.Object(
  {
    data: Type.Optional(DataField),
    unconstrained_parameters: Type.Optional(NumberArray),
    evaluations: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          'Number of timed evaluations of the gradient of each part of the program. By default about a second of evaluations, at least 5 of each.',
      }),
    ),
    random_seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4294967295,
        default: 1,
        description:
          'Seed of the random point, if the request contains no point, and of random numbers in transformed data.',
      }),
    ),
  },
  { ...closed, title: 'ProfileRequest' },
);

const nanoseconds = Type.Number({ description: 'Time in one evaluation of the log density and its gradient.' });

const share = Type.Number({ description: 'Fraction of the time of the gradient.' });

export const ProfileSchema = Type.Object(
  {
    nanoseconds,
    evaluations: Type.Integer({ description: 'Number of timed evaluations of the gradient.' }),
    statements: Type.Array(
      Type.Object(
        {
          nanoseconds,
          share,
          executions: Type.Integer({
            description: 'Number of executions: one per iteration of the loops around the statement.',
          }),
          cost: Type.Optional(Type.Object(costOfStatement, { title: 'CostOfStatement' })),
          ...statement,
          end_line: Type.Integer(),
        },
        { title: 'StatementTime' },
      ),
      { description: 'In the order of the program.' },
    ),
    other: Type.Object(
      { nanoseconds, share },
      { title: 'OtherTime', description: 'Time that is not due to any statement.' },
    ),
  },
  { title: 'Profile' },
);
export type ProfileResource = Static<typeof ProfileSchema>;
