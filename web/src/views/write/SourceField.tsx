import { useId } from 'react';
import type { Algorithm } from '#engine/inference/algorithms/algorithm.js';
import { runsFor } from '../../run/sources.js';
import { nameOf } from '../../state/run.js';
import { updateProject, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import type { PlainKey } from '../../words/types.js';

/** The label of no selection, for optional inputs. */
const OPTIONAL: Readonly<Record<string, PlainKey>> = {
  init: 'write.random',
  warm_start: 'write.none',
  continue: 'write.none',
};

export function isOptionalInput(input: Algorithm['inputs'][number]): boolean {
  return OPTIONAL[input] !== undefined;
}

/** Selects the run that provides an input. */
export function SourceField({ input }: { readonly input: Algorithm['inputs'][number] }) {
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
        <option value="">
          {t(without ?? (offered.length === 0 ? WANTED[input] : undefined) ?? 'write.chooseRun')}
        </option>
        {offered.map((run) => (
          <option key={run.id} value={run.id}>
            {nameOf(run)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The type of run that provides such an input. */
const WANTED: Readonly<Record<string, PlainKey>> = {
  mode: 'write.optimizeFirst',
  fitted_params: 'write.sampleFirst',
};
