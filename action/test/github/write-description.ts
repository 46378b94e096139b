import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descriptionSource, operations } from './operations.ts';

/**
 * Extracts the operations that the gate uses from GitHub's published description, and writes them to description.json.
 * Run it (`npm run github-api`) after you add an operation or raise the version. The repository holds only the extract,
 * because the whole package takes 385 MB.
 */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(root: Json, pointer: string): Json {
  return pointer
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json>((value, key) => (isObject(value) ? (value[key] ?? null) : null), root);
}

const documentationKeys = new Set([
  'description',
  'title',
  'externalDocs',
  'example',
  'examples',
  'deprecated',
  'discriminator',
]);

/** Converts OpenAPI 3.0 to the JSON Schema that ajv reads: `nullable` becomes a type, and descriptions are dropped. */
function schema(value: Json, names: Set<string>): Json {
  if (Array.isArray(value)) return value.map((item) => schema(item, names));
  if (!isObject(value)) return value;
  if (typeof value.$ref === 'string') {
    const name = value.$ref.replace('#/components/schemas/', '');
    names.add(name);
    return { $ref: `#/schemas/${name}` };
  }
  const kept = Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !documentationKeys.has(key) && key !== 'nullable')
      .map(([key, item]) => [key, key === 'properties' ? properties(item, names) : schema(item, names)]),
  );
  return value.nullable === true ? { anyOf: [{ type: 'null' }, kept] } : kept;
}

/** A property may have any name, so names such as `description` stay here. */
function properties(value: Json, names: Set<string>): Json {
  if (!isObject(value)) throw new Error('properties must be an object');
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, schema(own, names)]));
}

function resolved(document: Json, value: Json): JsonObject {
  const target = isObject(value) && typeof value.$ref === 'string' ? at(document, value.$ref) : value;
  if (!isObject(target)) throw new Error('the description has no object at this place');
  return target;
}

function readDescription(): Json {
  const directory = mkdtempSync(join(tmpdir(), 'github-api-'));
  try {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', descriptionSource, '--pack-destination', directory], {
        encoding: 'utf8',
      }),
    ) as [{ filename: string }];
    execFileSync('tar', [
      '-xzf',
      join(directory, packed.filename),
      '-C',
      directory,
      'package/generated/api.github.com.json',
    ]);
    return JSON.parse(readFileSync(join(directory, 'package/generated/api.github.com.json'), 'utf8')) as Json;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const document = readDescription();
const names = new Set<string>();
const extract = operations.map(({ method, path }) => {
  const operation = resolved(
    document,
    at(document, `#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`),
  );
  const parameters = (operation.parameters as readonly Json[]).map((parameter) => {
    const { name, in: where, required = false, schema: own } = resolved(document, parameter);
    return { name, in: where, required, schema: schema(own ?? {}, names) } as Json;
  });
  const body = at(operation, '#/requestBody/content/application~1json/schema');
  const responses = Object.fromEntries(
    Object.entries(resolved(document, operation.responses ?? null)).map(([status, response]) => {
      const own = at(resolved(document, response), '#/content/application~1json/schema');
      return [status, own === null ? {} : { schema: schema(own, names) }];
    }),
  );
  const examples = Object.values(resolved(document, operation.responses ?? null)).flatMap((response) => {
    const named = at(resolved(document, response), '#/content/application~1json/examples');
    return isObject(named)
      ? Object.values(named)
          .slice(0, 1)
          .map((one) => resolved(document, one).value ?? null)
      : [];
  });
  return {
    method,
    path,
    parameters,
    ...(body === null ? {} : { body: schema(body, names) }),
    responses,
    ...(examples[0] === undefined ? {} : { example: examples[0] }),
  };
});
const schemas: Record<string, Json> = {};
for (const name of names) {
  schemas[name] = schema(at(document, `#/components/schemas/${name}`), names);
}
writeFileSync(
  join(import.meta.dirname, 'description.json'),
  `${JSON.stringify({ source: descriptionSource, operations: extract, schemas })}\n`,
);
