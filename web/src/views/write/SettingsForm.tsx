import { useId } from 'react';
import type { Algorithm } from '#engine/inference/algorithms/algorithm.js';
import { algorithms } from '#engine/inference/algorithms/registry.js';
import { argumentsOf } from '#engine/requests/functions.js';
import { functionDescription } from '../../run/descriptions.js';
import { familiarName, usualNames } from '../../run/function-names.js';
import { algorithmOf, argumentGroups, commonArguments, defaultOf, titleOf } from '../../run/functions.js';
import { takesUntil } from '../../run/until-settings.js';
import { update, updateProject, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { ArgumentField } from './ArgumentField.js';
import { InitialValuesField } from './InitialValuesField.js';
import { isOptionalInput, SourceField } from './SourceField.js';
import { UntilFields } from './UntilFields.js';

/** The settings of a run: the method, and its arguments from its description. */
export function SettingsForm() {
  const settings = useStore(({ project }) => project.settings);
  const isOpen = useStore(({ areSettingsOpen }) => areSettingsOpen);
  const algorithm = algorithmOf(settings);
  const groups = argumentGroups(algorithm);
  const needed: Algorithm['inputs'] = algorithm.inputs.filter((input) => !isOptionalInput(input));
  const changed = groups
    .flatMap((group) => group.arguments)
    .filter((argument) => (settings.arguments[argument.name] ?? defaultOf(argument)) !== defaultOf(argument));
  const { initialValues, until } = settings;
  const count = changed.length + [initialValues, until].filter((each) => each !== undefined).length;
  const id = useId();
  return (
    <form className="settings" aria-label={t('write.settings')} onSubmit={(event) => event.preventDefault()}>
      <div className="settings-row">
        <FunctionField />
        {needed.map((input) => (
          <SourceField key={input} input={input} />
        ))}
        {commonArguments(algorithm).map((argument) => (
          <ArgumentField key={argument.name} algorithm={algorithm} argument={argument} isBrief />
        ))}
        <button
          type="button"
          className="quiet more"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => update({ areSettingsOpen: !isOpen })}
        >
          {t(isOpen ? 'write.less' : 'write.more')}
          {count > 0 && <span className="count">{count}</span>}
        </button>
      </div>
      <div id={id} className="settings-further" hidden={!isOpen}>
        <p className="muted">{functionDescription(algorithm)}</p>
        {groups.map(({ title, arguments: own }) => (
          <fieldset key={title}>
            <legend>{t(`write.group${title}`)}</legend>
            {own.map((argument) => (
              <ArgumentField key={argument.name} algorithm={algorithm} argument={argument} />
            ))}
            {title === 'Run' && (
              <>
                {algorithm.inputs.includes('init') && <InitialValuesField />}
                {algorithm.inputs
                  .filter((input) => isOptionalInput(input) && input !== 'init')
                  .map((input) => (
                    <SourceField key={input} input={input} />
                  ))}
              </>
            )}
          </fieldset>
        ))}
        {takesUntil(settings) && <UntilFields />}
      </div>
    </form>
  );
}

function FunctionField() {
  const id = useId();
  const { functionName } = useStore(({ project }) => project.settings);
  const usual = usualNames();
  const others = algorithms.filter((algorithm) => !usual.has(algorithm.functionName));
  const groups = [...new Set(others.map(titleOf))];
  return (
    <div className="field function">
      <label htmlFor={id}>{t('write.method')}</label>
      <select
        id={id}
        value={functionName}
        onChange={({ target }) => {
          const { settings } = useStore.getState().project;
          const names = argumentsOf(algorithmOf({ ...settings, functionName: target.value })).map(({ name }) => name);
          const kept = Object.entries(settings.arguments).filter(([name]) => names.includes(name));
          const { initialValues, until } = settings;
          updateProject({
            settings: {
              functionName: target.value,
              arguments: Object.fromEntries(kept),
              sources: {},
              ...(initialValues !== undefined && { initialValues }),
              ...(until !== undefined && { until }),
            },
          });
        }}
      >
        {[...usual].map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
        {groups.map((group) => (
          <optgroup key={group} label={group}>
            {others
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
