/** The numbers of a run that its sliders move, with their ranges. */
import type { ConstantSlider, SliderRange } from '#engine/derive/sliders.js';
import { membersOf } from '../data/members.js';
import type { Inputs } from '../state/project.js';
import { slidersIn } from './exploring.js';

export interface Slider {
  /** The name of a data variable, or of a constant in the derived program. */
  readonly name: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The location of a constant in the program. */
  readonly place?: ConstantPlace;
}

interface ConstantPlace {
  /** From 1. */
  readonly line: number;
  /** The index among several constants of its line, from 1. */
  readonly index: number | undefined;
  /** The code before and after it in its line. */
  readonly before: string;
  readonly after: string;
}

/** Maximum number of sliders for data that are not marked. */
const MOST = 12;
/** Maximum length of data that are searched for scalars. */
const LONGEST = 1_000_000;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** Marked constants and data first, then other scalars of the data that are not sizes. */
export function slidersFor(source: Inputs): readonly Slider[] {
  const { constants, data, sizes } = slidersIn(source);
  const text = source.data;
  const scalars = text.length > LONGEST ? [] : [...membersOf(text)].filter(([, value]) => NUMBER.test(value));
  const movable = scalars.filter(([name]) => data.has(name) || !sizes.has(name));
  const [marked, others] = [movable.filter(([name]) => data.has(name)), movable.filter(([name]) => !data.has(name))];
  return [
    ...constants.map((constant) => ({
      ...scaleOf(constant.value, false, constant.range),
      name: constant.name,
      place: placeOf(constant, source.program, constants),
    })),
    ...[...marked, ...others.slice(0, MOST)].map(([name, value]) => ({
      ...scaleOf(Number(value), /^-?\d+$/.test(value), data.get(name)),
      name,
    })),
  ];
}

function placeOf({ from, line, to }: ConstantSlider, program: string, all: readonly ConstantSlider[]): ConstantPlace {
  const beside = all.filter((each) => each.line === line);
  const index = beside.findIndex((each) => each.from === from);
  const [before = ''] = /[^\r\n]*$/.exec(program.slice(0, from)) ?? [];
  const [after = ''] = /^[^\r\n]*?(?=\s*(?:\/\/|[\r\n]|$))/.exec(program.slice(to)) ?? [];
  return { line, index: beside.length === 1 ? undefined : index + 1, before: before.trimStart(), after };
}

/** Number of steps from 0 to the initial value. */
const STEPS = 20;

/** By default, a positive number moves between a step and its fourfold, because it may be a scale. */
function scaleOf(value: number, isInteger: boolean, range: SliderRange | undefined) {
  const size = Math.abs(value);
  const step = isInteger ? 1 : stepOf(range === undefined ? (size || 1) / STEPS : (range.to - range.from) / 100);
  const most = isInteger ? Math.max(10, 4 * size) : 4 * (size || 1);
  const usual = value > 0 ? { from: isInteger ? 0 : step, to: most } : { from: -most, to: most };
  const { from, to } = range ?? usual;
  return { value, step, min: Math.min(from, value), max: Math.max(to, value) };
}

/** The largest 1, 2 or 5 times a power of ten that is not greater. */
function stepOf(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  const factor = [5, 2, 1].find((each) => each * power <= width * (1 + 1e-9)) ?? 1;
  return Number((factor * power).toPrecision(3));
}
