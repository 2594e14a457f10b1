/** Arguments of other Stan interfaces for compiling a program, and what the packages for Python and R do with them. */
import type { ForeignArgument } from './foreign-arguments.js';

type CompileArgument = Omit<ForeignArgument, 'methods'>;

const CMDSTAN: CompileArgument['of'] = ['CmdStanPy', 'cmdstanr'];

/** No executable is built, so neither a compiler nor its options and files are needed. */
const NO_EXECUTABLE = 'a program becomes WebAssembly in memory, without C++ and without an executable';
const WITHOUT_EFFECT = 'it has no effect here, and must be true or false';
const ALWAYS = [true, false];

export const COMPILE_ARGUMENTS: readonly CompileArgument[] = [
  { name: 'stan_file', of: CMDSTAN, means: 'program', example: 'coin.stan' },
  { name: 'file', of: ['rstan'], means: 'program', example: 'coin.stan' },
  {
    name: 'model_code',
    of: ['rstan'],
    means: 'program',
    example: 'parameters { real x; } model { x ~ std_normal(); }',
  },
  {
    name: 'program_code',
    of: ['PyStan'],
    means: 'program',
    example: 'parameters { real x; } model { x ~ std_normal(); }',
  },
  { name: 'model_name', of: ['CmdStanPy', 'cmdstanr', 'rstan'], means: 'name', example: 'coin' },
  { name: 'exe_file', of: CMDSTAN, instead: NO_EXECUTABLE, example: 'coin' },
  {
    name: 'cpp_options',
    of: CMDSTAN,
    instead: `${NO_EXECUTABLE}. threads_per_chain of a run uses several processors`,
    harmless: [{}, [], { STAN_THREADS: true }, { STAN_THREADS: 'TRUE' }, { stan_threads: true }],
    example: { STAN_OPENCL: true },
  },
  {
    name: 'stanc_options',
    of: CMDSTAN,
    instead: {
      python: 'pass include_paths for #include. Programs are always optimized, and warnings are in model.warnings',
      r: 'pass include_paths for #include. Programs are always optimized, and model$check_syntax(pedantic = TRUE) warns',
    },
    harmless: [{}, [], { O1: true }, { Oexperimental: true }, ['O1']],
    example: { 'warn-pedantic': true },
  },
  {
    name: 'user_header',
    of: CMDSTAN,
    instead: 'functions in C++ are not supported. Write them in Stan',
    example: 'functions.hpp',
  },
  { name: 'compile', of: CMDSTAN, instead: WITHOUT_EFFECT, harmless: [...ALWAYS, 'force'], example: 1 },
  { name: 'force_compile', of: ['CmdStanPy'], instead: WITHOUT_EFFECT, harmless: ALWAYS, example: 1 },
  { name: 'force_recompile', of: ['cmdstanr'], instead: WITHOUT_EFFECT, harmless: ALWAYS, example: 1 },
  { name: 'quiet', of: ['cmdstanr'], instead: WITHOUT_EFFECT, harmless: ALWAYS, example: 1 },
  {
    name: 'threads',
    of: ['cmdstanr'],
    instead: 'threads_per_chain of a run uses several processors',
    harmless: ALWAYS,
    example: 1,
  },
  { name: 'dir', of: ['cmdstanr'], instead: NO_EXECUTABLE, example: 'models' },
  {
    name: 'pedantic',
    of: ['cmdstanr'],
    instead: {
      python: 'warnings of the compiler are in model.warnings. leapfrog check --pedantic prints more',
      r: 'call model$check_syntax(pedantic = TRUE)',
    },
    harmless: [false],
    example: true,
  },
  {
    name: 'compile_model_methods',
    of: ['cmdstanr'],
    instead: 'methods always exist',
    harmless: ALWAYS,
    example: 1,
  },
  { name: 'compile_hessian_method', of: ['cmdstanr'], instead: 'methods always exist', harmless: ALWAYS, example: 1 },
  {
    name: 'compile_standalone',
    of: ['cmdstanr'],
    instead: 'functions can always be called',
    harmless: ALWAYS,
    example: 1,
  },
  { name: 'auto_write', of: ['rstan'], instead: NO_EXECUTABLE, harmless: ALWAYS, example: 1 },
  { name: 'data', of: ['PyStan'], instead: 'pass it to sample', example: { N: 1 } },
  { name: 'random_seed', of: ['PyStan'], instead: 'pass seed to sample', example: 1 },
];
