import { createHash } from 'node:crypto';
import type { Plan } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { reasonInGeneral } from '../../model/invalid-reason.ts';
import { cellName, type Fingerprint, type InvalidReason, ownEndpoints, type Run } from '../../model/run.ts';

/** What the trusted side knows without reading the report. */
export interface Known {
  /** The suite in the default branch's configuration. */
  readonly plan: Plan;
  /** The stored runs. */
  readonly runs: readonly Run[];
}

const runId = /^\d{8}-\d{6}-[0-9a-f]{6}(?:-(?:base|head|confirmation|confirmation-base))?$/;
const hash = /^[0-9a-f]{12,64}$/;
/** A version number has no room for a message. */
const plainVersion = /^\d[\d.+_-]{0,40}(?:LTS|GA)?$/;
const unknown = 'unknown to the baseline';

/**
 * Restates a run that a pull request's job measured, so that the gate's comment contains no text of a stranger. Names
 * come from the configuration or the stored runs, reasons have the gate's own texts, and the machine is described only
 * as far as the stored runs describe it. The figures stay, because they are judged. Throws a Fault if the run cannot
 * belong to the suite.
 */
export function restateRun(run: Run, known: Known): Run {
  requireOfSuite(run, known);
  const names = new Set(known.plan.cells.map(cellName));
  // Cells that the pull request adds have limits of its own making, so its own check is their verdict.
  const cells = run.cells.filter((cell) => names.has(cellName(cell)));
  if (cells.length === 0 && run.cells.length > 0) {
    throw new Fault({
      code: 'E_REPORT_SUITE',
      kind: 'measurement',
      place: 'report',
      cause: "the default branch's configuration has none of the cells that were measured",
      nextStep: 'use the verdict of its own check until the suite is on the default branch',
    });
  }
  const endpoints = knownEndpoints(known);
  const { accepted, replacedOptions, ...measured } = run;
  return {
    ...measured,
    fingerprint: knownFingerprint(
      run.fingerprint,
      known.runs.map(({ fingerprint }) => fingerprint),
    ),
    warmUp: { ...run.warmUp, windows: [] },
    phases: [],
    cells: cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map(({ missedThresholds, ...block }) => ({
        ...block,
        // Names of metrics are text from the scripts too.
        ...(missedThresholds && {
          missedThresholds: missedThresholds.map((name) => (ownMetrics.has(name) ? name : nameOfNew(name))),
        }),
        endpoints: block.endpoints.map((endpoint) => ({
          ...endpoint,
          name: endpoints.has(endpoint.name) ? endpoint.name : nameOfNew(endpoint.name),
        })),
        invalid: restateReasons(block.invalid),
      })),
    })),
    invalid: restateReasons(run.invalid),
  };
}

/** Metrics of k6 that thresholds are usually set on. */
const ownMetrics: ReadonlySet<string> = new Set([
  'checks',
  'http_req_duration',
  'http_req_failed',
  'http_reqs',
  'iteration_duration',
]);

/** Throws a Fault if the run cannot be a new one of the suite. */
export function requireOfSuite(run: Run, known: Known): void {
  if (run.suite !== known.plan.suite) throw foreign(`the run is not of suite ${known.plan.suite}`);
  if (!runId.test(run.id)) throw foreign('the id of the run does not have the form that the gate gives it');
  // The judge would otherwise leave out the stored run of that id.
  if (known.runs.some(({ id }) => id === run.id)) throw foreign('a stored run has the same id');
}

/** The same name for both sides, without any text from the scripts. */
function nameOfNew(endpoint: string): string {
  return `new-${createHash('sha256').update(endpoint).digest('hex').slice(0, 8)}`;
}

function knownEndpoints({ plan, runs }: Known): ReadonlySet<string> {
  const measured = runs
    .flatMap(({ cells }) => cells)
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ endpoints }) => endpoints.map(({ name }) => name));
  return new Set([
    ...Object.values(ownEndpoints),
    ...plan.cells.flatMap(({ endpoints = [] }) => endpoints),
    ...measured,
  ]);
}

function foreign(cause: string): Fault {
  return new Fault({
    code: 'E_REPORT_FOREIGN',
    kind: 'measurement',
    place: 'report',
    cause,
    nextStep: 'read the log of the run that measured; nothing of its report was used',
  });
}

function restateReasons(reasons: readonly InvalidReason[]): InvalidReason[] {
  const own = reasons.map(({ code }) => reasonInGeneral(code));
  return [...new Map(own.map((reason) => [reason.code, reason])).values()];
}

/** An unknown value still differs from every known one, so the comparison has the same result. */
function knownFingerprint(fingerprint: Fingerprint, stored: readonly Fingerprint[]): Fingerprint {
  const known = (value: string, of: (one: Fingerprint) => string | undefined, fits?: RegExp) =>
    value === '' || fits?.test(value) === true || stored.some((one) => of(one) === value) ? value : unknown;
  const versionNames = new Set(stored.flatMap(({ versions }) => Object.keys(versions)));
  const versions = Object.entries(fingerprint.versions).map(([name, version]) =>
    versionNames.has(name)
      ? [name, known(version, (one) => one.versions[name], plainVersion)]
      : ['others', unknown],
  );
  return {
    ...fingerprint,
    cpuModel: known(fingerprint.cpuModel, (one) => one.cpuModel),
    os: known(fingerprint.os, (one) => one.os),
    runner: known(fingerprint.runner, (one) => one.runner),
    k6: known(fingerprint.k6, (one) => one.k6, plainVersion),
    versions: Object.fromEntries(versions),
    dataKey: known(fingerprint.dataKey, (one) => one.dataKey, hash),
    loadHash: known(fingerprint.loadHash, (one) => one.loadHash, hash),
  };
}
