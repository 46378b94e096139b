import { pathToFileURL } from 'node:url';
import type { ArrivalLoad } from '../../measure/index.ts';

/** k6 takes whole iterations per time unit. With this unit, a rate is exact to a thousandth of a pass per second. */
const timeUnitSeconds = 1000;

/**
 * A script, for k6's standard input, that runs the user's script with passes that begin at a fixed rate. k6 has no
 * command-line option for it, and the options of a script override those of a configuration file. `open()` still finds
 * the files that are next to the user's script.
 */
export function arrivalScript(
  script: string,
  exec: string,
  { perSecond, vus, seconds }: ArrivalLoad,
): string {
  const name = JSON.stringify(pathToFileURL(script).href);
  const load = {
    executor: 'constant-arrival-rate',
    rate: Math.max(1, Math.round(perSecond * timeUnitSeconds)),
    timeUnit: `${timeUnitSeconds}s`,
    duration: `${Math.round(seconds * 1000)}ms`,
    preAllocatedVUs: vus,
    maxVUs: vus,
  };
  return `import * as script from ${name};
${reExport(name, exec)}
const { vus, duration, iterations, stages, scenarios, ...others } = script.options ?? {};
export const options = { ...others, scenarios: { default: ${JSON.stringify(load)} } };
`;
}

/** A script, for k6's standard input, that runs another function of the user's script as its default function. */
export function execScript(script: string, exec: string): string {
  return reExport(JSON.stringify(pathToFileURL(script).href), exec);
}

/** `export *` leaves out the default export. */
function reExport(name: string, exec: string): string {
  return `export * from ${name};\nexport { ${exec} as default } from ${name};`;
}
