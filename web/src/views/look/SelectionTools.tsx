import { useState } from 'react';
import { DRAW, type Range } from '#engine/plots/selection.js';
import { numerals, t } from '../../words/messages.js';
import { rich } from '../../words/rich.js';

/** Selects draws by a quantity without a pointer; initially the range contains all of its values. */
export function SelectBy({
  names,
  extentOf,
  ranges,
  onChange,
}: {
  readonly names: readonly string[];
  readonly extentOf: (name: string) => Omit<Range, 'name'>;
  readonly ranges: readonly Range[];
  readonly onChange: (ranges: readonly Range[]) => void;
}) {
  const free = [...names, DRAW].filter((name) => ranges.every((range) => range.name !== name));
  if (free.length === 0) return null;
  return (
    <select
      aria-label={t('plots.selectBy')}
      title={t('plots.selectByHelp')}
      value=""
      onChange={({ target }) => onChange([...ranges, { name: target.value, ...extentOf(target.value) }])}
    >
      <option value="" disabled>
        {t('plots.selectByHint')}
      </option>
      {free.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

/** The current selection of draws, which can be edited. */
export function SelectionBar({
  ranges,
  count,
  total,
  onChange,
}: {
  readonly ranges: readonly Range[];
  readonly count: number;
  readonly total: number;
  readonly onChange: (ranges: readonly Range[]) => void;
}) {
  return (
    <section className="toolbar selection" aria-label={t('plots.selection')}>
      <span role="status">{t('plots.selected', { count, total })}</span>
      {ranges.map((range, place) => (
        <span key={range.name} className="inline-field">
          <code>{range.name}</code>
          {(['from', 'to'] as const).map((end) => (
            <End
              key={end}
              label={t(`plots.${end}`, { name: range.name })}
              value={range[end]}
              onChange={(value) => onChange(ranges.map((each, k) => (k === place ? { ...each, [end]: value } : each)))}
            />
          ))}
        </span>
      ))}
      <span className="space" />
      <button type="button" onClick={() => onChange([])}>
        {rich('plots.clear')}
      </button>
    </section>
  );
}

/** A limit, applied as soon as it is a number, with the decimal mark of the page or a point. */
function End({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}) {
  const [draft, setDraft] = useState<string>();
  const isWrong = draft !== undefined && !isNumber(draft);
  return (
    <input
      className="short"
      aria-label={label}
      aria-invalid={isWrong}
      inputMode="decimal"
      value={draft ?? numerals.short(value)}
      onChange={({ target }) => {
        setDraft(target.value);
        if (isNumber(target.value)) onChange(numberIn(target.value));
      }}
      onBlur={() => setDraft(undefined)}
    />
  );
}

function numberIn(text: string): number {
  return Number(text.replace('−', '-').replace(',', '.'));
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(numberIn(text));
}
