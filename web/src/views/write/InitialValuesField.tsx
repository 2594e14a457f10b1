import { useId } from 'react';
import { problemWithInitialValues, runsFor } from '../../run/sources.js';
import type { RunSettings } from '../../state/project.js';
import { nameOf } from '../../state/run.js';
import { updateProject, useStore } from '../../state/store.js';
import { INITIAL_VALUES } from './showing-arguments.js';

const AS_TEXT = 'text';

/** Where chains start: at random, at values written as JSON, or at draws of an earlier run. */
export function InitialValuesField() {
  const id = useId();
  const runs = useStore(({ runs }) => runs);
  const settings = useStore(({ project }) => project.settings);
  const parameters = useStore(({ report }) => report?.info?.parameters);
  const { initialValues, sources } = settings;
  const problem = initialValues === undefined ? undefined : problemWithInitialValues(initialValues);
  const names = Object.keys(parameters ?? {}).join(', ');
  return (
    <div className={`field ${initialValues === undefined ? '' : 'changed'}`}>
      <label htmlFor={id}>init</label>
      <select
        id={id}
        aria-describedby={`${id}-help`}
        value={initialValues === undefined ? (sources?.init ?? '') : AS_TEXT}
        onChange={({ target }) => chooseInitialValues(settings, target.value)}
      >
        <option value="">random</option>
        <option value={AS_TEXT}>values as JSON</option>
        {runsFor('init', runs).map((run) => (
          <option key={run.id} value={run.id}>
            {nameOf(run)}
          </option>
        ))}
      </select>
      {initialValues !== undefined && (
        <textarea
          data-argument={INITIAL_VALUES}
          aria-label="Initial values"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-help`}
          spellCheck={false}
          rows={3}
          placeholder='{"mu": 0, "tau": 1}'
          value={initialValues}
          onChange={({ target }) => updateProject({ settings: { ...settings, initialValues: target.value } })}
        />
      )}
      <p id={`${id}-help`} className={problem === undefined ? 'help' : 'help problem'}>
        {problem ?? helpOf(initialValues, names)}
      </p>
    </div>
  );
}

function helpOf(initialValues: string | undefined, names: string): string {
  if (initialValues === undefined)
    return 'Where the chains start: at random, at given values, or at draws of an earlier run.';
  const members = names === '' ? 'parameter' : `parameter (${names})`;
  return `One member per ${members}, on its own scale. Parameters without a member start at random.`;
}

function chooseInitialValues(settings: RunSettings, chosen: string): void {
  const { initialValues, sources = {}, ...others } = settings;
  const { init, ...further } = sources;
  updateProject({
    settings:
      chosen === AS_TEXT
        ? { ...others, sources: further, initialValues: '{}' }
        : { ...others, sources: chosen === '' ? further : { ...further, init: chosen } },
  });
}
