import { useId, useState } from 'react';
import { splitNames } from '#engine/formats/columns.js';
import type { Until } from '#engine/requests/until.js';
import { blockOf, untilProblems } from '../../run/until-settings.js';
import type { RunSettings } from '../../state/project.js';
import { updateProject, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import type { PlainKey } from '../../words/types.js';

type Member = keyof Until;

const FIELDS: readonly { readonly member: Member; readonly help: PlainKey }[] = [
  { member: 'ess_bulk', help: 'write.untilEssBulk' },
  { member: 'ess_tail', help: 'write.untilEssTail' },
  { member: 'rhat', help: 'write.untilRhat' },
  { member: 'mcse_mean', help: 'write.untilMcseMean' },
  { member: 'mcse_sd', help: 'write.untilMcseSd' },
  { member: 'quantities', help: 'write.untilQuantities' },
  { member: 'max_iterations', help: 'write.untilMaxIterations' },
];

/** The stopping rule. Members without text are omitted. */
export function UntilFields() {
  const settings = useStore(({ project }) => project.settings);
  const problem = settings.until && untilProblems(settings, settings.until).get('');
  return (
    <fieldset>
      <legend>{t('write.until')}</legend>
      <p className="muted until-help">{t('write.untilHelp', { iterations: blockOf(settings) })}</p>
      {problem !== undefined && <p className="help problem until-help">{problem}.</p>}
      {FIELDS.map((field) => (
        <UntilField key={field.member} {...field} />
      ))}
    </fieldset>
  );
}

function UntilField({ help, member }: { readonly member: Member; readonly help: PlainKey }) {
  const id = useId();
  const settings = useStore(({ project }) => project.settings);
  const [draft, setDraft] = useState<string>();
  const value = settings.until?.[member];
  const text = draft ?? (typeof value === 'object' ? value.join(', ') : `${value ?? ''}`);
  const problem = text === '' ? undefined : problemsWith(settings, member, memberValue(member, text)).get(member);
  return (
    <div className={`field ${value === undefined ? '' : 'changed'}`}>
      <label htmlFor={id}>{member}</label>
      <input
        id={id}
        data-argument={`until/${member}`}
        inputMode={member === 'quantities' ? 'text' : 'decimal'}
        autoComplete="off"
        placeholder={t(member === 'quantities' ? 'write.all' : 'write.none')}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => {
          setDraft(target.value);
          const typed = memberValue(member, target.value);
          if (target.value === '') setMember(member, undefined);
          else if (!problemsWith(settings, member, typed).has(member)) setMember(member, typed);
        }}
        onBlur={() => {
          if (problem === undefined) setDraft(undefined);
        }}
      />
      <p id={`${id}-help`} className={problem === undefined ? 'help' : 'help problem'}>
        {problem === undefined ? t(help) : `${member} ${problem}.`}
      </p>
    </div>
  );
}

/** Problems of a rule with this member, to which a limit is added because no rule is valid without one. */
function problemsWith(settings: RunSettings, member: Member, value: unknown): ReadonlyMap<string, string> {
  return untilProblems(settings, { rhat: 2, [member]: value });
}

function memberValue(member: Member, text: string): number | readonly string[] {
  return member === 'quantities' ? splitNames(text) : Number(text);
}

function setMember(member: Member, value: number | readonly string[] | undefined): void {
  const { settings } = useStore.getState().project;
  const { until = {}, ...others } = settings;
  const { [member]: _, ...rest } = until;
  const rule: Until = value === undefined ? rest : { ...rest, [member]: value };
  updateProject({ settings: Object.keys(rule).length === 0 ? others : { ...others, until: rule } });
}
