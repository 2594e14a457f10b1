/** A gutter with shares and times of statements, at the lines where they begin. It has no width without them. */
import { type Extension, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { type EditorView, GutterMarker, gutter } from '@codemirror/view';
import type { ProgramProfile } from 'leapfrog';
import { durationText, shareText } from '#engine/fits/profile-text.js';

/** The time of the statements that begin in a line. */
interface LineTime {
  readonly share: number;
  readonly nanoseconds: number;
}

/** Shares from this one are emphasized. */
const LARGE_SHARE = 0.1;

class TimeMarker extends GutterMarker {
  readonly time: LineTime;

  constructor(time: LineTime) {
    super();
    this.time = time;
  }

  override eq(other: TimeMarker): boolean {
    return other.time.share === this.time.share && other.time.nanoseconds === this.time.nanoseconds;
  }

  override toDOM(): Node {
    const { nanoseconds, share } = this.time;
    const shown = document.createElement('span');
    shown.className = share >= LARGE_SHARE ? 'stan-share stan-large' : 'stan-share';
    shown.textContent = shareText(share);
    const time = document.createElement('span');
    time.className = 'stan-time';
    time.textContent = durationText(nanoseconds);
    const both = document.createDocumentFragment();
    both.append(shown, time);
    return both;
  }
}

const setTimes = StateEffect.define<RangeSet<GutterMarker>>();
const times = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(value, transaction) {
    const set = transaction.effects.find((effect) => effect.is(setTimes));
    return set?.is(setTimes) ? set.value : value.map(transaction.changes);
  },
});

export const statementTimes: Extension = [
  times,
  gutter({ class: 'stan-times', side: 'after', markers: (view) => view.state.field(times) }),
];

/** Shows the times of the statements in a file beside its lines; none without a profile. */
export function showTimes(view: EditorView, file: string, profile: ProgramProfile | undefined): void {
  const { doc } = view.state;
  const found = new Map<number, LineTime>();
  for (const { file: own, line, nanoseconds, share } of profile?.statements ?? []) {
    if (own !== file || line > doc.lines) continue;
    const before = found.get(line) ?? { share: 0, nanoseconds: 0 };
    found.set(line, { share: before.share + share, nanoseconds: before.nanoseconds + nanoseconds });
  }
  const markers = [...found]
    .filter(([, { share }]) => shareText(share) !== shareText(0))
    .map(([line, time]) => new TimeMarker(time).range(doc.line(line).from));
  view.dispatch({ effects: setTimes.of(RangeSet.of(markers, true)) });
}
