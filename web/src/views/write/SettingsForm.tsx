import { useId, useState } from 'react';
import type { Algorithm } from '#engine/inference/algorithms/algorithm.js';
import { type Argument, type ArgumentValue, readArguments } from '#engine/inference/algorithms/arguments.js';
import { algorithms } from '#engine/inference/algorithms/registry.js';
import { argumentsOf } from '#engine/run/functions.js';
import { familiarName } from '../../run/function-names.js';
import { algorithmOf, commonArguments, defaultOf, furtherArguments, titleOf } from '../../run/functions.js';
import { runsFor } from '../../run/sources.js';
import { nameOf } from '../../state/run.js';
import { update, updateProject, useStore } from '../../state/store.js';
import { labelOf } from './showing-arguments.js';

/** How a run is made: the function, and its arguments from its own description. */
export function SettingsForm() {
  const settings = useStore(({ project }) => project.settings);
  const isOpen = useStore(({ areSettingsOpen }) => areSettingsOpen);
  const algorithm = algorithmOf(settings);
  const further = furtherArguments(algorithm);
  const needed: Algorithm['inputs'] = algorithm.inputs.filter((input) => OPTIONAL[input] === undefined);
  const changed = further.filter(({ name }) => settings.arguments[name] !== undefined);
  const id = useId();
  return (
    <form className="settings" aria-label="Settings of runs" onSubmit={(event) => event.preventDefault()}>
      <div className="settings-row">
        <FunctionField />
        {needed.map((input) => (
          <SourceField key={input} input={input} />
        ))}
        {commonArguments(algorithm).map((argument) => (
          <ArgumentField key={argument.name} argument={argument} isBrief />
        ))}
        <button
          type="button"
          className="quiet more"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => update({ areSettingsOpen: !isOpen })}
        >
          {isOpen ? 'less' : 'more…'}
          {changed.length > 0 && <span className="count">{changed.length}</span>}
        </button>
      </div>
      <div id={id} className="settings-further" hidden={!isOpen}>
        <p className="muted">{algorithm.description}</p>
        {algorithm.inputs
          .filter((input) => !needed.includes(input))
          .map((input) => (
            <SourceField key={input} input={input} />
          ))}
        {further.map((argument) => (
          <ArgumentField key={argument.name} argument={argument} />
        ))}
      </div>
    </form>
  );
}

function FunctionField() {
  const id = useId();
  const { functionName } = useStore(({ project }) => project.settings);
  const functions = algorithms;
  const groups = [...new Set(functions.map(titleOf))];
  return (
    <div className="field function">
      <label htmlFor={id}>function</label>
      <select
        id={id}
        value={functionName}
        onChange={({ target }) => {
          const { settings } = useStore.getState().project;
          const names = argumentsOf(algorithmOf({ ...settings, functionName: target.value })).map(({ name }) => name);
          const kept = Object.entries(settings.arguments).filter(([name]) => names.includes(name));
          updateProject({ settings: { functionName: target.value, arguments: Object.fromEntries(kept), sources: {} } });
        }}
      >
        {groups.map((group) => (
          <optgroup key={group} label={group}>
            {functions
              .filter((algorithm) => titleOf(algorithm) === group)
              .map((algorithm) => (
                <option key={algorithm.functionName} value={algorithm.functionName}>
                  {familiarName(algorithm.functionName)}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
}

/** What the form shows where no run is chosen for an input that need not be given. */
const OPTIONAL: Readonly<Record<string, string>> = { init: 'random', warm_start: 'none', continue: 'none' };

/** The run that an input comes from. */
function SourceField({ input }: { readonly input: Algorithm['inputs'][number] }) {
  const id = useId();
  const runs = useStore(({ runs }) => runs);
  const settings = useStore(({ project }) => project.settings);
  const offered = runsFor(input, runs);
  const without = OPTIONAL[input];
  const isOptional = without !== undefined;
  if (isOptional && offered.length === 0) return null;
  return (
    <div className={isOptional ? 'field' : 'field brief source'}>
      <label htmlFor={id}>{input}</label>
      <select
        id={id}
        value={settings.sources?.[input] ?? ''}
        onChange={({ target }) => {
          const { [input]: _, ...others } = settings.sources ?? {};
          const sources = target.value === '' ? others : { ...others, [input]: target.value };
          updateProject({ settings: { ...settings, sources } });
        }}
      >
        <option value="">{isOptional ? without : offered.length === 0 ? WANTED[input] : 'choose a run'}</option>
        {offered.map((run) => (
          <option key={run.id} value={run.id}>
            {nameOf(run)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What has to be run before there is such an input. */
const WANTED: Readonly<Record<string, string>> = {
  mode: 'optimize first',
  fitted_params: 'sample first',
};

function setArgument(name: string, value: ArgumentValue | undefined): void {
  const { settings } = useStore.getState().project;
  const { [name]: _, ...others } = settings.arguments;
  updateProject({ settings: { ...settings, arguments: value === undefined ? others : { ...others, [name]: value } } });
}

/** One argument: its default as the placeholder, what differs from it marked and resettable. */
function ArgumentField({ argument, isBrief = false }: { readonly argument: Argument; readonly isBrief?: boolean }) {
  const { name, description } = argument;
  const value = useStore(({ project }) => project.settings.arguments[name]);
  const [draft, setDraft] = useState<string>();
  const id = useId();
  const initial = defaultOf(argument);
  const isChanged = value !== undefined && value !== initial;
  const text = draft ?? (value === undefined ? '' : textOf(value));
  const problem = text === '' ? undefined : problemWith(argument, text);
  const set = (typed: string) => {
    setDraft(typed);
    if (typed === '') setArgument(name, undefined);
    else if (problemWith(argument, typed) === undefined) setArgument(name, argumentValue(argument, typed));
  };
  const common = {
    'data-argument': name,
    'aria-describedby': `${id}-help`,
    'aria-invalid': problem !== undefined,
    onBlur: () => problem === undefined && setDraft(undefined),
  };
  return (
    <div
      className={`field ${isBrief ? 'brief' : ''} ${isChanged ? 'changed' : ''}`}
      title={isBrief ? description : undefined}
    >
      <label htmlFor={id}>{isBrief ? labelOf(name) : name}</label>
      {argument.type === 'boolean' || argument.type === 'string' ? (
        <select
          id={id}
          value={text === '' ? textOf(argument.default) : text}
          onChange={({ target }) => set(target.value)}
          {...common}
        >
          {(argument.type === 'boolean' ? ['true', 'false'] : argument.choices).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          inputMode={argument.type === 'array' ? 'text' : 'decimal'}
          autoComplete="off"
          value={text}
          placeholder={initial === undefined ? (name === 'random_seed' ? 'random' : 'none') : textOf(initial)}
          onChange={({ target }) => set(target.value)}
          {...common}
        />
      )}
      {isChanged && !isBrief && (
        <button
          type="button"
          className="quiet reset"
          aria-label={`Reset ${name}`}
          onClick={() => {
            setDraft(undefined);
            setArgument(name, undefined);
          }}
        >
          ↺
        </button>
      )}
      <p id={`${id}-help`} className={problem === undefined ? 'help' : 'help problem'}>
        {problem === undefined ? description : `${name} ${problem}.`}
      </p>
    </div>
  );
}

function textOf(value: ArgumentValue): string {
  return typeof value === 'object'
    ? JSON.stringify(value)
    : `${typeof value === 'number' ? Number(value.toPrecision(6)) : value}`;
}

function argumentValue({ type }: Argument, text: string): ArgumentValue {
  if (type === 'boolean') return text === 'true';
  return type === 'string' ? text : JSON.parse(text);
}

/** The engine's message about a typed value; undefined for a valid one. */
function problemWith(argument: Argument, text: string): string | undefined {
  let value: unknown = text;
  try {
    value = argument.type === 'string' ? text : JSON.parse(text);
  } catch {
    // Text that is not JSON is not a value of the argument; the engine reports it.
  }
  const read = readArguments([argument], { [argument.name]: value });
  return 'problems' in read ? read.problems[0]?.message : undefined;
}
