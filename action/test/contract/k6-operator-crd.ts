import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import { parse } from 'yaml';
import { proxiedFetch } from '../../src/adapters/host/proxied-fetch.ts';

/** k6-operator, Apache-2.0. */
const version = '1.6.0';
const sha256 = 'd4df597bb94d210bcb9368dd4faf81da25c08194e240da98e4df8887563be185';
const file = 'k6.io_testruns.yaml';
const address = `https://raw.githubusercontent.com/grafana/k6-operator/v${version}/config/crd/bases/${file}`;

/**
 * The definition of a TestRun that k6-operator publishes: from the cache, or downloaded into it once. Or why it cannot be
 * had; throws then with GATE_TOOLS=required, as for a missing tool.
 */
export async function publishedCrd(): Promise<{ readonly text: string } | { readonly lack: string }> {
  const cache =
    process.env.GATE_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'perf-gate');
  const path = join(cache, 'k6-operator', version, file);
  try {
    return { text: cachedText(path) ?? (await download(path)) };
  } catch (error) {
    const lack = `${address}: ${(error as Error).message}`;
    if (process.env.GATE_TOOLS === 'required')
      throw new Error(`GATE_TOOLS=required, and ${lack}`, { cause: error });
    process.stderr.write(`tests of manifests with k6-operator's definition are skipped: ${lack}\n`);
    return { lack };
  }
}

function cachedText(path: string): string | undefined {
  try {
    return checked(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function download(path: string): Promise<string> {
  const response = await proxiedFetch(address, { signal: AbortSignal.timeout(20_000) });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const text = checked(await response.text());
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return text;
}

function checked(text: string): string {
  const actual = createHash('sha256').update(text).digest('hex');
  if (actual === sha256) return text;
  throw new Error(`its SHA-256 is ${actual} instead of ${sha256}`);
}

/** Part of a structural schema (Kubernetes API, apiextensions.k8s.io/v1, JSONSchemaProps). */
interface Structural {
  readonly properties?: Readonly<Record<string, Structural>>;
  readonly items?: Structural;
  readonly additionalProperties?: Structural | boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** What a TestRun of that definition may hold: an unknown field is an error, as with `fieldValidation=Strict`. */
export function testRunValidator(crd: string): (testRun: unknown) => readonly ErrorObject[] {
  const [{ schema }] = parse(crd).spec.versions;
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(
    strict(schema.openAPIV3Schema),
  );
  return (testRun) => (validate(testRun) ? [] : (validate.errors ?? []));
}

function strict(schema: Structural): Record<string, unknown> {
  const { properties, items, additionalProperties, ...rest } = schema;
  const open = schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-int-or-string'];
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, strict(one)])),
      // An object without fields, such as `metadata`, is described elsewhere.
      ...(open !== true && { additionalProperties: false }),
    }),
    ...(items !== undefined && { items: strict(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: strict(additionalProperties) }),
  };
}
