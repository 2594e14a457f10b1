/** Messages between the page and the worker that runs a script. */

export interface ScriptOrder {
  readonly source: string;
  /** Names of quantities as tables show them, `theta[1]`. */
  readonly names: readonly string[];
  /** The draws of each quantity, one chain after the other. */
  readonly columns: readonly Float64Array[];
  /** The chain of each draw. */
  readonly chain: Int32Array;
  readonly data: unknown;
  /** Colors of text and background in pictures. */
  readonly ink: string;
  readonly surface: string;
  /** The language of the page. */
  readonly faults: ScriptFaults;
}

/** Messages about what a script cannot do. */
interface ScriptFaults {
  readonly noImport: string;
  readonly notPlot: string;
  readonly notTable: string;
  readonly noCanvas: string;
}

export type ScriptOutput =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'table';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
      /** Number of rows that are not included. */
      readonly left: number;
    }
  /** SVG, which must be shown as an image: a script may have written anything into it. */
  | { readonly kind: 'picture'; readonly svg: string; readonly label: string }
  /** The value that the script returned, as JSON. */
  | { readonly kind: 'data'; readonly json: string }
  /** The line is counted from 1; undefined if it is unknown. */
  | {
      readonly kind: 'error';
      readonly message: string;
      readonly line?: number | undefined;
      readonly isSyntax?: boolean;
    };

/** A report of the worker; without an output, the script has ended. */
export interface ScriptReport {
  readonly output?: ScriptOutput;
}
