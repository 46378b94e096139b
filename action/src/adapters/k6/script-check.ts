import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { LoadSpec, ScriptUse } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { type K6Binary, runK6, variableOptions } from './command.ts';
import { errorText } from './log.ts';
import { packScript } from './script-files.ts';
import { execScript } from './wrapper-script.ts';

const ownOptions = z.object({
  vus: z.number().nullish(),
  duration: z.string().nullish(),
  iterations: z.number().nullish(),
  stages: z.array(z.unknown()).nullish(),
  thresholds: z
    .record(z.string(), z.array(z.union([z.string(), z.object({ abortOnFail: z.boolean().nullish() })])))
    .nullish(),
  scenarios: z
    .record(
      z.string(),
      z.object({
        executor: z.string(),
        exec: z.string().nullish(),
        env: z.record(z.string(), z.string()).nullish(),
      }),
    )
    .nullish(),
});
type OwnOptions = z.output<typeof ownOptions>;

/** How to run the script. Throws a Fault if it is missing, does not compile, or leaves open which function to run. */
export async function checkScript(
  k6: K6Binary,
  script: string,
  env: LoadSpec['env'],
  wanted?: string,
): Promise<ScriptUse> {
  const file = await stat(script).catch(() => undefined);
  if (!file?.isFile()) {
    throw new Fault({
      code: 'E_SCENARIO_MISSING',
      kind: 'usage',
      place: script,
      cause: 'the script does not exist',
      nextStep: "correct the scenario's `script` in gate.yml; it is relative to that file",
    });
  }
  // Init code may insist on an address; nothing is sent to it.
  const common = (variables: LoadSpec['env']) => [
    '--quiet',
    '--no-color',
    '--log-format=json',
    ...variableOptions({ ...variables, BASE_URL: 'http://127.0.0.1:9' }),
  ];
  const cwd = dirname(script);
  const inspected = await runK6(k6, ['inspect', ...common(env), '--', script], { cwd });
  requireLoaded(script, inspected, 'default');
  const options = ownOptions.parse(JSON.parse(inspected.stdout));
  const exec = wanted ?? execOf(options, script);
  const own = envOf(options, exec);
  const source = exec === 'default' ? ['--', script] : ['-'];
  // `inspect` accepts a script without that function. `archive` refuses it, given the load to expect.
  const args = [...common({ ...own, ...env }), '--vus=1', '--iterations=1', ...source];
  const stdin = exec === 'default' ? '' : execScript(script, exec);
  const packed = await packScript(k6, args, { cwd, stdin });
  requireLoaded(script, packed, exec);
  return {
    ...(exec === 'default' ? {} : { exec }),
    env: own,
    replaced: replacedIn(options),
    hash: packed.hash,
    ...(abortsEarly(options) && { abortsEarly: true }),
  };
}

function requireLoaded(
  script: string,
  { code, stderr }: { readonly code: number | null; readonly stderr: string },
  exec: string,
): void {
  if (code === 0) return;
  const message = stderr.split('\n').flatMap((line) => errorText(line) ?? []);
  throw compileFault(script, message.join(' ') || 'k6 could not load the script and gave no reason', exec);
}

/** The function that all of the script's own scenarios run. */
function execOf({ scenarios }: OwnOptions, script: string): string {
  const named = new Set(Object.values(scenarios ?? {}).map(({ exec }) => exec ?? 'default'));
  const [only = 'default', ...others] = named;
  if (others.length === 0) return only;
  throw new Fault({
    code: 'E_SCENARIO_EXEC',
    kind: 'usage',
    place: script,
    cause: `the scenarios of its options run different functions: ${[...named].join(', ')}`,
    nextStep: 'write a scenario in gate.yml for each function, with the same `script` and its own `exec`',
  });
}

function envOf({ scenarios }: OwnOptions, exec: string): ScriptUse['env'] {
  const own = Object.values(scenarios ?? {}).find((one) => (one.exec ?? 'default') === exec);
  return own?.env ?? {};
}

/** Options that say how many users there are and for how long, which gate.yml decides. */
function replacedIn({ scenarios, thresholds: _, ...others }: OwnOptions): readonly string[] {
  const names = Object.entries(others).flatMap(([name, value]) => (value == null ? [] : [`options.${name}`]));
  const own = Object.entries(scenarios ?? {}).map(
    ([name, { executor }]) => `options.scenarios.${name} (${executor})`,
  );
  return [...names, ...own];
}

function abortsEarly({ thresholds }: Pick<OwnOptions, 'thresholds'>): boolean {
  const all = Object.values(thresholds ?? {}).flat();
  return all.some((one) => typeof one !== 'string' && one.abortOnFail === true);
}

function compileFault(script: string, message: string, exec: string): Fault {
  if (exec !== 'default' && /export named|no exported functions/.test(message)) {
    return new Fault({
      code: 'E_SCENARIO_COMPILE',
      kind: 'usage',
      place: script,
      cause: `the script exports no function ${exec}`,
      nextStep: `export it, or correct the scenario's \`exec\` in gate.yml`,
    });
  }
  if (/function 'default' not found|no exported functions/.test(message)) {
    return new Fault({
      code: 'E_SCENARIO_COMPILE',
      kind: 'usage',
      place: script,
      cause: 'the script exports no default function, so virtual users have nothing to run',
      nextStep: 'export what one user does as `export default function () { ... }`',
    });
  }
  return new Fault({
    code: 'E_SCENARIO_COMPILE',
    kind: 'usage',
    place: placeIn(message) ?? script,
    cause: message
      .replace(/^could not initialize '[^']*': (?:could not load JS test '[^']*': )?/, '')
      .replace(/^file:\/\/\S+: Line \d+:\d+ /, '')
      // This advice is for users of the official k6 container.
      .replace(/ Make sure that you've specified the right path.*$/s, ''),
    nextStep: `fix the script; \`k6 inspect ${script}\` reports the same error`,
  });
}

/** The first file:line:column that k6 names. */
function placeIn(message: string): string | undefined {
  const found = /file:\/\/([^'"\s]+?):( Line )?(\d+):(\d+)/.exec(message);
  if (found === null) return undefined;
  const [, path = '', fromParser, line, column] = found;
  // The parser counts columns from 0; stack traces and editors count them from 1.
  return `${decodeURIComponent(path)}:${line}:${Number(column) + (fromParser === undefined ? 0 : 1)}`;
}
