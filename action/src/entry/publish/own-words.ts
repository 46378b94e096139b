import { createHash } from 'node:crypto';
import type { Plan } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
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

type Words = Omit<InvalidReason, 'code'>;

const itsLog = 'read the log of the run that measured';
const ownReasons: Readonly<Record<string, Words>> = {
  I_ALL_FAILED: { cause: 'all requests of a block failed', nextStep: `${itsLog}, and of the service` },
  I_CELL_MISSING: { cause: 'a cell was not measured', nextStep: itsLog },
  I_ENDPOINT_LOST: {
    cause: 'no request went to an endpoint that base has',
    nextStep: 'name it in `endpoints` if it has to be there; else record a new baseline',
  },
  I_ENDPOINT_MISSING: {
    cause: 'an endpoint that every block has to have samples of had none',
    nextStep: 'lengthen `counted`, or correct `endpoints` or the `name` tags',
  },
  I_EXCEPTIONS: {
    cause: 'iterations ended in an exception of the script',
    nextStep: 'handle the failing answer in the script, so that the pass goes on or ends cleanly',
  },
  I_GENERATOR_CPU: {
    cause: 'the load generator used more of the CPU than it may',
    nextStep:
      'let the virtual users pause between requests (`sleep` of k6), lower their number, or take a machine with more cores',
  },
  I_GENERATOR_END: { cause: 'the load generator did not finish', nextStep: itsLog },
  I_MIX: {
    cause: 'the mix of requests is not that of base',
    nextStep: 'let the script ask as before, or record a new baseline',
  },
  I_NO_REQUESTS: {
    cause: 'no request began within the time that is counted',
    nextStep: "look for a stuck service in its log, or lengthen the suite's `counted`",
  },
  I_NO_SAMPLES: {
    cause: 'no request began within the time that is counted',
    nextStep: 'lower the virtual users or lengthen `counted`, and look whether the service still answers',
  },
  I_OTHERS_CPU: {
    cause: 'programs that are not part of the measurement used more of the CPU than they may',
    nextStep: 'run it again, or on a machine of its own',
  },
  I_STEAL: {
    cause: 'other guests of the host took more of the CPU than they may',
    nextStep: 'run it again, or on a machine of its own',
  },
  I_WARM_UP: {
    cause: 'the service had not settled at the end of the warm-up',
    nextStep: 'raise `warmUp.cap`, or look in run.json at what its windows still changed',
  },
};
const otherReason: InvalidReason = {
  code: 'I_OTHER',
  cause: 'the run is not to be trusted for a reason that has no words here',
  nextStep: `${itsLog}; use one version of the gate in both workflows`,
};

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
  const codes = new Set(reasons.map(({ code }) => code));
  const own = [...codes].flatMap((code) => {
    const words = Object.hasOwn(ownReasons, code) ? ownReasons[code] : undefined;
    return words === undefined ? [] : [{ code, ...words }];
  });
  return own.length === codes.size ? own : [...own, otherReason];
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
