import type { InvalidReason } from './run.ts';

interface Words<Figures> {
  /** The cause without figures, for a reader that trusts nothing but the code. */
  readonly summary: string;
  readonly cause: (figures: Figures) => string;
  readonly nextStep: string;
}

/** What the generator reported first; absent if it reported no error. */
interface FirstError {
  readonly firstError: string | undefined;
}

/** A share of the machine's CPU time and its limit, 0 to 1. */
interface CpuUse {
  readonly share: number;
  readonly limit: number;
}

/** Passes that found no free user, although the time that users waited for the service would not explain it. */
interface FewUsers {
  /** Dropped passes among all, 0 to 1. */
  readonly share: number;
  readonly perSecond: number;
  readonly vus: number;
  /** Mean length of a pass. */
  readonly seconds: number;
  /** Mean part of a pass in which its user waited for no response. */
  readonly ownSeconds: number;
}

const otherJourney =
  'look for a step that fails, or a response that lacks what the next step needs; if the change is intended, record a new baseline';

/** Every reason for not trusting a measurement, by its code. Published codes never change their meaning. */
const words = {
  I_ALL_FAILED: {
    summary: 'all requests of a block failed',
    cause: ({ requests, firstError }: { requests: number } & FirstError) =>
      `all ${requests} requests failed${quote(firstError)}`,
    nextStep: "read the service's log: response times of failed requests say nothing about its speed",
  },
  I_CELL_MISSING: {
    summary: 'a cell was not measured',
    cause: () => 'the cell was not measured: the run has no block of it',
    nextStep: 'run the check again with the suite that contains this cell',
  },
  I_CLOCK: {
    summary: 'the wall clock was set during a block, so that requests were counted at wrong times',
    cause: ({ stepSeconds }: { stepSeconds: number }) =>
      `the wall clock was set ${stepSeconds < 0 ? 'back' : 'forward'} by ${Math.abs(stepSeconds).toFixed(1)} s during the block`,
    nextStep: 'let a time service adjust the clock gradually, or run the check again',
  },
  I_CUT_SHORT: {
    summary: 'the load of a cell ended before its time',
    cause: ({ minutes, planned, why }: { minutes: number; planned: number; why: string }) =>
      `the load ended after ${minutes.toFixed(1)} of ${planned.toFixed(1)} counted minutes: ${shortened(why)}`,
    nextStep: 'fix what ended the load, then run again; these figures cover only the time before that',
  },
  I_DROPPED: {
    summary:
      'passes were dropped, because all users were busy, and nothing shows that the change is the reason',
    cause: ({ base, head }: { base: number | undefined; head: number }) =>
      base === undefined
        ? `${percent(head, 1)} of the passes were dropped, because all users were busy, and there is no base that drops fewer`
        : `all users were busy with base too: it dropped ${percent(base, 1)} of the passes, and head ${percent(head, 1)}`,
    nextStep: 'raise `arrival.vus`, or lower `arrival.rate` to what the service can keep up with',
  },
  I_ENDPOINT_LOST: {
    summary: 'an endpoint that base served received no request',
    cause: ({ lost }: { lost: readonly { name: string; base: number }[] }) =>
      `no request went to ${lost.map(({ name, base }) => `${name} (${percent(base, 1)} of base's requests)`).join(', ')}`,
    nextStep: otherJourney,
  },
  I_ENDPOINT_MISSING: {
    summary: 'a block has no sample of an endpoint that the configuration requires',
    cause: ({ endpoints }: { endpoints: readonly string[] }) =>
      `no sample of ${shortened(endpoints.join(', '))}`,
    nextStep:
      'lengthen `counted` if one pass takes longer than that, or correct `endpoints` or the `name` tags',
  },
  I_EXCEPTIONS: {
    summary: 'the script threw an exception in most of its passes',
    cause: ({ exceptions, passes, firstError }: { exceptions: number; passes: number } & FirstError) =>
      `the script threw ${exceptions} exceptions in ${passes} passes${quote(firstError)}`,
    nextStep: 'handle the failing response in the script, so that the pass continues or ends cleanly',
  },
  I_FEW_USERS: {
    summary: 'passes were dropped, because the load has too few users for them, however fast the service is',
    cause: ({ share, perSecond, vus, seconds, ownSeconds }: FewUsers) =>
      `${percent(share, 1)} of the passes were dropped: ${vus} users cannot begin ${perSecond.toFixed(1)} passes per second, because the script's pauses and the generator alone take ${ownSeconds.toFixed(2)} s of a pass; this load needs about ${Math.ceil(perSecond * seconds)} users`,
    nextStep: 'raise `arrival.vus`, shorten the pauses, or give k6 more CPU',
  },
  I_GENERATOR_CPU: {
    summary: 'the load generator used more CPU than its limit, so it may have been the bottleneck',
    cause: ({ share, limit }: CpuUse) => `the load generator used ${cpuShare(share, limit)}`,
    nextStep:
      'add pauses between requests (`sleep` in k6), use fewer virtual users, or use a machine with more cores',
  },
  I_GENERATOR_END: {
    summary: 'the load generator did not finish',
    cause: ({ end, firstError }: { end: string } & FirstError) =>
      `the load generator did not finish: ${end}${quote(firstError)}`,
    nextStep:
      'read what the generator logged, or run the scenario alone with `k6 run`, and fix what it reports',
  },
  I_GENERATOR_START: {
    summary:
      'the load generators began too far apart, so that the counted interval did not have the whole load',
    cause: ({ last, seconds, limit }: { last: string; seconds: number; limit: number }) =>
      `${last} began ${seconds.toFixed(1)} s after the first generator, more than ${limit.toFixed(1)} s, so the counted interval did not have the whole load`,
    nextStep: 'set the clocks of the machines by NTP, or lengthen the guard interval with `--guard`',
  },
  I_MIX: {
    summary: "the mix of requests differs from base's",
    cause: ({ moved }: { moved: readonly { name: string; base: number; head: number }[] }) =>
      `the mix of requests differs from base's: ${moved.map(({ name, base, head }) => `${name} from ${percent(base, 1)} to ${percent(head, 1)}`).join(', ')}`,
    nextStep: otherJourney,
  },
  I_NO_REQUESTS: {
    summary: 'no request began within the counted interval',
    cause: ({ round }: { round: number }) =>
      `no request began within the counted interval of round ${round + 1}`,
    nextStep: "read the service's log for a stuck service, or lengthen the suite's `counted`",
  },
  I_NO_SAMPLES: {
    summary: 'no request began within the counted interval',
    cause: ({ countedSeconds, firstError }: { countedSeconds: number } & FirstError) =>
      `no request began within the ${countedSeconds} s that are counted${quote(firstError)}`,
    nextStep: 'check that the service still answers; use fewer virtual users or lengthen `counted`',
  },
  I_OTHERS_CPU: {
    summary: 'programs outside the measurement used more CPU than their limit',
    cause: ({ share, limit }: CpuUse) => `programs outside the measurement used ${cpuShare(share, limit)}`,
    nextStep: 'stop other programs on this machine (`top` lists them), then run the check again',
  },
  I_PASSES_MISSING: {
    summary: 'the generator was too slow to let all passes begin',
    cause: ({ began, due }: { began: number; due: number }) =>
      `only ${began} of ${due} passes were begun or dropped, because the generator was late`,
    nextStep:
      'lower the rate of passes or let users begin over a longer time, or use more `generators` or a machine with more cores',
  },
  I_STEAL: {
    summary: 'other guests of the host took more CPU than their limit',
    cause: ({ share, limit }: CpuUse) => `other guests of the host took ${cpuShare(share, limit)}`,
    nextStep: 'run the check again, or use a machine that does nothing else',
  },
  I_STOPPED: {
    summary: 'rounds were left out, because a block was broken',
    cause: ({ round, rounds }: { round: number; rounds: number }) =>
      `the rounds stopped in round ${round + 1} of ${rounds}, because this block was broken`,
    nextStep: 'fix what broke the block; later blocks of the cells measured with it are missing',
  },
  I_WARM_UP: {
    summary: 'the service had not settled at the end of the warm-up',
    cause: ({
      seconds,
      jit,
    }: {
      seconds: number;
      jit: { compileMsPerSecond: number; limit: number } | undefined;
    }) =>
      `the service had not settled after ${Math.round(seconds)} s of warm-up${
        jit === undefined
          ? ''
          : `: the JIT still compiled for ${jit.compileMsPerSecond.toFixed(0)} ms per second, above the limit of ${jit.limit}`
      }`,
    nextStep: 'raise `warmUp.cap`, or see `warmUp.windows` in run.json for what still changed',
  },
  I_OTHER: {
    summary: 'the run is invalid for a reason that this version does not know',
    cause: () => 'the run is invalid for a reason that this version does not know',
    nextStep: 'read the log of the run that measured, and use the same version of the gate in both workflows',
  },
} satisfies Record<`I_${string}`, Words<never>>;

/** Codes that this version writes. Stored runs of other versions may hold others. */
export type InvalidCode = keyof typeof words;
export const invalidCodes = Object.keys(words) as InvalidCode[];
type Figures<Code extends InvalidCode> = Parameters<(typeof words)[Code]['cause']>;

const wordsByCode: {
  readonly [Code in InvalidCode]: { cause: (...figures: Figures<Code>) => string; nextStep: string };
} = words;

/** Codes of others that used the CPU. Requests were slower, but what they needed was counted correctly. */
const takenCpu: readonly InvalidCode[] = ['I_STEAL', 'I_OTHERS_CPU'];

/** Codes of what else happened on the machine, which says nothing about the service or the load. */
const disturbances: ReadonlySet<string> = new Set<InvalidCode>([...takenCpu, 'I_CLOCK']);

/** Codes of a generator without enough CPU. */
const busyGenerator: ReadonlySet<string> = new Set<InvalidCode>(['I_GENERATOR_CPU', 'I_PASSES_MISSING']);

/** Codes of a service that answers nothing, or whose answers make the script fail. */
const serviceFailures: ReadonlySet<string> = new Set<InvalidCode>([
  'I_ALL_FAILED',
  'I_EXCEPTIONS',
  'I_NO_SAMPLES',
]);

/** True if the machine was disturbed. The same measurement may succeed at another time or on another machine. */
export function isDisturbance({ code }: Pick<InvalidReason, 'code'>): boolean {
  return disturbances.has(code);
}

/**
 * True if nothing speaks against a block, or only that the service fails. Whoever asks for the limits of the service learns
 * them from such a block. The script's steps after a failed one have no samples then, which speaks against nothing more.
 */
export function nothingButFailures(reasons: readonly Pick<InvalidReason, 'code'>[]): boolean {
  const failed = reasons.some(({ code }) => serviceFailures.has(code));
  return reasons.every(({ code }) => serviceFailures.has(code) || (failed && code === 'I_ENDPOINT_MISSING'));
}

/** True if others used the CPU, which slows requests down and does nothing else to them. */
export function isTakenCpu({ code }: Pick<InvalidReason, 'code'>): boolean {
  return takenCpu.some((one) => one === code);
}

/** True if the reason may be gone when the block is repeated. What disturbs the machine may also slow the generator. */
export function isRepeatable(reason: Pick<InvalidReason, 'code'>): boolean {
  return busyGenerator.has(reason.code) || isDisturbance(reason);
}

export function invalidReason<Code extends InvalidCode>(
  code: Code,
  ...figures: Figures<Code>
): InvalidReason {
  const { cause, nextStep } = wordsByCode[code];
  return { code, cause: cause(...figures), nextStep };
}

/** The reason in the gate's own words, with nothing taken over from whoever wrote the code. */
export function reasonInGeneral(code: string): InvalidReason {
  const known: InvalidCode = Object.hasOwn(words, code) ? (code as InvalidCode) : 'I_OTHER';
  return { code: known, cause: words[known].summary, nextStep: words[known].nextStep };
}

/** Longest quote of a script or its log, in characters: readers of a report refuse long texts. */
const longestQuote = 500;

function shortened(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote - 1).toWellFormed()}…`;
}

function quote(firstError: string | undefined): string {
  return firstError === undefined ? '' : `; first error: ${shortened(firstError)}`;
}

function percent(share: number, digits: number): string {
  return `${(100 * share).toFixed(digits)}%`;
}

/** Such as `43% of the CPU, above the limit of 40%`, with as many decimals as it takes to see that one exceeds the other. */
function cpuShare(share: number, limit: number): string {
  const digits = [0, 1, 2].find((few) => percent(share, few) !== percent(limit, few)) ?? 3;
  return `${percent(share, digits)} of the CPU, above the limit of ${percent(limit, digits)}`;
}
