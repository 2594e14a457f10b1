/** A run as one page: a verdict on its draws, summaries and plots. */

import type { Numerals } from '../../base/numerals.js';
import type { LeaveOneOut } from '../../fits/cross-validation.js';
import type { NamedSummary } from '../../fits/statistics.js';
import { variableOf } from '../../formats/columns.js';
import type { Finding } from '../../inference/diagnostics/findings.js';
import { headlineOf } from '../../requests/headlines.js';
import type { Calibration } from '../../studies/calibration.js';
import type { LegendEntry, Plot } from '../scene.js';
import { colorOf, escaped, svgText } from '../svg.js';
import { type PlotWords, wordsOf } from '../words.js';
import { PAGE, STYLE } from './style.js';

/** Plots under one heading. */
export interface Section {
  readonly title: string;
  readonly plots: readonly Plot[];
  readonly isWide?: boolean;
}

export interface Report {
  readonly title: string;
  /** The origin and the number of draws, one line each. */
  readonly about: readonly string[];
  /** Empty if nothing can be judged, as for draws that no sampler made. */
  readonly findings: readonly Finding[];
  /** Below the verdict. */
  readonly answers: Section;
  readonly summaries: readonly NamedSummary[];
  readonly loo: LeaveOneOut | undefined;
  readonly sections: readonly Section[];
  /** The language of the page's texts, as a BCP 47 tag, and its words; English by default. */
  readonly language?: string;
  readonly words?: PlotWords;
  /** The verdict on the draws; by default the English one on `findings`. */
  readonly headline?: string;
}

/** Forbids scripts and requests, so that a name from a file that is mistaken for markup does no harm. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** A self-contained HTML document. */
export function reportPage(report: Report): string {
  const { findings, headline = headlineOf(findings), loo, summaries } = report;
  const words = wordsOf(report);
  return documentOf(report, [
    verdict(findings, headline, words),
    ...[report.answers].filter(({ plots }) => plots.length > 0).map(figures),
    checks(findings, words),
    section(words('reportSummary'), summaryTables(summaries, words)),
    loo === undefined ? '' : section(words('reportLoo'), looTable(loo, words)),
    ...report.sections.filter(({ plots }) => plots.length > 0).map(figures),
  ]);
}

/** A self-contained HTML document on a calibration. */
export function calibrationPage(
  calibration: Calibration,
  { about, sections, title }: Pick<Report, 'title' | 'about' | 'sections'>,
): string {
  const { message, ok, quantities } = calibration;
  const words = wordsOf({});
  const headline = ok ? 'No miscalibration was found' : 'Miscalibration was found';
  const rows = quantities.map(({ differences, name, probability }) => [
    name,
    words.column(Math.max(...differences.map(Math.abs))),
    words.column(probability),
  ]);
  return documentOf({ about, title }, [
    element(
      'section',
      { class: 'verdict' },
      element('h2', { class: ok ? 'good' : 'bad' }, headline) + element('p', {}, escaped(message)),
    ),
    section('Largest differences from uniform ranks', table(['quantity', 'difference', 'p'], rows)),
    ...sections.filter(({ plots }) => plots.length > 0).map(figures),
  ]);
}

function documentOf(
  { about, language = 'en', title }: Pick<Report, 'title' | 'about' | 'language'>,
  contents: readonly string[],
): string {
  const lines = about.map((line) => element('p', { class: 'about' }, escaped(line)));
  const body = [element('header', {}, element('h1', {}, escaped(title)) + lines.join('')), ...contents].join('\n');
  return (
    `<!doctype html>\n<html lang="${escaped(language)}">\n<head>\n<meta charset="utf-8">\n` +
    `<meta http-equiv="content-security-policy" content="${POLICY}">\n` +
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
    `<title>${escaped(title)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<main>\n${body}\n</main>\n</body>\n</html>\n`
  );
}

/** An element with escaped attributes, and content that is HTML already. */
function element(name: string, attributes: Readonly<Record<string, string>>, content: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${written.join('')}>${content}</${name}>`;
}

function section(title: string, content: string): string {
  return element('section', {}, element('h2', {}, escaped(title)) + content);
}

function verdict(findings: readonly Finding[], headline: string, words: PlotWords): string {
  if (findings.length === 0) return '';
  const problems = findings.filter(({ ok }) => !ok).length;
  const explanation =
    problems === 0 ? words('reportNoProblem') : words('reportProblems', { problems, checks: findings.length });
  return element(
    'section',
    { class: 'verdict' },
    element('h2', { class: problems === 0 ? 'good' : 'bad' }, escaped(headline)) +
      element('p', {}, escaped(explanation)),
  );
}

/** Problems first. */
function checks(findings: readonly Finding[], words: PlotWords): string {
  if (findings.length === 0) return '';
  const inOrder = [...findings.filter(({ ok }) => !ok), ...findings.filter(({ ok }) => ok)];
  const items = inOrder.map(({ message, ok }) => {
    const result = escaped(words(ok ? 'reportOk' : 'reportProblem'));
    return element('li', { class: ok ? 'good' : 'bad' }, `<b>${result}</b> ${escaped(message)}`);
  });
  const heading = element('h2', {}, escaped(words('reportChecks')));
  return element('section', { class: 'checks' }, heading + element('ul', {}, items.join('')));
}

const COLUMNS: readonly (readonly [
  heading: string,
  field: Exclude<keyof NamedSummary, 'name' | 'variation' | 'isSeparated'>,
])[] = [
  ['mean', 'mean'],
  ['mcse', 'mcseMean'],
  ['sd', 'sd'],
  ['5%', 'q05'],
  ['50%', 'q50'],
  ['95%', 'q95'],
  ['ess bulk', 'essBulk'],
  ['ess tail', 'essTail'],
  ['R-hat', 'rhat'],
];

/** Variables with more elements are folded. */
const MOST_SHOWN = 12;

function summaryTables(summaries: readonly NamedSummary[], words: PlotWords): string {
  const variables = new Map<string, NamedSummary[]>();
  for (const each of summaries) {
    const name = variableOf(each.name);
    variables.set(name, [...(variables.get(name) ?? []), each]);
  }
  const groups = [...variables].map(([name, rows]) => ({ name, rows, isFolded: rows.length > MOST_SHOWN }));
  const open = groups.filter(({ isFolded }) => !isFolded).flatMap(({ rows }) => rows);
  const folded = groups
    .filter(({ isFolded }) => isFolded)
    .map(({ name, rows }) =>
      element(
        'details',
        {},
        element('summary', {}, escaped(words('reportElements', { name, count: rows.length }))) +
          summaryTable(rows, words),
      ),
    );
  return (open.length > 0 ? summaryTable(open, words) : '') + folded.join('');
}

function summaryTable(rows: readonly NamedSummary[], words: PlotWords): string {
  const numbers = rows.map((row) => [row.name, ...COLUMNS.map(([, field]) => cellText(row[field], field, words))]);
  return table([words('quantity'), ...COLUMNS.map(([heading]) => heading)], numbers);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = ([name, ...others]: readonly string[]) =>
    `<th scope="row">${escaped(name)}</th>${others.map((text) => `<td>${escaped(text)}</td>`).join('')}`;
  const headings = head.map((text) => `<th scope="col">${escaped(text)}</th>`).join('');
  const body = rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n');
  return `<div class="scrolls" tabindex="0"><table><thead><tr>${headings}</tr></thead><tbody>\n${body}</tbody></table></div>`;
}

function cellText(value: number, field: keyof NamedSummary, numerals: Numerals): string {
  if (field === 'essBulk' || field === 'essTail') return numerals.fixed(value, 0);
  return field === 'rhat' ? numerals.fixed(value, 3) : numerals.column(value);
}

function looTable({ effectiveParameters, elpd, looic, mcse, message, ok }: LeaveOneOut, words: PlotWords): string {
  const rows = [
    ['elpd_loo', elpd],
    ['p_loo', effectiveParameters],
    ['looic', looic],
  ] as const;
  const cells = rows.map(([name, { estimate, standardError }]) => [
    name,
    words.column(estimate),
    words.column(standardError),
  ]);
  const error = Number.isNaN(mcse) ? '' : element('p', {}, escaped(words('reportMcse', { value: words.column(mcse) })));
  return (
    table([words('quantity'), words('reportEstimate'), 'se'], cells) +
    error +
    element('p', { class: ok ? 'good' : 'bad' }, escaped(message))
  );
}

function figures({ isWide = false, plots, title }: Section): string {
  const legend = plots[0]?.legend ?? [];
  const items = plots.map(
    (plot) =>
      `<figure${isWide ? ' tabindex="0"' : ''}>${plot.title === title ? '' : element('figcaption', {}, escaped(plot.title))}${svgText(plot, PAGE)}</figure>`,
  );
  return section(
    title,
    legendLine(legend) + element('div', { class: isWide ? 'figures wide' : 'figures' }, items.join('\n')),
  );
}

/** The meaning of inks, for all plots of a section. */
function legendLine(legend: readonly LegendEntry[]): string {
  if (legend.length === 0) return '';
  const entries = legend.map(({ ink, text }) => {
    const sample = `<svg width="14" height="4" aria-hidden="true"><rect width="14" height="4" fill="${colorOf(ink, PAGE)}"/></svg>`;
    return `<span>${sample} ${escaped(text)}</span>`;
  });
  return element('p', { class: 'legend' }, entries.join(' '));
}
