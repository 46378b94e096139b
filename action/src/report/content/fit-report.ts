import { countOf, type Phrase } from '../format/phrase.ts';
import { type Extent, expendableParts, type Part, type Report } from './report-parts.ts';

function mapReport<From, To>(report: Report<From>, say: (text: From) => To): Report<To> {
  const { sentence, because, sections, steps, facts, omitted, ...rest } = report;
  return {
    ...rest,
    sentence: say(sentence),
    because: because.map(say),
    sections: sections.map(({ entries, ...section }) => ({
      ...section,
      entries: entries.map((rows) => rows.map((row) => ({ ...row, cells: row.cells.map(say) }))),
    })),
    steps: steps.map(say),
    facts: facts.map(({ label, text }) => ({ label, text: say(text) })),
    ...(omitted === undefined ? {} : { omitted: say(omitted) }),
  };
}

/** The first entries of each part. */
function cut<Text>(report: Report<Text>, extent: Extent): Report<Text> {
  const left = { ...extent };
  const sections = report.sections.flatMap((section) => {
    const entries = section.entries.slice(0, left[section.part]);
    left[section.part] -= entries.length;
    return entries.length === 0 ? [] : [{ ...section, entries }];
  });
  return { ...report, sections };
}

function extentOf({ sections }: Report<unknown>): Extent {
  const extent = { folded: 0, endpoints: 0, notes: 0, changed: 0 };
  for (const { part, entries } of sections) extent[part] += entries.length;
  return extent;
}

const partNouns: Readonly<Record<Part, string>> = {
  changed: 'changed cell',
  notes: 'note',
  endpoints: 'endpoint list',
  folded: 'folded row',
};

function omitted(full: Extent, shown: Extent, fullReport: Phrase): Phrase | undefined {
  const counts = expendableParts.toReversed().flatMap((part) => {
    const hidden = full[part] - shown[part];
    return hidden === 0 ? [] : [countOf(hidden, partNouns[part])];
  });
  if (counts.length === 0) return undefined;
  return [`Left out to save space: ${counts.join(', ')}. For everything, see `, ...fullReport, '.'];
}

/** The largest whole number from 0 to `most` that is accepted, provided that smaller ones are too; else 0. */
function largestAccepted(most: number, accept: (count: number) => boolean): number {
  let accepted = 0;
  let refused = most + 1;
  while (refused - accepted > 1) {
    const middle = Math.floor((accepted + refused) / 2);
    if (accept(middle)) accepted = middle;
    else refused = middle;
  }
  return accepted;
}

/** The extent that fits: the most expendable part shrinks first, and every part is empty if nothing fits. */
export function shrinkToFit(full: Extent, fits: (extent: Extent) => boolean): Extent {
  let extent = full;
  for (const part of expendableParts) {
    if (fits(extent)) return extent;
    const before = extent;
    const count = largestAccepted(before[part], (candidate) => fits({ ...before, [part]: candidate }));
    extent = { ...before, [part]: count };
  }
  return extent;
}

export interface Form {
  readonly say: (phrase: Phrase) => string;
  readonly render: (report: Report<string>) => string;
  /** True if the text is not too long. */
  readonly fits: (text: string) => boolean;
  /** Entries per part at most, however much room there is. */
  readonly most?: Extent;
}

/** As much of the report as the form accepts. */
export function renderReport(content: Report<Phrase>, form: Form): string {
  const { say, render, fits, most } = form;
  const said = mapReport(content, say);
  const full = extentOf(said);
  const start = { ...full };
  for (const part of expendableParts) start[part] = Math.min(full[part], most?.[part] ?? Infinity);
  const text = (extent: Extent) => {
    const missing = omitted(full, extent, content.fullReport);
    return render({ ...cut(said, extent), ...(missing === undefined ? {} : { omitted: say(missing) }) });
  };
  return text(shrinkToFit(start, (extent) => fits(text(extent))));
}
