import type { ColumnUse } from '#engine/tables/members.js';
import type { ColumnOutline, TableOutline } from '#engine/tables/outline.js';
import { openSheet, rereadTable } from '../../data/reading-tables.js';
import { useStore } from '../../state/store.js';
import { enumeration, t } from '../../words/messages.js';
import { rich } from '../../words/rich.js';

/** How the table is read: switches for its notation, cells that cannot be read, rows and columns that are left out. */
export function TableReading({ table }: { readonly table: TableOutline }) {
  const { decimalComma, dayFirst, omitted, columns, sheets } = table;
  const texts = useStore(({ tableChoices }) => tableChoices.texts) ?? [];
  const rows = omitted.map(({ number, text }) => t('data.omittedRow', { row: number, text }));
  return (
    <div className="table-reading">
      {sheets !== undefined && sheets.names.length > 1 && <SheetField {...sheets} />}
      {decimalComma !== undefined && (
        <Switch
          label={t('data.decimalComma')}
          isOn={decimalComma}
          onChange={(isOn) => void rereadTable({ decimalComma: isOn })}
        />
      )}
      {dayFirst !== undefined && (
        <Switch label={t('data.dayFirst')} isOn={dayFirst} onChange={(isOn) => void rereadTable({ dayFirst: isOn })} />
      )}
      {rows.length > 0 && <p className="muted">{t('data.omitted', { rows: enumeration(rows) })}</p>}
      {columns
        .filter((column) => column.unreadableCount > 0 || texts.includes(column.name))
        .map((column) => (
          <Unreadable key={column.name} column={column} texts={texts} />
        ))}
      {columns.flatMap(({ codes = [], name }) =>
        codes.map(({ code, count }) => <CodeSwitch key={`${name} ${code}`} {...{ column: name, code, count }} />),
      )}
      {columns
        .filter((column) => !column.isUsable)
        .map(({ name: column, levels }) => (
          <p key={column} className="muted">
            {levels.length === 0 ? rich('data.noValues', { column }) : rich('data.mostlyDistinct', { column })}
          </p>
        ))}
    </div>
  );
}

/** Chooses the sheet of a workbook. */
function SheetField({ current, names }: NonNullable<TableOutline['sheets']>) {
  return (
    <label className="inline-field">
      {t('data.sheet')}
      <select value={current} onChange={({ target }) => void openSheet(target.value)}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Switch({ label, isOn, onChange }: SwitchProps) {
  return (
    <label className="inline-field">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} /> {label}
    </label>
  );
}

interface CodeProps {
  readonly column: string;
  /** A number that may stand for missing values. */
  readonly code: number;
  /** Its number of cells. */
  readonly count: number;
}

function CodeSwitch({ code, column, count }: CodeProps) {
  const chosen = useStore(({ tableChoices }) => tableChoices.missingCodes) ?? [];
  const others = chosen.filter((each) => each.column !== column || each.code !== code);
  return (
    <Switch
      label={t('data.missingCode', { column, code, count })}
      isOn={others.length < chosen.length}
      onChange={(isOn) => void rereadTable({ missingCodes: isOn ? [...others, { column, code }] : others })}
    />
  );
}

interface UnreadableProps {
  readonly column: ColumnOutline;
  /** The columns that are read as text. */
  readonly texts: readonly string[];
}

/** Cells among numbers or dates that are neither: they become missing values, are corrected, or make the column text. */
function Unreadable({ column, texts }: UnreadableProps) {
  const { name, kind, unreadable, unreadableCount } = column;
  const isDate = kind === 'date';
  const choice = (
    <select
      value={texts.includes(name) ? 'text' : 'missing'}
      onChange={({ target }) => {
        const others = texts.filter((text) => text !== name);
        void rereadTable({ texts: target.value === 'text' ? [...others, name] : others });
      }}
    >
      <option value="missing">{isDate ? t('data.useMissingDates') : t('data.useMissing')}</option>
      <option value="text">{t('data.useText')}</option>
    </select>
  );
  const values = { column: name, count: unreadableCount, choice };
  return (
    <div className="unreadable">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the message contains the control */}
      <label className="text-use">
        {unreadableCount === 0
          ? rich('data.asText', { column: name, choice })
          : isDate
            ? rich('data.unreadableDates', values)
            : rich('data.unreadable', values)}
      </label>
      {unreadable.map(({ row, cell }) => (
        <Fix key={row} column={name} row={row} cell={cell} />
      ))}
      {unreadableCount > unreadable.length && (
        <span className="muted">{t('data.moreCells', { count: unreadableCount - unreadable.length })}</span>
      )}
    </div>
  );
}

/** A field for the correct value of a cell. The table is read again when the user leaves it. */
function Fix({ column, row, cell }: { readonly column: string; readonly row: number; readonly cell: string }) {
  const fix = (text: string) => {
    if (text.trim() === '') return;
    const fixes = useStore.getState().tableChoices.fixes ?? [];
    const others = fixes.filter((each) => each.column !== column || each.row !== row);
    void rereadTable({ fixes: [...others, { column, row, text: text.trim() }] });
  };
  return (
    <label className="inline-field">
      {t('data.fixCell', { row, cell })}
      <input
        type="text"
        className="short"
        placeholder={t('data.fixHint')}
        onBlur={({ target }) => fix(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && fix(currentTarget.value)}
      />
    </label>
  );
}

interface ColumnUseProps {
  readonly column: ColumnOutline;
  /** The column's variable in the program. */
  readonly variable: string;
  readonly use: ColumnUse | undefined;
  readonly onUse: (use: ColumnUse) => void;
}

/** Chooses how a column of text or dates enters the program. */
export function ColumnUseField({ column, variable, use, onUse }: ColumnUseProps) {
  const isDate = column.kind === 'date';
  const [reference = ''] = column.levels;
  const choice = (
    <select
      value={use ?? (isDate ? 'days' : 'index')}
      onChange={({ target: { value } }) => onUse(value === 'indicators' || value === 'days' ? value : 'index')}
    >
      {isDate && <option value="days">{t('data.useDays', { origin: column.origin ?? '' })}</option>}
      {column.isGrouping && <option value="index">{t('data.useIndex', { variable })}</option>}
      {!isDate && <option value="indicators">{t('data.useIndicators', { reference })}</option>}
    </select>
  );
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the message contains the control
    <label className="text-use">
      {isDate ? rich('data.dateUse', { variable, choice }) : rich('data.textUse', { variable, choice })}
    </label>
  );
}
