import { createHash } from 'node:crypto';
import type { Plan } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { reasonInGeneral } from '../../model/invalid-reason.ts';
import { cellName, type Fingerprint, type InvalidReason, type Run } from '../../model/run.ts';

/** What the trusted side knows without the report. */
export interface KnownHere {
  /** Of the default branch's configuration. */
  readonly plan: Plan;
  /** The stored runs. */
  readonly runs: readonly Run[];
}

const runId = /^\d{8}-\d{6}-[0-9a-f]{6}(?:-(?:base|head))?$/;
const hash = /^[0-9a-f]{12,64}$/;
/** A version says little beyond its figures. */
const plainVersion = /^\d[\d.+_-]{0,40}(?:LTS|GA)?$/;
const unknown = 'unknown to the baseline';

/**
 * A run of a job that ran a pull request's code, with nothing in it that would be a stranger's words in the gate's
 * comment: names are those of the configuration or of stored runs, reasons have the gate's own texts, and what describes the machine is
 * as in the stored runs or is not told. The figures are left: they are what is judged. A run that cannot be of the
 * suite is a Fault.
 */
export function inOwnWords(run: Run, known: KnownHere): Run {
  const names = new Set(known.plan.cells.map(cellName));
  if (run.suite !== known.plan.suite) throw foreign(`its suite is not ${known.plan.suite}`);
  if (!runId.test(run.id)) throw foreign('its id is not one that the gate gives');
  // As head it would be taken for the stored run, which would then be no base.
  if (known.runs.some(({ id }) => id === run.id)) throw foreign('its id is that of a stored run');
  const stranger = run.cells.find((cell) => !names.has(cellName(cell)));
  if (stranger !== undefined) {
    throw new Fault({
      code: 'E_REPORT_SUITE',
      kind: 'measurement',
      place: 'report',
      cause: `the configuration here has no cell ${cellName(stranger).slice(0, 100)} in that suite`,
      nextStep: 'its own check is the verdict until its suite is on the default branch',
    });
  }
  const endpoints = knownEndpoints(known);
  return {
    ...run,
    fingerprint: knownFingerprint(
      run.fingerprint,
      known.runs.map(({ fingerprint }) => fingerprint),
    ),
    warmUp: { ...run.warmUp, windows: [] },
    phases: [],
    cells: run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({
        ...block,
        endpoints: block.endpoints.map((endpoint) => ({
          ...endpoint,
          name: endpoints.has(endpoint.name) ? endpoint.name : nameOfNew(endpoint.name),
        })),
        invalid: ownWords(block.invalid),
      })),
    })),
    invalid: ownWords(run.invalid),
  };
}

/** The same for both sides of a measurement, and no word of whoever wrote the scripts. */
function nameOfNew(endpoint: string): string {
  return `new-${createHash('sha256').update(endpoint).digest('hex').slice(0, 8)}`;
}

/** The others are new. */
function knownEndpoints({ plan, runs }: KnownHere): ReadonlySet<string> {
  const measured = runs
    .flatMap(({ cells }) => cells)
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ endpoints }) => endpoints.map(({ name }) => name));
  return new Set([...plan.cells.flatMap(({ endpoints = [] }) => endpoints), ...measured]);
}

function foreign(cause: string): Fault {
  return new Fault({
    code: 'E_REPORT_FOREIGN',
    kind: 'measurement',
    place: 'report',
    cause,
    nextStep: 'nothing of it was used: read the log of the run that measured',
  });
}

function ownWords(reasons: readonly InvalidReason[]): InvalidReason[] {
  const own = reasons.map(({ code }) => reasonInGeneral(code));
  return [...new Map(own.map((reason) => [reason.code, reason])).values()];
}

/** Whatever is not known stays different from what is, so it compares as before. */
function knownFingerprint(fingerprint: Fingerprint, stored: readonly Fingerprint[]): Fingerprint {
  const told = (value: string, of: (one: Fingerprint) => string | undefined, fits?: RegExp) =>
    value === '' || fits?.test(value) === true || stored.some((one) => of(one) === value) ? value : unknown;
  const versionNames = new Set(stored.flatMap(({ versions }) => Object.keys(versions)));
  const versions = Object.entries(fingerprint.versions).map(([name, version]) =>
    versionNames.has(name)
      ? [name, told(version, (one) => one.versions[name], plainVersion)]
      : ['others', unknown],
  );
  return {
    ...fingerprint,
    cpuModel: told(fingerprint.cpuModel, (one) => one.cpuModel),
    os: told(fingerprint.os, (one) => one.os),
    runner: told(fingerprint.runner, (one) => one.runner),
    k6: told(fingerprint.k6, (one) => one.k6, plainVersion),
    versions: Object.fromEntries(versions),
    dataKey: told(fingerprint.dataKey, (one) => one.dataKey, hash),
    loadHash: told(fingerprint.loadHash, (one) => one.loadHash, hash),
  };
}
