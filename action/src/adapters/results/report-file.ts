import { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import { type ReportFile, reportFileSchema, reportFileSchemaVersion } from '../../model/report-file.ts';
import { runSchemaVersion } from '../../model/run.ts';
import { excess, mostReportBytes } from './report-bounds.ts';

/** The report has this name in the result folder and in the artifact. */
export const reportFileName = 'report.json';

/** Why the publishing job will not read a report of that size; undefined if it will. */
export function whyNotPublished(bytes: number): string | undefined {
  return bytes <= mostReportBytes
    ? undefined
    : `${reportFileName} has ${bytes} bytes; perf-gate/publish reads ${mostReportBytes} at most, and will not comment. Leave ids out of the \`name\` tags of requests, or give the suite fewer cells or rounds.`;
}

const versionSchema = z.object({ schema: z.number() });
const versionOf = (value: unknown) => versionSchema.safeParse(value).data?.schema ?? 0;
const runsSchema = z.object({
  run: z.unknown().optional(),
  base: z.unknown().optional(),
  again: z.record(z.string(), z.unknown()).catch({}),
});

/** Whether another version of the gate wrote it, in a format that this one does not read. */
function isForeign(data: unknown): boolean {
  const { run, base, again = {} } = runsSchema.safeParse(data).data ?? {};
  const version = versionOf(data);
  return (
    (version > 0 && version !== reportFileSchemaVersion) ||
    [run, base, again.base, again.head].some((value) => versionOf(value) > runSchemaVersion)
  );
}

function corrupt(place: string, cause: string, options?: ErrorOptions): Fault {
  return new Fault(
    {
      code: 'E_REPORT_CORRUPT',
      kind: 'measurement',
      place,
      cause,
      nextStep: 'run the check of this pull request again; nothing in the report was used',
    },
    options,
  );
}

/** Reads a report from an untrusted job. Any text that is not exactly a report is a Fault. */
export function parseReportFile(text: string, place: string): ReportFile {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw corrupt(place, 'it is not JSON', { cause: error });
  }
  if (isForeign(data)) {
    throw new Fault({
      code: 'E_REPORT_VERSION',
      kind: 'measurement',
      place,
      cause: 'another version of perf-gate wrote this report, in a format that this one does not read',
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
