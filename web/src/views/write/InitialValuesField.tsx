import { useId } from 'react';
import { problemWithInitialValues, runsFor } from '../../run/sources.js';
import type { RunSettings } from '../../state/project.js';
import { nameOf } from '../../state/run.js';
import { updateProject, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { INITIAL_VALUES } from './showing-arguments.js';

const AS_TEXT = 'text';
const EXAMPLE = '{"mu": 0, "tau": 1}';

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
      <label htmlFor={id}>{INITIAL_VALUES}</label>
      <select
        id={id}
        aria-describedby={`${id}-help`}
        value={initialValues === undefined ? (sources?.init ?? '') : AS_TEXT}
        onChange={({ target }) => chooseInitialValues(settings, target.value)}
      >
        <option value="">{t('write.random')}</option>
        <option value={AS_TEXT}>{t('write.valuesAsJson')}</option>
        {runsFor('init', runs).map((run) => (
          <option key={run.id} value={run.id}>
            {nameOf(run)}
          </option>
        ))}
      </select>
      {initialValues !== undefined && (
        <textarea
          data-argument={INITIAL_VALUES}
          aria-label={t('write.initialValues')}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-help`}
          spellCheck={false}
          rows={3}
          placeholder={EXAMPLE}
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
  if (initialValues === undefined) return t('write.initialValuesHelp');
  return names === '' ? t('write.membersHelp') : t('write.membersHelpOf', { names });
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
