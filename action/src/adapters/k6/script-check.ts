import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LoadSpec } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { type K6Binary, runK6, variableOptions } from './command.ts';
import { errorText } from './log.ts';

/** Throws a Fault if the script is missing, does not compile or exports no default function. */
export async function checkScript(k6: K6Binary, script: string, env: LoadSpec['env']): Promise<void> {
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
  // `inspect` accepts a script without a default function. `archive` refuses it, given the load to expect.
  const { code, stderr } = await runK6(
    k6,
    [
      'archive',
      '--quiet',
      '--no-color',
      '--log-format=json',
      // Init code may insist on an address; nothing is sent to it.
      ...variableOptions({ ...env, BASE_URL: 'http://127.0.0.1:9' }),
      '--vus=1',
      '--iterations=1',
      '--archive-out=/dev/null',
      '--',
      script,
    ],
    dirname(script),
  );
  if (code === 0) return;
  const message = stderr.split('\n').flatMap((line) => errorText(line) ?? []);
  throw compileFault(script, message.join(' ') || 'k6 could not load the script and gave no reason');
}

function compileFault(script: string, message: string): Fault {
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
