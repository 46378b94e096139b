import { join } from 'node:path';
import { Fault } from '../../model/fault.ts';
import { type ReportFile, reportFileSchema, reportFileSchemaVersion } from '../../model/report-file.ts';
import { runSchemaVersion } from '../../model/run.ts';
import { writeFault, writeFileAtomically } from '../host/index.ts';
import { excess, mostReportBytes } from './report-bounds.ts';
import { withoutHistograms } from './without-histograms.ts';

/** Name of the file, in the result folder as in the artifact. */
export const reportFileName = 'report.json';

/** Writes it into the folder on one line, without histograms. Returns its path. */
export async function writeReportFile(directory: string, report: ReportFile): Promise<string> {
  const path = join(directory, reportFileName);
  try {
    await writeFileAtomically(path, `${JSON.stringify(slim(report))}\n`);
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
  return path;
}

function slim({ beside, ...report }: ReportFile): ReportFile {
  const run = withoutHistograms(report.run);
  if (beside === undefined) return { ...report, run };
  const { base, head } = beside;
  const slimBeside = {
    base: withoutHistograms(base),
    ...(head === undefined ? {} : { head: withoutHistograms(head) }),
  };
  return { ...report, run, beside: slimBeside };
}

/** Why the trusted side will not read a report of that size; undefined if it will. */
export function whyNotPublished(bytes: number): string | undefined {
  return bytes <= mostReportBytes
    ? undefined
    : `${reportFileName} has ${bytes} bytes; perf-gate/publish reads ${mostReportBytes} at most, and will not comment. Leave ids out of the \`name\` tags of requests, or give the suite fewer cells or rounds.`;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

function schemaOf(value: unknown): number | undefined {
  const schema = fieldOf(value, 'schema');
  return typeof schema === 'number' ? schema : undefined;
}

function isNewer(data: unknown): boolean {
  const beside = fieldOf(data, 'beside');
  const runs = [fieldOf(data, 'run'), fieldOf(beside, 'base'), fieldOf(beside, 'head')];
  return (
    (schemaOf(data) ?? 0) > reportFileSchemaVersion ||
    runs.some((run) => (schemaOf(run) ?? 0) > runSchemaVersion)
  );
}

function corrupt(place: string, cause: string, options?: ErrorOptions): Fault {
  return new Fault(
    {
      code: 'E_REPORT_CORRUPT',
      kind: 'measurement',
      place,
      cause,
      nextStep: 'nothing of it was used; run the check of this pull request again',
    },
    options,
  );
}

/** Reads a report that somebody else wrote. Whatever is not exactly one is a Fault. */
export function parseReportFile(text: string, place: string): ReportFile {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw corrupt(place, 'it is not JSON', { cause: error });
  }
  if (isNewer(data)) {
    throw new Fault({
      code: 'E_REPORT_NEWER',
      kind: 'measurement',
      place,
      cause: 'a newer perf-gate wrote it than this one can read',
      nextStep: 'use the same version of the gate in both workflows',
    });
  }
  const tooMuch = excess(data);
  if (tooMuch !== undefined) throw corrupt(place, tooMuch.slice(0, 400));
  const result = reportFileSchema.safeParse(data);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw corrupt(place, `${issue?.path.map(String).join('.').slice(0, 200)}: ${issue?.message.slice(0, 200)}`);
}
