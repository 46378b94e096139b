import type { Block, Cell, EndpointBlock, Fingerprint, Latency, Run } from '../../model/run.ts';
import { cellName, stackKinds } from '../../model/run.ts';
import { placements, type RecordedRun, regimes } from './recorded-run.ts';
import { type Row, readTable, rowsFault, writeTable } from './table.ts';

/** Two tables: what is known about each run, and one row for each block of it, cell by cell and round by round. */
export interface BlockRows {
  readonly runs: string;
  readonly blocks: string;
}

/** Where the tables are, for faults. */
export interface RowFiles {
  readonly runs: string;
  readonly blocks: string;
}

const runColumns = [
  'run',
  'started_at',
  'finished_at',
  'suite',
  'commit',
  'cpu_model',
  'cpu_count',
  'memory_gib',
  'os',
  'runner',
  'host',
  'stack',
  'k6',
  'versions',
  'data_key',
  'load_hash',
  'regime',
  'placement',
  'pair',
  'change',
  'set_up_s',
  'warm_up_s',
] as const;

const latencyColumns = ['mean_ms', 'p50_ms', 'p90_ms', 'p95_ms', 'p99_ms', 'max_ms'] as const;
const latencyKeys = ['meanMs', 'p50Ms', 'p90Ms', 'p95Ms', 'p99Ms', 'maxMs'] as const;
const roles = ['generator', 'service', 'backing'] as const;
const signalPrefix = 'signal.';

const blockColumns = [
  'run',
  'cell',
  'vus',
  'arrival',
  'round',
  'at_s',
  'counted_s',
  'requests',
  'errors',
  'iterations',
  'tps',
  ...latencyColumns,
  'stolen',
  'others',
  'io_wait',
  ...roles.map((role) => `${role}_cpu`),
  'invalid',
  'endpoints',
] as const;

/** Six digits are more than any figure is good for. */
const digits = 6;
const short = (value: number) => String(Number(value.toPrecision(digits)));

const seconds = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000;

/** The rows of the runs. */
export function writeBlockRows(recorded: readonly RecordedRun[]): BlockRows {
  const signals = [
    ...new Set(
      recorded.flatMap(({ run }) =>
        run.cells.flatMap(({ blocks }) => blocks.flatMap((block) => Object.keys(block.signals))),
      ),
    ),
  ].toSorted();
  return {
    runs: writeTable(
      runColumns,
      recorded.map(({ run, regime, placement, pair, change }) => [
        run.id,
        run.startedAt,
        run.finishedAt,
        run.suite,
        run.code.commit,
        ...machineFields(run.fingerprint),
        regime,
        placement,
        pair,
        change,
        short(setUpSeconds(run)),
        short(run.warmUp.seconds),
      ]),
    ),
    blocks: writeTable(
      [...blockColumns, ...signals.map((name) => `${signalPrefix}${name}`)],
      recorded.flatMap(({ run }) =>
        run.cells.flatMap((cell) => cell.blocks.map((block) => blockFields(run, cell, block, signals))),
      ),
    ),
  };
}

/** What decides with which runs a run may be compared. */
function machineFields(fingerprint: Fingerprint): readonly string[] {
  const { cpuModel, cpuCount, memoryGiB, os, runner, host, stack, k6, versions, dataKey, loadHash } =
    fingerprint;
  const inOrder = Object.entries(versions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    cpuModel,
    String(cpuCount),
    String(memoryGiB),
    os,
    runner,
    host ?? '',
    stack,
    k6,
    inOrder.map(([name, version]) => `${name}=${version}`).join(';'),
    dataKey,
    loadHash,
  ];
}

function fingerprintOf(row: Row): Fingerprint {
  const host = row.text('host');
  const versions = row
    .text('versions')
    .split(';')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const [name = '', ...version] = pair.split('=');
      return [name, version.join('=')];
    });
  return {
    cpuModel: row.text('cpu_model'),
    cpuCount: row.number('cpu_count'),
    memoryGiB: row.number('memory_gib'),
    os: row.text('os'),
    runner: row.text('runner'),
    ...(host !== '' && { host }),
    stack: row.word('stack', stackKinds),
    k6: row.text('k6'),
    versions: Object.fromEntries(versions),
    dataKey: row.text('data_key'),
    loadHash: row.text('load_hash'),
  };
}

/** All that a run takes before its warm-up. */
function setUpSeconds({ phases }: Run): number {
  return phases
    .filter(({ phase }) => phase === 'boot' || phase.startsWith('data: '))
    .reduce((sum, phase) => sum + phase.seconds, 0);
}

function blockFields(run: Run, cell: Cell, block: Block, signals: readonly string[]): readonly string[] {
  return [
    run.id,
    cellName(cell),
    String(cell.vus),
    cell.arrival === undefined ? '' : short(cell.arrival),
    String(block.round),
    short(seconds(run.startedAt, block.startedAt)),
    short(block.countedSeconds),
    String(block.requests),
    String(block.errors),
    String(block.iterations),
    short(block.tps),
    ...latencyKeys.map((key) => short(block.latency[key])),
    short(block.stealShare),
    short(block.othersCpuShare),
    short(block.ioWaitShare),
    ...roles.map((role) => (block.usage[role] === undefined ? '' : short(block.usage[role].cpuShare))),
    block.invalid.map(({ code }) => code).join(' '),
    block.endpoints.map(endpointField).join(' '),
    ...signals.map((name) => (block.signals[name] === undefined ? '' : short(block.signals[name]))),
  ];
}

/** `name:requests:errors:mean:p95` of an endpoint; in names, what separates fields becomes a hyphen. */
function endpointField({ name, requests, errors, latency }: EndpointBlock): string {
  const plain = name.replaceAll(/[\s:,"]/g, '-');
  return [plain, requests, errors, short(latency.meanMs), short(latency.p95Ms)].join(':');
}

/** The runs that the rows describe. What the rows leave out, such as memory, is empty. */
export function readBlockRows({ runs, blocks }: BlockRows, files: RowFiles): readonly RecordedRun[] {
  const byRun = Map.groupBy(readTable(blocks, files.blocks), (row) => row.text('run'));
  const read = readTable(runs, files.runs).map((row): RecordedRun => {
    const id = row.text('run');
    const own = byRun.get(id);
    if (own === undefined) throw rowsFault(row.place, `run \`${id}\` has no block in ${files.blocks}`);
    byRun.delete(id);
    return {
      regime: row.word('regime', regimes),
      placement: row.word('placement', placements),
      pair: row.text('pair'),
      change: row.text('change'),
      run: runOf(row, own),
    };
  });
  const [stranger] = [...byRun.values()].flat();
  if (stranger !== undefined) {
    throw rowsFault(stranger.place, `run \`${stranger.text('run')}\` is not in ${files.runs}`);
  }
  return read;
}

function runOf(row: Row, blocks: readonly Row[]): Run {
  const startedAt = row.text('started_at');
  if (Number.isNaN(Date.parse(startedAt)))
    throw rowsFault(row.place, `\`started_at\` is \`${startedAt}\`, not a time`);
  const cells = Map.groupBy(blocks, (block) => block.text('cell'));
  return {
    schema: 1,
    id: row.text('run'),
    startedAt,
    finishedAt: row.text('finished_at'),
    suite: row.text('suite'),
    code: { commit: row.text('commit'), branch: 'main', dirty: false },
    fingerprint: fingerprintOf(row),
    warmUp: { steady: true, seconds: row.number('warm_up_s'), windows: [] },
    phases: [{ phase: 'boot', seconds: row.number('set_up_s') }],
    cells: [...cells].map(([name, rows]) => cellOf(name, rows, startedAt)),
    invalid: [],
  };
}

function cellOf(name: string, rows: readonly Row[], startedAt: string): Cell {
  const [scenario = '', load = ''] = name.split('@');
  const arrival = rows[0]?.newNumber('arrival');
  return {
    scenario,
    load,
    vus: rows[0]?.number('vus') ?? 1,
    ...(arrival !== undefined && { arrival }),
    blocks: rows.map((row) => blockOf(row, startedAt)),
  };
}

function blockOf(row: Row, startedAt: string): Block {
  const [meanMs = 0, p50Ms = 0, p90Ms = 0, p95Ms = 0, p99Ms = 0, maxMs = 0] = latencyColumns.map((name) =>
    row.number(name),
  );
  return {
    round: row.number('round'),
    startedAt: new Date(Date.parse(startedAt) + 1000 * row.number('at_s')).toISOString(),
    countedSeconds: row.number('counted_s'),
    requests: row.number('requests'),
    errors: row.number('errors'),
    iterations: row.number('iterations'),
    tps: row.number('tps'),
    latency: { meanMs, p50Ms, p90Ms, p95Ms, p99Ms, maxMs },
    endpoints: words(row, 'endpoints').map((text) => endpointOf(row, text)),
    usage: Object.fromEntries(
      roles.flatMap((role) =>
        row.text(`${role}_cpu`) === ''
          ? []
          : [[role, { cpuShare: row.number(`${role}_cpu`), rssBytes: 0 }] as const],
      ),
    ),
    stealShare: row.number('stolen'),
    othersCpuShare: row.number('others'),
    ioWaitShare: row.number('io_wait'),
    signals: Object.fromEntries(
      row.rest(signalPrefix).map(([name]) => [name, row.number(`${signalPrefix}${name}`)]),
    ),
    invalid: words(row, 'invalid').map((code) => ({ code, cause: code, nextStep: '' })),
  };
}

function words(row: Row, column: string): readonly string[] {
  return row
    .text(column)
    .split(' ')
    .filter((word) => word !== '');
}

function endpointOf(row: Row, text: string): EndpointBlock {
  const [name = '', ...figures] = text.split(':');
  const [requests, errors, meanMs, p95Ms] = figures.map(Number);
  if (
    requests === undefined ||
    errors === undefined ||
    meanMs === undefined ||
    p95Ms === undefined ||
    figures.some((one) => Number.isNaN(Number(one)))
  ) {
    throw rowsFault(row.place, `\`${text}\` is not an endpoint: name:requests:errors:mean:p95`);
  }
  // Only mean and p95 of an endpoint are judged, so the others are not kept.
  const latency: Latency = { meanMs, p50Ms: meanMs, p90Ms: p95Ms, p95Ms, p99Ms: p95Ms, maxMs: p95Ms };
  return { name, requests, errors, latency };
}
