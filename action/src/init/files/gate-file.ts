import { Document, isCollection, isMap, isScalar, visit } from 'yaml';
import { type ConfigText, configSchema } from '../../model/config.ts';
import { bytesReceived } from '../../model/signal-config.ts';

/** A path that the scenario requests, with its name in reports. */
export interface Endpoint {
  readonly name: string;
  readonly path: string;
}

/** Names `/api/items` `api-items` and `/` `home`. Different paths get different names. */
export function endpointsOf(routes: readonly string[]): readonly Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (const path of routes) {
    const base =
      path
        .replaceAll(/[^A-Za-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '')
        .slice(0, 40) || 'home';
    const taken = endpoints.filter(({ name }) => name === base || name.startsWith(`${base}_`)).length;
    endpoints.push({ name: taken === 0 ? base : `${base}_${taken + 1}`, path });
  }
  return endpoints;
}

const layout = { lineWidth: 110, flowCollectionPadding: false } as const;
/** Keys whose lists and mappings are short enough for one line. */
const onOneLine = new Set([
  'command',
  'inputs',
  'outputs',
  'ports',
  'secrets',
  'endpoints',
  'cells',
  'series',
  'average',
  'peak',
]);

/**
 * Text of perf/gate.yml: a load of few users and one of more, for a minute and a half of load in all.
 *
 * @param login true if the scenario can log in as a user that this file names
 */
export function gateFile(
  name: string,
  { stack, signals = {} }: Pick<ConfigText, 'stack' | 'signals'>,
  endpoints: readonly Endpoint[],
  schema: string | undefined,
  login: boolean,
): string {
  const config = {
    version: 1,
    name,
    stack,
    scenarios: {
      browse: {
        script: 'scenarios/browse.js',
        ...(login ? { env: { LOGIN_USER: '', LOGIN_PASSWORD: '' } } : {}),
        endpoints: endpoints.map((endpoint) => endpoint.name),
        loads: { average: { vus: 5 }, peak: { vus: 20 } },
      },
    },
    suites: {
      pr: { cells: ['browse@average', 'browse@peak'], rounds: 3, guard: '3s', counted: '10s' },
    },
    // Another field or header is seldom worth a red check.
    signals: { bytesReceived: { ...bytesReceived, gate: 'fail', tolerance: '10%', floor: 100 }, ...signals },
  } satisfies ConfigText;
  // Every check parses the file with this schema, so a refused file is a defect of this program.
  configSchema.parse(config);
  const document = new Document(config, { aliasDuplicateObjects: false });
  visit(document, {
    Pair: (_, { key, value }) => {
      if (isCollection(value) && isScalar<string>(key)) value.flow = onOneLine.has(key.value);
    },
  });
  comment(document, 'scenarios', ' What your users do, and how many of them do it at the same time.');
  comment(
    document,
    'suites',
    ' What judges a pull request: 3 blocks of 10 s for each cell; 4 of each version where they are interleaved.',
  );
  comment(
    document,
    'signals',
    ' Counted costs. Growth beyond both the tolerance (or 2%) and the floor fails the check. Raise them if answers vary.',
  );
  const lines = [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    document.toString(layout),
  ];
  return lines.join('\n');
}

function comment({ contents }: Document, path: string, text: string): void {
  const keys = isMap(contents) ? contents.items.map(({ key }) => key) : [];
  const key = keys.filter((one) => isScalar(one)).find(({ value }) => value === path);
  if (key === undefined) throw new Error(`there is no ${path}`);
  key.spaceBefore = true;
  key.commentBefore = text;
}

/** A compose file to write. */
export interface ComposeFileText {
  /** Text of its first line, after the `#`. */
  readonly comment: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export function composeFile({ comment, content }: ComposeFileText): string {
  const document = new Document(content);
  document.commentBefore = comment;
  return document.toString(layout);
}
