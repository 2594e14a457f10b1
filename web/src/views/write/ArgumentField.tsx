import { type ReactNode, useId, useState } from 'react';
import type { Algorithm } from '#engine/inference/algorithms/algorithm.js';
import { type Argument, type ArgumentValue, argumentFault } from '#engine/inference/algorithms/arguments.js';
import { argumentDescription } from '../../run/descriptions.js';
import { defaultOf } from '../../run/functions.js';
import { drawSeed } from '../../state/project.js';
import { updateProject, useStore } from '../../state/store.js';
import type { TermName } from '../../terms/term-names.js';
import { stated, t } from '../../words/messages.js';
import { Term } from '../Term.js';
import { labelOf } from './showing-arguments.js';

function setArgument(name: string, value: ArgumentValue | undefined): void {
  const { settings } = useStore.getState().project;
  const { [name]: _, ...others } = settings.arguments;
  updateProject({ settings: { ...settings, arguments: value === undefined ? others : { ...others, [name]: value } } });
}

/** Arguments whose names are statistical terms. */
const TERMS: Readonly<Partial<Record<string, TermName>>> = { num_chains: 'chain', num_warmup: 'warmup' };

/** The field of one argument, with its default as the placeholder. Changed values are marked and can be reset. */
export function ArgumentField({
  algorithm,
  argument,
  isBrief = false,
}: {
  readonly algorithm: Algorithm;
  readonly argument: Argument;
  readonly isBrief?: boolean;
}) {
  const { name } = argument;
  const description = argumentDescription(algorithm, argument);
  const value = useStore(({ project }) => project.settings.arguments[name]);
  const [draft, setDraft] = useState<string>();
  const id = useId();
  const initial = defaultOf(argument);
  const isSeed = name === 'random_seed';
  const isChanged = !isSeed && value !== undefined && value !== initial;
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
    onBlur: () => {
      if (isSeed && text === '') setArgument(name, drawSeed());
      if (problem === undefined) setDraft(undefined);
    },
  };
  return (
    <div
      className={`field ${isBrief ? 'brief' : ''} ${isSeed ? 'seed' : ''} ${isChanged ? 'changed' : ''}`}
      title={isBrief ? (isSeed ? t('write.seedHelp') : description) : undefined}
    >
      <span className="field-label">
        <label htmlFor={id}>{isBrief ? labelOf(name) : name}</label>
        {isBrief && TERMS[name] !== undefined && <Term name={TERMS[name]} label={labelOf(name)} />}
      </span>
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
          placeholder={initial === undefined ? t(isSeed ? 'write.random' : 'write.none') : textOf(initial)}
          onChange={({ target }) => set(target.value)}
          {...common}
        />
      )}
      {isSeed && (
        <button
          type="button"
          className="quiet draw"
          aria-label={t('write.randomize')}
          title={t('write.randomizeHelp')}
          onClick={() => {
            setDraft(undefined);
            setArgument(name, drawSeed());
          }}
        >
          ↻
        </button>
      )}
      {isChanged && !isBrief && (
        <button
          type="button"
          className="quiet reset"
          aria-label={t('write.reset', { name })}
          onClick={() => {
            setDraft(undefined);
            setArgument(name, undefined);
          }}
        >
          ↺
        </button>
      )}
      <p id={`${id}-help`} className={problem === undefined ? 'help' : 'help problem'}>
        {problem === undefined ? withCode(description) : `${name} ${problem}.`}
      </p>
    </div>
  );
}

/** A text with the parts between backticks as code. */
function withCode(text: string): readonly ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text that does not change
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
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

/** The problem with a typed value; undefined if it is valid. */
function problemWith(argument: Argument, text: string): string | undefined {
  let value: unknown = text;
  try {
    value = argument.type === 'string' ? text : JSON.parse(text);
  } catch {
    // If the text is not JSON, it is passed unchanged, and the engine reports it.
  }
  const fault = argumentFault(argument, value);
  return fault && stated([fault]);
}
