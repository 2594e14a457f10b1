/** The part of jsfive, a reader of HDF5 files, that this project uses. The package contains no types. */
declare module 'jsfive' {
  interface Dataset {
    readonly shape: readonly number[];
    /** NumPy's code of a numeric type, such as `<f8`; a tuple for other types. */
    readonly dtype: string | readonly unknown[];
    /** The elements in row-major order. Integers of 64 bits are numbers. */
    readonly value: ArrayLike<number>;
  }

  class Group {
    readonly keys: readonly string[];
    get(name: string): Group | Dataset;
  }

  class File extends Group {
    constructor(bytes: ArrayBuffer, name: string);
  }
}
