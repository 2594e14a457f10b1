import { variableOf } from '../formats/columns.js';
import type { Failure } from '../inference/target.js';
import type { EngineModel, ModelHost } from './model-host.js';
import type { SavedDraw, StoredDraws } from './request.js';
import { unconstrainRounded } from './rounding.js';

const PARAMETERS = { transformedParameters: false, generatedQuantities: false };

/** The reason why stored draws do not match the parameters of a model; undefined if they do. */
export function parametersProblem(model: EngineModel, { columns }: StoredDraws): string | undefined {
  const names = model.constrainedNames(PARAMETERS);
  const variables = new Set(names.map(variableOf));
  const found = columns.filter((column) => variables.has(variableOf(column)));
  const present = new Set(found);
  const lacking = [...new Set(names.filter((name) => !present.has(name)).map(variableOf))];
  if (lacking.length === 0 && found.length === names.length) return undefined;
  const missing = lacking.filter((variable) => !found.some((column) => variableOf(column) === variable));
  if (missing.length > 0)
    return `lacks ${missing.length > 1 ? 'the parameters' : 'the parameter'} ${missing.join(', ')}`;
  const wanted = new Set(names);
  const [other] = [...lacking, ...found.filter((column) => !wanted.has(column)).map(variableOf)];
  return `has the parameter ${other} in another size`;
}

/**
 * Converts stored draws to positions of a model with the same parameters. Uses the position of the sampler, bit by bit, if it yields the
 * values of the draw; otherwise unconstrains the values.
 */
export class DrawPositions {
  private readonly host: ModelHost;
  private readonly model: EngineModel;
  /** Indexes of the parameters among a draw's values. */
  private readonly columns: readonly number[];
  /** Indexes of the position among a diagnostic's values; undefined if diagnostics have none. */
  private readonly diagnosticColumns: readonly number[] | undefined;
  private readonly parameters: Float64Array;
  private readonly written: Float64Array;

  /** `parametersProblem` must return undefined for the draws. */
  constructor(host: ModelHost, model: EngineModel, draws: Pick<StoredDraws, 'columns' | 'diagnosticColumns'>) {
    this.host = host;
    this.model = model;
    this.columns = placesOf(model.constrainedNames(PARAMETERS), draws.columns);
    const positions = placesOf(model.unconstrainedNames(), draws.diagnosticColumns);
    this.diagnosticColumns = positions.includes(-1) ? undefined : positions;
    this.parameters = new Float64Array(this.columns.length);
    this.written = new Float64Array(this.columns.length);
  }

  /** Writes the position of a draw. */
  read(draw: SavedDraw, position: Float64Array): Failure | undefined {
    for (const [k, column] of this.columns.entries()) this.parameters[k] = draw.values[column];
    if (this.readDiagnostic(draw, position)) return undefined;
    try {
      position.set(
        unconstrainRounded(
          this.host,
          () => draw.values,
          (rounding) => this.model.unconstrainDraw(this.parameters, rounding),
        ),
      );
      return undefined;
    } catch (error) {
      return this.blame(error);
    }
  }

  /** Writes the position of the sampler. Returns false if it is absent or represents different values in this model. */
  private readDiagnostic({ diagnostic }: SavedDraw, position: Float64Array): boolean {
    if (diagnostic === undefined || this.diagnosticColumns === undefined) return false;
    for (const [k, column] of this.diagnosticColumns.entries()) position[k] = diagnostic[column];
    try {
      this.model.writeArray(position, this.written, PARAMETERS);
    } catch (error) {
      this.blame(error);
      return false;
    }
    return this.written.every((value, k) => value === this.parameters[k]);
  }

  private blame(error: unknown): Failure {
    const blame = this.host.blame(error);
    if (blame === undefined) throw error;
    return blame;
  }
}

function placesOf(names: readonly string[], columns: readonly string[]): number[] {
  const places = new Map(columns.map((column, index) => [column, index]));
  return names.map((name) => places.get(name) ?? -1);
}
