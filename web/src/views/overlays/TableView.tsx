import { useState } from 'react';
import { type Assignable, assignableVariables, likelySource } from '../../data/assigning.js';
import { withMembers } from '../../data/members.js';
import { levelsOf, type Source, sourceJson, type Table } from '../../data/table.js';
import { notify, update, updateProject, useStore } from '../../state/store.js';
import { closeOverlay, Overlay } from './Overlay.js';

/** Assigns the columns of a table to the data variables of the program. */
export function TableView() {
  const table = useStore(({ table }) => table);
  const inputs = useStore(({ report }) => report?.info?.inputs);
  if (table === undefined) return null;
  return (
    <Overlay label="Data from a table">
      <h2>Data from {table.name}</h2>
      <TableHead table={table} />
      {inputs === undefined ? (
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
      <p className="wrong">The program has an error: mend it first, so that its data variables are known.</p>
      <div className="buttons">
        <button type="button" onClick={closeOverlay}>
          Close
        </button>
      </div>
    </>
  );
}

const FIRST_ROWS = 4;

function TableHead({ table: { columns, rows } }: { readonly table: Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="table-head" aria-label="First rows" tabIndex={0}>
      <table className="numbers">
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: Math.min(rows, FIRST_ROWS) }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a table that does not change
            <tr key={row}>
              {columns.map(({ name, cells }) => (
                <td key={name}>{cells[row]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted">{rows} rows</p>
    </section>
  );
}

function Assignment({ table, variables }: { readonly table: Table; readonly variables: readonly Assignable[] }) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(
    new Map(variables.map((variable) => [variable.name, keyOf(likelySource(variable, table))])),
  );
  const sources = sourcesOf(table);
  const used = [...chosen].flatMap(([name, key]) => {
    const source = sources.find((each) => keyOf(each) === key);
    return source === undefined ? [] : [{ name, source }];
  });
  if (variables.length === 0) {
    return (
      <p className="wrong">
        The program has no data variable that a column could be: declare one, such as vector[N] y, and paste again.
      </p>
    );
  }
  return (
    <>
      <div className="assignment">
        {variables.map(({ name, takes }) => (
          <label key={name} className="inline-field">
            <code>{name}</code>
            <select
              value={chosen.get(name)}
              onChange={({ target }) => setChosen(new Map([...chosen, [name, target.value]]))}
            >
              <option value="">–</option>
              {sources
                .filter(({ kind }) => (kind === 'column') === (takes === 'column'))
                .map((source) => (
                  <option key={keyOf(source)} value={keyOf(source)}>
                    {wordsFor(source, table)}
                  </option>
                ))}
            </select>
          </label>
        ))}
      </div>
      {used.map(({ name, source }) => (
        <Remark key={name} table={table} source={source} />
      ))}
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={used.length === 0}
          onClick={() => {
            takeIn(table, used);
            closeOverlay();
          }}
        >
          Write into the data
        </button>
        <button type="button" onClick={closeOverlay}>
          Cancel
        </button>
      </div>
    </>
  );
}

/** What becomes of texts and of cells without a value. */
function Remark({ table, source }: { readonly table: Table; readonly source: Source }) {
  const column = source.kind === 'column' ? table.columns.find(({ name }) => name === source.column) : undefined;
  if (column === undefined) return null;
  return (
    <>
      {column.kind === 'text' && (
        <p className="muted">
          {column.name} has texts: 1 is {levelsOf(column).slice(0, 6).join(', then ')}
          {levelsOf(column).length > 6 && ' and so on'}.
        </p>
      )}
      {column.missing > 0 && (
        <p className="warning">
          {column.name} lacks {column.missing} values, which become NaN: most programs cannot use them.
        </p>
      )}
    </>
  );
}

function takeIn(table: Table, used: readonly { readonly name: string; readonly source: Source }[]): void {
  const changes = used.flatMap(({ name, source }): [string, string][] => {
    const json = sourceJson(table, source);
    return json === undefined ? [] : [[name, json]];
  });
  const { data } = useStore.getState().project;
  updateProject({ data: withMembers(data, new Map(changes)) });
  update({ leftTab: 'data', side: 'left', table: undefined });
  notify(`${used.map(({ name }) => name).join(', ')}: taken from ${table.name}.`);
}

function sourcesOf({ columns }: Table): readonly Source[] {
  return [
    { kind: 'rows' },
    ...columns.map(({ name }): Source => ({ kind: 'column', column: name })),
    ...columns.filter(({ kind }) => kind !== 'real').map(({ name }): Source => ({ kind: 'levels', column: name })),
  ];
}

function keyOf(source: Source | undefined): string {
  if (source === undefined) return '';
  return source.kind === 'rows' ? 'rows' : `${source.kind} ${source.column}`;
}

function wordsFor(source: Source, { rows }: Table): string {
  if (source.kind === 'rows') return `number of rows, ${rows}`;
  return source.kind === 'column' ? source.column : `number of different ${source.column}`;
}
