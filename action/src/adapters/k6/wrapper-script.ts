import { pathToFileURL } from 'node:url';
import type { ArrivalLoad } from '../../measure/index.ts';

/** k6 takes whole iterations per time unit. With this unit, a rate is exact to a thousandth of a pass per second. */
const timeUnitSeconds = 1000;

/**
 * A script, for k6's standard input, that runs the user's script with passes that begin at given times. k6 has no
 * command-line option for it, and the options of a script override those of a configuration file. `open()` still finds
 * the files that are next to the user's script.
 */
export function arrivalScript(script: string, exec: string, arrival: ArrivalLoad): string {
  const name = JSON.stringify(pathToFileURL(script).href);
  return `import * as script from ${name};
${reExport(name, exec)}
const { vus, duration, iterations, stages, scenarios, ...others } = script.options ?? {};
export const options = { ...others, scenarios: { default: ${JSON.stringify(executorOf(arrival))} } };
`;
}

function executorOf({ perSecond, vus, seconds, stages, once }: ArrivalLoad) {
  const users = { timeUnit: `${timeUnitSeconds}s`, preAllocatedVUs: vus, maxVUs: vus };
  if (once !== undefined) {
    // k6 begins pass n after n - 1 of `vus` equal parts of the time. It ends halfway between the last and one more.
    return {
      executor: 'constant-arrival-rate',
      ...users,
      rate: vus,
      timeUnit: durationText(seconds),
      duration: durationText(seconds * (1 - 1 / (2 * vus))),
      gracefulStop: durationText(once.capSeconds),
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
  return `${Math.round(seconds * 1000)}ms`;
}

/** A script, for k6's standard input, that runs another function of the user's script as its default function. */
export function execScript(script: string, exec: string): string {
  return reExport(JSON.stringify(pathToFileURL(script).href), exec);
}

/** `export *` leaves out the default export. */
function reExport(name: string, exec: string): string {
  return `export * from ${name};\nexport { ${exec} as default } from ${name};`;
}
