/** A program and its data from a model formula and a data frame or the file of a table. */
import { families, familyNamed } from '../formula/families.js';
import { faultsReport } from '../formula/faults.js';
import { type MissingValues, missingValues } from '../formula/imputation.js';
import { modelFromFormula } from '../formula/model.js';
import { RequestError } from '../library/public.js';
import { readTableFile } from '../node/table-files.js';
import { tableOfColumns } from '../tables/typed-columns.js';
import type { EngineRequest } from './requests.js';

export async function formulaModel(request: Extract<EngineRequest, { readonly op: 'formula' }>): Promise<object> {
  const { family: name, formula, missing, order, table } = request;
  const family = familyNamed(name);
  if (family === undefined)
    throw new RequestError([{ field: 'family', message: `must be one of ${families.join(', ')}, but is ${name}` }]);
  if (missing !== undefined && !isOneOf(missing))
    throw new RequestError([
      { field: 'missing', message: `must be one of ${missingValues.join(', ')}, but is ${missing}` },
    ]);
  const read = 'path' in table ? await readTableFile(table.path, table.sheet) : tableOfColumns(table.columns);
  const made = modelFromFormula({ formula, family, missing, table: read, ...(order && { order }) });
  if ('faults' in made)
    throw new RequestError([{ field: 'formula', message: `is invalid.\n${faultsReport(formula, made.faults)}` }]);
  const { data, levels, omitted, program } = made;
  return { program, data, levels, omitted };
}

function isOneOf(word: string): word is MissingValues {
  return missingValues.some((each) => each === word);
}
