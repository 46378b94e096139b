import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema: { readonly type?: string };
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: AnySchema;
  readonly responses: Readonly<Record<string, { readonly schema?: AnySchema }>>;
  readonly example?: unknown;
}

const description = JSON.parse(readFileSync(join(import.meta.dirname, 'description.json'), 'utf8')) as {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, AnySchema>>;
};

// Not strict, because GitHub's description uses formats and keywords that ajv does not know.
const ajv = new Ajv({ strict: false, coerceTypes: false, allErrors: false, validateFormats: true });
formats.default(ajv);
ajv.addSchema({ $id: 'github', schemas: description.schemas });

const compiled = new Map<string, ValidateFunction>();

/** The schema violations of a value; empty if it is valid. */
function problemsOf(key: string, schema: AnySchema, value: unknown): string {
  let validate = compiled.get(key);
  if (validate === undefined) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/schemas/', '"github#/schemas/')));
    compiled.set(key, validate);
  }
  return validate(value) ? '' : `${key}: ${ajv.errorsText(validate.errors)}`;
}

export interface MatchedOperation {
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
}

export function matchOperation(method: string, pathname: string): MatchedOperation | undefined {
  for (const operation of description.operations) {
    const pattern = operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const found = operation.method === method ? new RegExp(`^${pattern}$`).exec(pathname) : null;
    if (found !== null) {
      const path = Object.entries(found.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]);
      return { operation, path: Object.fromEntries(path) };
    }
  }
  return undefined;
}

/** GitHub's example of a response to the operation. */
export function exampleOf(method: string, path: string): unknown {
  const operation = description.operations.find((one) => one.method === method && one.path === path);
  if (operation?.example === undefined)
    throw new Error(`GitHub's description has no example of ${method} ${path}`);
  return operation.example;
}

function typed(text: string, { type }: Parameter['schema']): unknown {
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
}

export function requestProblems(
  { operation, path }: MatchedOperation,
  query: URLSearchParams,
  body: unknown,
): string[] {
  const name = `${operation.method} ${operation.path}`;
  const known = new Map(operation.parameters.map((parameter) => [parameter.name, parameter]));
  const given: [string, string][] = [...Object.entries(path), ...query.entries()];
  return [
    ...given.map(([key, text]) => {
      const parameter = known.get(key);
      return parameter === undefined
        ? `${name}: unknown parameter ${key}`
        : problemsOf(`${name} ${key}`, parameter.schema, typed(text, parameter.schema));
    }),
    ...[...known.values()]
      .filter(({ name: key, required }) => required && !given.some(([one]) => one === key))
      .map(({ name: key }) => `${name}: ${key} is missing`),
    ...(operation.body === undefined ? [] : [problemsOf(`${name} body`, operation.body, body)]),
  ].filter((problem) => problem !== '');
}

/** GitHub may send these statuses at any time (gateways, limits) without describing them. */
const undescribed = new Set([401, 403, 404, 429, 500, 502, 503]);

export function responseProblems({ operation }: MatchedOperation, status: number, body: unknown): string[] {
  const name = `${operation.method} ${operation.path} ${status}`;
  const response = operation.responses[String(status)];
  if (response === undefined)
    return undescribed.has(status) ? [] : [`${name}: GitHub does not describe this status`];
  const problem = response.schema === undefined ? '' : problemsOf(name, response.schema, body);
  return problem === '' ? [] : [problem];
}
