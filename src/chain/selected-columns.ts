import { parameterOf, variableOf } from '../formats/columns.js';
import type { Algorithm } from '../inference/algorithms/algorithm.js';
import type { EventSink } from '../inference/events.js';
import { ForwardingSink } from './forwarding-sink.js';
import type { EngineModel } from './model-host.js';
import type { RunColumns } from './request.js';

const ALL_PARTS = { transformedParameters: true, generatedQuantities: true };
const NO_GENERATED = { transformedParameters: true, generatedQuantities: false };

/** The selected columns of draws and diagnostics, and their indexes in the values of an event. */
export interface Selection extends RunColumns {
  readonly drawPlaces: Int32Array;
  readonly diagnosticPlaces: Int32Array;
}

/** Selects an algorithm's own columns and those of some variables, or of all variables if `save` is absent. */
export function selectColumns(
  algorithm: Algorithm,
  model: EngineModel,
  save: readonly string[] | undefined,
): Selection {
  const isKept = (name: string) => save === undefined || save.includes(variableOf(name));
  const constrained = model.constrainedNames(ALL_PARTS);
  const from = algorithm.draws === 'all' ? 0 : model.constrainedNames(NO_GENERATED).length;
  const draws = [...algorithm.drawColumns, ...constrained.slice(from)];
  const drawPlaces = placesWhere(draws, (name, place) => place < algorithm.drawColumns.length || isKept(name));

  const unconstrained = model.unconstrainedNames();
  const diagnostics = algorithm.diagnosticColumns(unconstrained);
  const own = algorithm.diagnosticColumns([]).length;
  const diagnosticPlaces = placesWhere(
    diagnostics,
    (_, place) => place < own || isKept(parameterOf(unconstrained[(place - own) % unconstrained.length])),
  );
  return {
    drawNames: Array.from(drawPlaces, (place) => draws[place]),
    drawPlaces,
    diagnosticNames: Array.from(diagnosticPlaces, (place) => diagnostics[place]),
    diagnosticPlaces,
  };
}

/** Forwards all events, with only the selected columns of draws and diagnostics. */
export class SelectedColumns extends ForwardingSink {
  private readonly selection: Selection;
  private readonly drawValues: Float64Array;
  private readonly diagnosticValues: Float64Array;

  constructor(sink: EventSink, selection: Selection) {
    super(sink);
    this.selection = selection;
    this.drawValues = new Float64Array(selection.drawPlaces.length);
    this.diagnosticValues = new Float64Array(selection.diagnosticPlaces.length);
  }

  override draw(values: Float64Array): void {
    pick(values, this.selection.drawPlaces, this.drawValues);
    super.draw(this.drawValues);
  }

  override diagnostic(values: Float64Array): void {
    pick(values, this.selection.diagnosticPlaces, this.diagnosticValues);
    super.diagnostic(this.diagnosticValues);
  }
}

function placesWhere(names: readonly string[], isKept: (name: string, place: number) => boolean): Int32Array {
  return Int32Array.from([...names.keys()].filter((place) => isKept(names[place], place)));
}

function pick(values: Float64Array, places: Int32Array, picked: Float64Array): void {
  for (let k = 0; k < places.length; k++) picked[k] = values[places[k]];
}
