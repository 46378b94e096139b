import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../../model/config.ts';
import { nearestWord } from './nearest-word.ts';
import type { Problem } from './yaml-file.ts';

/** One mistake in a configuration file. */
interface ConfigProblem extends Problem {
  readonly code: 'E_CONFIG_KEY' | 'E_CONFIG_VALUE' | 'E_CONFIG_CELL';
  /** Path of the key that was probably meant by a misspelt one, or that is missing. */
  readonly about?: { readonly kind: 'misspelt' | 'missing'; readonly path: string };
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];
type JsonSchema = Exclude<z.core.JSONSchema._JSONSchema, boolean>;

interface Found {
  /** Start of the value, else of its key, else of the deepest part of the path that exists. */
  readonly valueOffset: number;
  readonly keyOffset: number;
}

/** Finds a path in the text, as far as it exists. */
export function find(document: Document, path: Path): Found {
  let value: Node | undefined = document.contents ?? undefined;
  let keyOffset = value?.range?.[0] ?? 0;
  for (const segment of path) {
    const holder: Node | undefined = isAlias(value) ? value.resolve(document) : value;
    let next: unknown;
    if (isMap(holder)) {
      const pair = holder.items.find(
        ({ key }) => String(isScalar(key) ? key.value : key) === String(segment),
      );
      if (isNode(pair?.key)) keyOffset = pair.key.range?.[0] ?? keyOffset;
      next = pair?.value;
    } else if (isSeq(holder)) {
      next = holder.items[Number(segment)];
      if (isNode(next)) keyOffset = next.range?.[0] ?? keyOffset;
    }
    value = isNode(next) ? next : undefined;
  }
  const empty = value === undefined || (isScalar(value) && value.type === 'PLAIN' && value.source === '');
  return { valueOffset: empty ? keyOffset : (value?.range?.[0] ?? keyOffset), keyOffset };
}

/** The value at a path of the data; undefined if the path does not exist. */
export function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[segment];
  }
  return value;
}

const jsonSchema = z.toJSONSchema(configSchema, { io: 'input' });

function schemaAt(path: Path): JsonSchema {
  let schema: z.core.JSONSchema._JSONSchema | undefined = jsonSchema;
  for (const segment of path) {
    if (typeof schema !== 'object') return {};
    if (typeof segment === 'number') {
      schema = Array.isArray(schema.items) ? undefined : schema.items;
    } else {
      schema = schema.properties?.[String(segment)] ?? schema.additionalProperties;
    }
  }
  return typeof schema === 'object' ? schema : {};
}

const longestQuote = 60;

function quote(text: string): string {
  return JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'string') return `the text ${quote(value)}`;
  if (typeof value === 'object') return 'a mapping';
  return String(value);
}

const typeNames = new Map([
  ['array', 'a list'],
  ['boolean', 'true or false'],
  ['int', 'a whole number'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['object', 'a mapping of keys to values'],
  ['record', 'a mapping of names to values'],
  ['string', 'text'],
]);

/** Next steps for the most frequent mistakes, by key. */
const examples = new Map([
  ['cells', 'write each once, as scenario@load, such as `cells: [trip-edit@peak]`'],
  ['costs', 'write each once and not under `cells` too, as scenario@load, such as `costs: [booking@ten]`'],
  ['command', 'write the program and its arguments as a list, such as `command: [java, -jar, app.jar]`'],
  ['env', 'write names with texts, such as `env: { LOG_LEVEL: "warn" }`; put numbers in quotes'],
  [
    'gate',
    'write `gate: fail` for what counters grow by per request, else `gate: suspect` or `gate: report`',
  ],
  ['meanMs', 'write milliseconds as a bare number, such as `meanMs: 500`'],
  ['p95Ms', 'write milliseconds as a bare number, such as `p95Ms: 900`'],
  ['p99Ms', 'write milliseconds as a bare number, such as `p99Ms: 1500`'],
  ['ports', 'write variables with `auto` or a port, such as `ports: { SERVER_PORT: auto }`'],
  [
    'profile',
    'write what each part takes, such as `profile: [{ vus: 50, over: 30s }, { vus: 0, over: 30s }]`',
  ],
  ['rounds', 'write a whole number from 2 to 100, such as `rounds: 3`'],
  ['set', 'write names with their values, such as `set: { DB_POOL_SIZE: "1..10,17" }`'],
  ['tps', 'write requests per second as a bare number, such as `tps: 1020`'],
  ['variants', 'write maps of names with one value each, such as `variants: [{}, { DB_POOL_SIZE: "5" }]`'],
  ['version', 'write `version: 1`'],
  ['vus', 'write a whole number from 1 to 100000, such as `vus: 130`'],
]);

const schemaHint =
  'see perf/gate.schema.json of perf-gate for the values that are allowed here; editors show them while you type';

function exampleFor(path: Path): string {
  const { pattern = '' } = schemaAt(path);
  const key = String(path.at(-1) ?? '');
  if (pattern.includes('ms|s|m|h')) {
    return `write a number with its unit, such as \`${key}: 12s\`; the units are ms, s, m and h`;
  }
  if (pattern.includes('%$')) return `write a percentage, such as \`${key}: 10%\``;
  const holder = path.findLast((segment) => examples.has(String(segment)));
  return examples.get(String(holder)) ?? schemaHint;
}

/** As messages name it: `suites.pr`. */
export function pathText(path: Path): string {
  return path.length === 0 ? 'the file' : path.map(String).join('.');
}

function unknownKey(document: Document, path: Path, key: string): ConfigProblem {
  const known = Object.keys(schemaAt(path).properties ?? {});
  const nearest = known.find((name) => name === `${key}Ms`) ?? nearestWord(key, known);
  return {
    code: 'E_CONFIG_KEY',
    offset: find(document, [...path, key]).keyOffset,
    cause: `unknown key ${quote(key)} in ${pathText(path)}${nearest === undefined ? '' : `; did you mean \`${nearest}\`?`}`,
    nextStep:
      nearest === undefined
        ? `remove it, or write one of the known keys: ${known.join(', ')}`
        : `write \`${nearest}\` instead of ${quote(key)}`,
    ...(nearest === undefined ? {} : { about: { kind: 'misspelt', path: pathText([...path, nearest]) } }),
  };
}

function unknownCell(document: Document, path: Path, data: unknown): ConfigProblem {
  const cell = String(valueAt(data, path));
  const known = Object.entries(valueAt(data, ['scenarios']) ?? {}).flatMap(([scenario, value]) =>
    Object.keys(valueAt(value, ['loads']) ?? {}).map((load) => `${scenario}@${load}`),
  );
  const nearest = nearestWord(cell, known);
  return {
    code: 'E_CONFIG_CELL',
    offset: find(document, path).valueOffset,
    cause: `${pathText(path)}: no scenario and load form the cell ${quote(cell)}`,
    nextStep:
      nearest === undefined
        ? `write one of ${known.slice(0, 10).join(', ') || 'the cells, once scenarios are defined'}`
        : `write \`${nearest}\`, or define that scenario and load`,
  };
}

function allowedTypes(schema: JsonSchema): string {
  return (schema.anyOf ?? [])
    .map(({ const: only, type }) => String(only ?? typeNames.get(String(type)) ?? type))
    .join(' or ');
}

const countedThings = new Map([
  ['array', 'entries'],
  ['string', 'characters'],
]);

function expectation(issue: Issue, path: Path): string {
  // Only the schema's own messages are written for people; the library's defaults are not.
  if (issue.message.startsWith('expected ')) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeNames.get(issue.expected) ?? issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.map(String).join(' or ')}`;
    case 'invalid_union':
      return `expected ${allowedTypes(schemaAt(path))}`;
    case 'invalid_format':
      return `expected text that matches ${issue.pattern ?? issue.format}`;
    case 'too_small':
      return `expected ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum} ${countedThings.get(issue.origin) ?? ''}`.trimEnd();
    case 'too_big':
      return `expected ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum} ${countedThings.get(issue.origin) ?? ''}`.trimEnd();
    default:
      return issue.message;
  }
}

function wrongValue(document: Document, path: Path, data: unknown, issue: Issue): ConfigProblem {
  const value = valueAt(data, path);
  const { valueOffset, keyOffset } = find(document, path);
  if (value === undefined) {
    const key = String(path.at(-1));
    return {
      code: 'E_CONFIG_VALUE',
      offset: keyOffset,
      cause: `${pathText(path.slice(0, -1))} lacks \`${key}\``,
      nextStep: `add \`${key}\`: ${exampleFor(path)}`,
      about: { kind: 'missing', path: pathText(path) },
    };
  }
  if (issue.code === 'invalid_key') {
    const holder = path.slice(0, -1);
    const [reason] = issue.issues;
    return {
      code: 'E_CONFIG_KEY',
      offset: keyOffset,
      cause: `${pathText(holder)}: the name ${quote(String(path.at(-1)))} is not allowed${reason === undefined ? '' : `; ${expectation(reason, path)}`}`,
      nextStep: exampleFor(holder),
    };
  }
  return {
    code: 'E_CONFIG_VALUE',
    offset: valueOffset,
    cause: `${pathText(path)}: ${expectation(issue, path)}, found ${describe(value)}`,
    nextStep: exampleFor(path),
  };
}

/** Each problem costs a walk through the document, and a file with more mistakes is no configuration. */
const mostProblems = 100;

/** Explains the schema's issues, up to a limit, with their positions in the text. */
export function problemsOf(
  issues: readonly Issue[],
  document: Document,
  data: unknown,
): readonly ConfigProblem[] {
  const problems = issues.slice(0, mostProblems).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, mostProblems).map((key) => unknownKey(document, issue.path, key));
    }
    if (issue.code === 'custom' && issue.params?.unknownCell === true) {
      return [unknownCell(document, issue.path, data)];
    }
    return [wrongValue(document, issue.path, data, issue)];
  });
  // A misspelt key is one mistake. Its right spelling is then not reported as missing.
  const misspelt = new Set(problems.flatMap(({ about }) => (about?.kind === 'misspelt' ? [about.path] : [])));
  return problems.filter(({ about }) => about?.kind !== 'missing' || !misspelt.has(about.path));
}
