import { pathToFileURL } from 'node:url';
import type { ArrivalLoad, LoadSpec } from '../../measure/index.ts';

/** k6 takes whole iterations per time unit. With this unit, a rate is exact to a thousandth of a pass per second. */
const timeUnitSeconds = 1000;

/**
 * A script, for k6's standard input, that runs the user's script with passes that begin at given times. k6 has no
 * command-line option for it, and the options of a script override those of a configuration file. `open()` still finds
 * the files that are next to the user's script.
 */
export function arrivalScript(script: string, exec: string, arrival: ArrivalLoad): string {
  const name = addressOf(script);
  return `${reExport(name, exec)}\n${arrivalOptions(name, arrival)}`;
}

function arrivalOptions(name: string, arrival: ArrivalLoad): string {
  return `import * as script from ${name};
const { vus, duration, iterations, stages, scenarios, ...others } = script.options ?? {};
export const options = { ...others, scenarios: { default: ${JSON.stringify(executorOf(arrival))} } };
`;
}

function executorOf({ perSecond, vus, seconds, stages, once }: ArrivalLoad) {
  const users = { timeUnit: `${timeUnitSeconds}s`, preAllocatedVUs: vus, maxVUs: vus };
  if (once !== undefined) {
    // k6 begins pass n after n of `vus` equal parts of the time. A k6 that stands still at the end must lose no pass and add
    // none, so the rate ends halfway to one more, and k6 goes on without one until the cap.
    const afterLast = Math.min(seconds / vus, once.capSeconds) / 2;
    return {
      executor: 'ramping-arrival-rate',
      ...users,
      startRate: vus,
      timeUnit: durationText(seconds),
      stages: [
        { duration: durationText(seconds + afterLast), target: vus },
        { duration: '0s', target: 0 },
        { duration: durationText(once.capSeconds - afterLast), target: 0 },
      ],
      gracefulStop: '0s',
    };
  }
  if (stages === undefined) {
    const rate = Math.max(1, rateOf(perSecond));
    return { executor: 'constant-arrival-rate', ...users, rate, duration: durationText(seconds) };
  }
  return {
    executor: 'ramping-arrival-rate',
    ...users,
    startRate: 0,
    stages: stages.map((stage) => ({
      duration: durationText(stage.seconds),
      target: rateOf(stage.perSecond),
    })),
  };
}

function rateOf(perSecond: number): number {
  return Math.round(perSecond * timeUnitSeconds);
}

function durationText(seconds: number): string {
  return `${Math.round(seconds * 1e6)}us`;
}

/** A script, for k6's standard input, that runs another function of the user's script as its default function. */
export function execScript(script: string, exec: string): string {
  return reExport(addressOf(script), exec);
}

/** Holds the position of its generator, as in `NAME-3`; the names of others end otherwise. */
export const generatorVariable = 'GATE_GENERATOR';

/**
 * Two modules that run the user's script on one of several machines, whose commands are all the same. The first module is
 * evaluated before the user's script and moves VU_OFFSET on, as if each machine had a VU_OFFSET of its own. k6 restores
 * the variables before each pass, so the second module moves it on again.
 */
export function sharedScript(
  { script, exec = 'default', arrival }: Pick<LoadSpec, 'script' | 'exec' | 'arrival'>,
  usersOfOne: number,
): { readonly 'offset.js': string; readonly 'main.js': string } {
  const name = addressOf(script);
  return {
    'offset.js': `const position = Number(/-(\\d+)$/.exec(__ENV.${generatorVariable} ?? '')?.[1] ?? 1);
export const offset = String(Number(__ENV.VU_OFFSET ?? 0) + (position - 1) * ${usersOfOne});
__ENV.VU_OFFSET = offset;
`,
    'main.js': `import { offset } from './offset.js';
import { ${exec} as run } from ${name};
export * from ${name};
export default function (...data) {
  __ENV.VU_OFFSET = offset;
  return run.apply(this, data);
}
${arrival === undefined ? '' : arrivalOptions(name, arrival)}`,
  };
}

function addressOf(script: string): string {
  return JSON.stringify(pathToFileURL(script).href);
}

/** `export *` leaves out the default export. */
function reExport(name: string, exec: string): string {
  return `export * from ${name};\nexport { ${exec} as default } from ${name};`;
}
