import { lazy, Suspense, useState } from 'react';
import type { ColumnUse } from '#engine/tables/members.js';
import { variableNames } from '#engine/tables/names.js';
import type { ColumnOutline, TableOutline } from '#engine/tables/outline.js';
import { type Assignable, assignableVariables, likelySource, sourcesFor } from '../../data/assigning.js';
import { tableReader } from '../../data/reading-tables.js';
import { columnOf, type Source } from '../../data/sources.js';
import { takeColumns, takeSources } from '../../data/taking-tables.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { useAnswer } from '../useAnswer.js';
import { CloseButton, closeOverlay, Overlay } from './Overlay.js';
import { ColumnUseField, TableReading } from './TableColumns.js';

const FormulaForm = lazy(async () => ({ default: (await import('./FormulaForm.js')).FormulaForm }));

/** Assigns the columns of a table to the data variables of the program. */
export function TableView() {
  const table = useStore(({ table }) => table);
  const isEmpty = useStore(({ project }) => project.program.trim() === '');
  const inputs = useStore(({ report }) => report?.info?.inputs);
  if (table === undefined) return null;
  return (
    <Overlay label={t('data.tableTitle')}>
      <h2>{t('data.tableFrom', { file: table.name })}</h2>
      <TableHead table={table} />
      <TableReading table={table} />
      {isEmpty ? (
        <>
          <Suspense fallback={null}>
            <FormulaForm
              key={[table.sheets?.current, ...table.columns.map(({ name }) => name)].join('\n')}
              table={table}
            />
          </Suspense>
          <section className="formula">
            <h3>{t('formula.orDeclare')}</h3>
            <Beginning table={table} />
          </section>
        </>
      ) : inputs === undefined ? (
        <NoProgram />
      ) : (
        <Assignment key={Object.keys(inputs).join()} table={table} variables={assignableVariables(inputs)} />
      )}
    </Overlay>
  );
}

function NoProgram() {
  return (
    <>
      <p className="wrong">{t('data.fixProgram')}</p>
      <div className="buttons">
        <CloseButton />
      </div>
    </>
  );
}

/** Starts a program that declares the chosen columns. */
function Beginning({ table }: { readonly table: TableOutline }) {
  const names = variableNames(table.columns.map(({ name }) => name));
  const [unchosen, setUnchosen] = useState<ReadonlySet<string>>(new Set());
  const [uses, setUses] = useState<ReadonlyMap<string, ColumnUse>>(new Map());
  const [isComplete, setComplete] = useState(true);
  const chosen = table.columns.filter(({ isUsable, name }) => isUsable && !unchosen.has(name));
  const columns = chosen.map(({ name }) => name);
  const sources = chosen.map(
    ({ name, kind }): Source => ({
      kind: kind === 'text' || uses.get(name) === 'index' ? 'groups' : 'column',
      column: name,
    }),
  );
  return (
    <>
      <p className="prose">{t('data.chooseColumns')}</p>
      <fieldset className="choices">
        <legend className="visually-hidden">{t('data.columns')}</legend>
        {table.columns.map((column) => (
          <label key={column.name} className="inline-field">
            <input
              type="checkbox"
              disabled={!column.isUsable}
              checked={columns.includes(column.name)}
              onChange={({ target }) => {
                const others = [...unchosen].filter((each) => each !== column.name);
                setUnchosen(new Set(target.checked ? others : [...others, column.name]));
              }}
            />{' '}
            <code>{names.get(column.name)}</code>
          </label>
        ))}
      </fieldset>
      {chosen
        .filter(({ kind }) => kind === 'text' || kind === 'date')
        .map((column) => (
          <ColumnUseField
            key={column.name}
            column={column}
            variable={names.get(column.name) ?? column.name}
            use={uses.get(column.name)}
            onUse={(use) => setUses(new Map([...uses, [column.name, use]]))}
          />
        ))}
      <Remarks
        table={table}
        sources={sources}
        coded={columns.filter((column) => uses.get(column) !== 'indicators')}
        isComplete={isComplete}
        onComplete={setComplete}
      />
      <Buttons
        label={t('data.startProgram')}
        isReady={chosen.length > 0}
        isPrimary={false}
        onTake={() => takeColumns(table, { columns, uses, isComplete })}
      />
    </>
  );
}

function TableHead({ table: { columns, rows } }: { readonly table: TableOutline }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="table-head" aria-label={t('data.firstRows')} tabIndex={0}>
      <table className="numbers">
        <thead>
          <tr>
            {columns.map(({ name, kind }) => (
              <th key={name} scope="col" className={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: Math.max(0, ...columns.map(({ head }) => head.length)) }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a table that does not change
            <tr key={row}>
              {columns.map(({ name, head, kind }) => (
                <td key={name} className={kind}>
                  {head[row]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted">{t('data.rowCount', { count: rows })}</p>
    </section>
  );
}

function Assignment({ table, variables }: { readonly table: TableOutline; readonly variables: readonly Assignable[] }) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(
    new Map(variables.map((variable) => [variable.name, keyOf(likelySource(variable, table))])),
  );
  const [isComplete, setComplete] = useState(true);
  const used = variables.flatMap((variable) => {
    const source = sourcesFor(variable, table).find((each) => keyOf(each) === chosen.get(variable.name));
    return source === undefined ? [] : [{ name: variable.name, source }];
  });
  if (variables.length === 0) {
    return <p className="wrong">{t('data.nothingAssignable')}</p>;
  }
  return (
    <>
      <div className="assignment">
        {variables.map((variable) => (
          <label key={variable.name} className="inline-field">
            <code>{variable.name}</code>
            <select
              value={chosen.get(variable.name)}
              onChange={({ target }) => setChosen(new Map([...chosen, [variable.name, target.value]]))}
            >
              <option value="">–</option>
              {sourcesFor(variable, table).map((source) => (
                <option key={keyOf(source)} value={keyOf(source)}>
                  {wordsFor(source, table)}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <Remarks
        table={table}
        sources={used.map(({ source }) => source)}
        coded={used.flatMap(({ source }) => (source.kind === 'groups' ? [source.column] : []))}
        isComplete={isComplete}
        onComplete={setComplete}
      />
      <Buttons
        label={t('data.addToData')}
        isReady={used.length > 0}
        onTake={() => takeSources(table, { used, isComplete })}
      />
    </>
  );
}

interface ButtonsProps {
  readonly label: string;
  readonly isReady: boolean;
  readonly isPrimary?: boolean;
  readonly onTake: () => Promise<void>;
}

/** Buttons to accept or cancel. */
function Buttons({ label, isPrimary = true, isReady, onTake }: ButtonsProps) {
  const [isTaking, setTaking] = useState(false);
  const take = () => {
    setTaking(true);
    void onTake().then(closeOverlay);
  };
  return (
    <div className="buttons">
      <button type="button" className={isPrimary ? 'primary' : ''} disabled={isTaking || !isReady} onClick={take}>
        {label}
      </button>
      <button type="button" onClick={closeOverlay}>
        {t('frame.cancel')}
      </button>
    </div>
  );
}

interface RemarksProps {
  readonly table: TableOutline;
  readonly sources: readonly Source[];
  /** Text columns that are converted to numbers. */
  readonly coded?: readonly string[];
  /** Whether rows with empty cells are omitted. */
  readonly isComplete: boolean;
  readonly onComplete: (isComplete: boolean) => void;
}

/** Explains the treatment of texts and of empty cells. */
function Remarks({ table, sources, coded, isComplete, onComplete }: RemarksProps) {
  const names = columnsOf(sources);
  const used = table.columns.filter(({ name }) => names.includes(name));
  const left = useAnswer(table, names, (columns) => tableReader().countIncomplete(columns)) ?? 0;
  return (
    <>
      {used
        .filter(({ kind, name }) => kind === 'text' && (coded === undefined || coded.includes(name)))
        .map((column) => (
          <p key={column.name} className="muted">
            {t('data.textColumn', { column: column.name, levels: numberedLevels(column) })}
          </p>
        ))}
      {left > 0 && (
        <label className="inline-field">
          <input type="checkbox" checked={isComplete} onChange={({ target }) => onComplete(target.checked)} />{' '}
          {t('data.leaveOut', { count: left })}
        </label>
      )}
      {left > 0 && !isComplete && <p className="warning">{t('data.missingHelp')}</p>}
    </>
  );
}

const MOST_LEVELS = 6;

function numberedLevels({ levelCount, levels }: ColumnOutline): string {
  const words = levels.slice(0, MOST_LEVELS).map((level, index) => `${index + 1} ${level}`);
  return levelCount > MOST_LEVELS ? t('data.andMore', { levels: words.join(', ') }) : words.join(', ');
}

function columnsOf(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => columnOf(source) ?? []);
}

function keyOf(source: Source | undefined): string {
  if (source === undefined) return '';
  if (source.kind === 'rows') return 'rows';
  return `${source.kind} ${source.column}${source.kind === 'indicator' ? ` ${source.level}` : ''}`;
}

function wordsFor(source: Source, { columns, rows }: TableOutline): string {
  switch (source.kind) {
    case 'rows':
      return t('data.sourceRows', { count: rows });
    case 'levels':
      return t('data.sourceLevels', { column: source.column });
    case 'indicator':
      return t('data.sourceIndicator', { column: source.column, level: source.level });
    case 'groups':
      return t('data.sourceIndex', { column: source.column });
    case 'column': {
      const origin = columns.find(({ name }) => name === source.column)?.origin;
      return origin === undefined ? source.column : t('data.sourceDays', { column: source.column, origin });
    }
  }
}
