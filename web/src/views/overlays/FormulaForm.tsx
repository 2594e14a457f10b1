import { useId, useState } from 'react';
import { type Family, families } from '#engine/formula/families.js';
import { type Formula, formulaText } from '#engine/formula/formula.js';
import type { MissingValues } from '#engine/formula/imputation.js';
import { parseFormula } from '#engine/formula/parse.js';
import type { ColumnOutline, TableOutline } from '#engine/tables/outline.js';
import {
  likelyFamily,
  likelyFormula,
  type Role,
  roleOf,
  roles,
  rolesFor,
  usableColumns,
  withOutcome,
  withRole,
} from '../../data/formula-roles.js';
import { tableReader } from '../../data/reading-tables.js';
import { takeFormula } from '../../data/taking-tables.js';
import { stated, t } from '../../words/messages.js';
import { useAnswer } from '../useAnswer.js';
import { closeOverlay } from './Overlay.js';

/** Writes a program from an outcome, predictors and groups, or from a formula. Form and formula show the same model. */
export function FormulaForm({ table }: { readonly table: TableOutline }) {
  const columns = usableColumns(table);
  const first = likelyFormula(columns);
  return first === undefined ? null : <Form table={table} columns={columns} first={first} />;
}

interface Props {
  readonly table: TableOutline;
  readonly columns: readonly ColumnOutline[];
  readonly first: Formula;
}

/** Until the first answer. */
const UNKNOWN = { faults: [], omitted: 0 };

function Form({ columns, first, table }: Props) {
  const id = useId();
  const [text, setText] = useState(formulaText(first));
  const [chosenFamily, setFamily] = useState<Family>();
  const [order, setOrder] = useState<string>();
  const [isImputed, setImputed] = useState(false);
  // The form shows the last formula that could be parsed.
  const [formula, setFormula] = useState(first);
  const outcome = columns.find(({ name }) => name === formula.outcome.name);
  const family = chosenFamily ?? (outcome === undefined ? 'normal' : likelyFamily(outcome));
  const isOrdered = family === 'cumulative' && outcome?.kind === 'text';
  const categories = order ?? outcome?.levels.join(', ') ?? '';
  const levels = isOrdered ? categories.split(',').map((level) => level.trim()) : undefined;
  const missing: MissingValues = isImputed ? 'parameters' : 'omit';
  const question = { formula: text, family, missing, ...(levels !== undefined && { order: levels }) };
  const { faults, omitted } = useAnswer(table, question, (asked) => tableReader().checkFormula(asked)) ?? UNKNOWN;
  const [isTaking, setTaking] = useState(false);
  const change = (next: Formula) => {
    setFormula(next);
    setText(formulaText(next));
  };
  const type = (written: string) => {
    setText(written);
    const parsed = parseFormula(written);
    if (!('fault' in parsed)) setFormula(parsed);
  };
  return (
    <section className="formula" aria-labelledby={id}>
      <h3 id={id}>{t('formula.title')}</h3>
      <div className="assignment">
        <label className="inline-field">
          {t('formula.outcome')}
          <select
            value={outcome?.name ?? ''}
            onChange={({ target }) => {
              setOrder(undefined);
              setFamily(undefined);
              change(withOutcome(formula, target.value));
            }}
          >
            {outcome === undefined && <option value="">–</option>}
            {columns.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="inline-field">
          {t('formula.family')}
          <select value={family} onChange={({ target }) => setFamily(families.find((each) => each === target.value))}>
            {families.map((each) => (
              <option key={each} value={each}>
                {t(`formula.${each}`)}
              </option>
            ))}
          </select>
        </label>
        {columns
          .filter(({ name }) => name !== formula.outcome.name)
          .map((column) => (
            <RoleField
              key={column.name}
              column={column}
              role={roleOf(formula, column.name)}
              onRole={(role) => change(withRole(formula, column.name, role))}
            />
          ))}
      </div>
      {isOrdered && (
        <label className="formula-field">
          {t('formula.order')}
          <input type="text" value={categories} onChange={({ target }) => setOrder(target.value)} />
        </label>
      )}
      <label className="formula-field">
        {t('formula.formula')}
        <input
          type="text"
          spellCheck={false}
          autoCapitalize="off"
          value={text}
          aria-invalid={faults.length > 0}
          aria-describedby={`${id}-state`}
          onChange={({ target }) => type(target.value)}
        />
      </label>
      <div id={`${id}-state`} aria-live="polite">
        {faults.map((fault) => (
          <p key={`${fault.key} ${fault.span.start}`} className="wrong">
            {stated([fault])}
          </p>
        ))}
        {omitted > 0 && <p className="muted">{t('formula.omitted', { count: omitted })}</p>}
      </div>
      {(omitted > 0 || isImputed) && (
        <label className="inline-field">
          <input type="checkbox" checked={isImputed} onChange={({ target }) => setImputed(target.checked)} />{' '}
          {t('formula.imputed')}
        </label>
      )}
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={isTaking || faults.length > 0}
          onClick={() => {
            setTaking(true);
            void takeFormula(table, question).then((isTaken) => (isTaken ? closeOverlay() : setTaking(false)));
          }}
        >
          {t('formula.write')}
        </button>
      </div>
    </section>
  );
}

interface RoleProps {
  readonly column: ColumnOutline;
  readonly role: Role;
  readonly onRole: (role: Role) => void;
}

function RoleField({ column, onRole, role }: RoleProps) {
  const { name } = column;
  return (
    <div className="inline-field">
      <code>{name}</code>
      <select
        aria-label={t('formula.role', { column: name })}
        value={role}
        onChange={({ target }) => onRole(roles.find((each) => each === target.value) ?? 'none')}
      >
        {rolesFor(column).map((each) => (
          <option key={each} value={each}>
            {t(`formula.${each}`)}
          </option>
        ))}
      </select>
    </div>
  );
}
