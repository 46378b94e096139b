import { z } from 'zod';
import { courseSchema } from './course.ts';

/** A run holds no more accepted changes. */
export const mostAccepted = 200;

/** Version of the run's shape on disk. Raised when a reader of the former shape would misread it. */
export const runSchemaVersion = 1;

const finite = z.number();
const nonNegative = z.number().min(0);
const count = z.number().int().min(0);

/** Why a measurement cannot be trusted. An invalid run is neither a pass nor a regression. */
export const invalidReasonSchema = z.strictObject({
  /** Stable identifier such as `I_WARM_UP` or `I_GENERATOR_CPU`. */
  code: z.string(),
  /** What happened, with its figures. */
  cause: z.string(),
  /** What to do about it. */
  nextStep: z.string(),
});
export type InvalidReason = z.infer<typeof invalidReasonSchema>;

/** Response times of one endpoint (or of a whole cell) within one block, in milliseconds; a failed request's time counts too. */
export const latencySchema = z.strictObject({
  meanMs: nonNegative,
  p50Ms: nonNegative,
  p90Ms: nonNegative,
  p95Ms: nonNegative,
  p99Ms: nonNegative,
  maxMs: nonNegative,
  /** HDR histogram of microseconds, 3 significant digits, V2 compressed base64. Left out of stored baselines. */
  histogram: z.string().optional(),
});
export type Latency = z.infer<typeof latencySchema>;

/**
 * Names that the gate gives to requests, in addition to those of the script. cutOff: not answered, and nobody knows what was
 * asked for. preparation: before a user's first pass. dropped: a pass that could not begin.
 */
export const ownEndpoints = {
  cutOff: '(cut off)',
  preparation: '(preparation)',
  dropped: '(dropped)',
} as const;

/** True for a name that the gate gave. Such requests are no part of what the script asks for. */
export function isOwnEndpoint(name: string): boolean {
  return Object.values<string>(ownEndpoints).includes(name);
}

export const endpointBlockSchema = z.strictObject({
  /** The `name` tag of its requests. */
  name: z.string(),
  /** Requests that began within the counted interval, whenever they ended. */
  requests: count,
  /** Requests with an unexpected response, or failed checks that name this endpoint if there are more of them. */
  errors: count,
  latency: latencySchema,
});
export type EndpointBlock = z.infer<typeof endpointBlockSchema>;

/** CPU and memory of one role over the counted interval. */
export const roleUsageSchema = z.strictObject({
  /** CPU seconds used, divided by the seconds and cores of the interval: 0 to 1. */
  cpuShare: nonNegative,
  /** Resident memory at the end of the interval, bytes. */
  rssBytes: nonNegative,
});

/** One k6 process run of a cell against one side: the unit of inference. */
export const blockSchema = z.strictObject({
  /** The round, counted from 0, that this block belongs to. */
  round: count,
  startedAt: z.iso.datetime(),
  /** Length of the counted interval, after the guard interval. */
  countedSeconds: z.number().positive(),
  /** Requests that began within the counted interval, whenever they ended; errors and latency are theirs. */
  requests: count,
  errors: count,
  /** Passes that ended within the counted interval. */
  iterations: count,
  /** Requests that ended within the counted interval, per second of it. */
  tps: nonNegative,
  latency: latencySchema,
  endpoints: z.array(endpointBlockSchema),
  /** CPU and memory by role: `generator`, `service`, `backing`. */
  usage: z.record(z.string(), roleUsageSchema),
  /** The machine's stolen CPU time as a share of the interval's, 0 to 1. */
  stealShare: nonNegative,
  /** CPU time of programs outside the measurement, as a share of the interval's, 0 to 1. */
  othersCpuShare: nonNegative.default(0),
  /** Time in which a core only waited for a disk, as a share of the interval's, 0 to 1. */
  ioWaitShare: nonNegative.default(0),
  /** Value of every configured signal, by its name; a signal that could not be read is absent. */
  signals: z.record(z.string(), finite),
  /** Metrics whose thresholds in the script were missed; absent if none. */
  missedThresholds: z.array(z.string().max(200)).max(50).optional(),
  invalid: z.array(invalidReasonSchema),
});
export type Block = z.infer<typeof blockSchema>;

/** A scenario under a load. */
export const cellSchema = z.strictObject({
  scenario: z.string(),
  load: z.string(),
  /** Virtual users. Each sends its next request after the response to the last one, and after the script's pause. */
  vus: z.number().int().positive(),
  /** Passes that began per second, each by a user who had just arrived. Absent in a closed loop; else `vus` is the limit. */
  arrival: z.number().positive().optional(),
  blocks: z.array(blockSchema),
  /** What happened over the time of an unbroken load; absent if that lasted less than five minutes. */
  course: courseSchema.optional(),
});
export type Cell = z.infer<typeof cellSchema>;

/** One window of the warm-up. */
export const warmUpWindowSchema = z.strictObject({
  seconds: z.number().positive(),
  /** Virtual users of each scenario. */
  vus: z.number().int().positive(),
  requests: count,
  errors: count,
  meanMs: nonNegative,
  /** JIT compilation in milliseconds per second; absent if it cannot be read. */
  compileMsPerSecond: nonNegative.optional(),
});
export type WarmUpWindow = z.infer<typeof warmUpWindowSchema>;

export const warmUpSchema = z.strictObject({
  /** True once latency and, if known, compile time had settled before the cap. */
  steady: z.boolean(),
  seconds: nonNegative,
  windows: z.array(warmUpWindowSchema),
});
export type WarmUp = z.infer<typeof warmUpSchema>;

/** How the gate can run a service: as plain processes, or as containers of a compose file. */
export const stackKinds = ['process', 'compose'] as const;
export type StackKind = (typeof stackKinds)[number];

/** What has to be equal for two runs to be comparable. */
export const fingerprintSchema = z.strictObject({
  cpuModel: z.string(),
  cpuCount: z.number().int().positive(),
  /** Rounded to GiB, since the kernel's figure moves by a few pages between boots. */
  memoryGiB: nonNegative,
  os: z.string(),
  /** Runner image and architecture on GitHub's runners, `self-hosted` and architecture on other CI, `local` elsewhere. */
  runner: z.string(),
  /**
   * Hash of the host, for a self-hosted pool. Hosts with the same other parts are comparable, and runs of one host
   * differ less. Absent in older runs, and where it is unknown whether runs share a host.
   */
  host: z.string().optional(),
  stack: z.enum(stackKinds),
  k6: z.string(),
  /** Versions that the stack reports: runtime, database, cache. */
  versions: z.record(z.string(), z.string()),
  /** Key of the seeded data, empty without backing services. */
  dataKey: z.string(),
  /** SHA-256 of everything that shapes the load: suite, scenarios, loads, scripts. */
  loadHash: z.string(),
});
export type Fingerprint = z.infer<typeof fingerprintSchema>;

export const phaseTimingSchema = z.strictObject({ phase: z.string(), seconds: nonNegative });

/** A full commit id in either object format of git; empty outside a repository. */
export const commitSchema = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/, 'expected a full commit id');

/** A row of a run that was slower than the runs before it, which somebody accepted. */
export const acceptedChangeSchema = z.strictObject({
  /** `scenario@load`, `scenario`, or `*` for all cells. */
  cell: z.string().max(200),
  /** A metric or a signal. */
  metric: z.string().max(100),
  reason: z.string().max(300),
  by: z.string().max(100),
});
export type AcceptedChange = z.infer<typeof acceptedChangeSchema>;

export const runSchema = z.strictObject({
  schema: z.literal(runSchemaVersion),
  id: z.string(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  suite: z.string(),
  /** The code that was measured. */
  code: z.strictObject({ commit: commitSchema, branch: z.string(), dirty: z.boolean() }),
  fingerprint: fingerprintSchema,
  warmUp: warmUpSchema,
  phases: z.array(phaseTimingSchema),
  cells: z.array(cellSchema),
  /** Reasons that concern the whole run. Each block has its own reasons. */
  invalid: z.array(invalidReasonSchema),
  /** Options of scenarios' scripts that the load of gate.yml replaced; absent if none. */
  replacedOptions: z.array(z.string().max(200)).max(100).optional(),
  /** What this commit made worse with somebody's consent; absent if nothing. */
  accepted: z.array(acceptedChangeSchema).max(mostAccepted).optional(),
  /** Set if a clear suspect ended the measurement before its last round, to be measured again next to base. */
  endedEarly: z.literal(true).optional(),
});
export type Run = z.infer<typeof runSchema>;

/** The base commit and the head, measured in interleaved blocks on one machine. */
export const interleavedSchema = z.strictObject({ base: runSchema, head: runSchema });
export type Interleaved = z.infer<typeof interleavedSchema>;

/** The blocks of a cell that nothing speaks against. */
export function cleanBlocks({ blocks }: Pick<Cell, 'blocks'>): Block[] {
  return blocks.filter(({ invalid }) => invalid.length === 0);
}

/** The name of a cell wherever people read or type it, such as `trip-edit@peak`. */
export function cellName(cell: { readonly scenario: string; readonly load: string }): string {
  return `${cell.scenario}@${cell.load}`;
}
