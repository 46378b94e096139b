import { z } from 'zod';
import { type InfluxdbTarget, influxdbTarget } from '../../adapters/influxdb/index.ts';
import { comparisons } from '../../model/check-mode.ts';
import { baselineStoreKinds } from '../../model/config.ts';
import { failOnSchema } from '../../model/fail-on.ts';
import { Fault } from '../../model/fault.ts';
import { influxdbSchema } from '../../model/output-config.ts';
import { shorten } from '../../report/index.ts';
import type { BaselineAccess } from '../baseline-store.ts';

const oneOf = <const T extends readonly string[]>(...words: T) =>
  z.enum(words, `expected ${words.join(' or ')}`);
const flag = oneOf('true', 'false').transform((text) => text === 'true');
const number = (from: number, to: number) => {
  const expected = `expected a number from ${from} to ${to}`;
  return z.coerce.number(expected).gte(from, expected).lte(to, expected);
};
const text = z.string().min(1, 'expected at least 1 character');
/** An empty input counts as absent. A union would hide which part of it refused the input. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional());
/** Separated by commas, spaces or line breaks. */
const words = z.string().transform((given) => given.split(/[\s,]+/).filter((word) => word !== ''));
const fileName = z
  .string()
  .refine(
    (path) => path !== '' && !path.startsWith('/') && !path.split('/').includes('..'),
    'expected a path in the checkout',
  );

const common = {
  config: fileName,
  suite: text,
  'github-token': z.string(),
  'comment-author': text,
  comment: oneOf('on-change', 'always', 'never'),
  'baseline-store': oneOf(...baselineStoreKinds),
  'baseline-branch': optional(
    z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/, 'expected a branch name of letters, digits, . _ / and -'),
  ),
} as const;

const gateInputsSchema = z
  .strictObject({
    ...common,
    compare: oneOf(...comparisons),
    'base-ref': optional(
      z.string().regex(/^[A-Za-z0-9][\w./-]{0,199}$/, 'expected the name of a commit, branch or tag'),
    ),
    record: flag,
    stack: optional(oneOf('process', 'compose')),
    'fail-on': failOnSchema,
    'vu-factor': number(0.01, 100),
    // A job on GitHub may take 360 minutes, and warm-up and ramps need some of them.
    minutes: optional(number(0.1, 300)),
    ramp: optional(flag),
    scenarios: words,
    'k6-version': z.string().regex(/^\d+\.\d+\.\d+$/, 'expected a version such as 2.2.0'),
    checksum: optional(z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')),
    cache: z
      .string()
      .max(400, 'expected at most 400 characters')
      .refine((key) => !key.includes(','), 'expected no comma, which the cache refuses'),
    'cache-path': z.string().transform((text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    ),
    'influxdb-url': optional(z.string()),
    'influxdb-database': optional(z.string()),
    'influxdb-bucket': optional(z.string()),
    'influxdb-org': optional(z.string()),
    'influxdb-token': optional(z.string()),
  })
  .readonly();
export type GateInputs = z.output<typeof gateInputsSchema>;

const publishInputsSchema = z
  .strictObject({ ...common, artifact: text, 'fail-on': failOnSchema, status: flag })
  .readonly();
export type PublishInputs = z.output<typeof publishInputsSchema>;

const recordInputsSchema = z
  .strictObject({
    config: common.config,
    suite: common.suite,
    artifact: text,
    'baseline-branch': common['baseline-branch'],
    'github-token': text,
    'comment-author': text,
  })
  .readonly();
export type RecordInputs = z.output<typeof recordInputsSchema>;
/** Inputs of the actions that comment. */
export type CommonInputs = Pick<GateInputs, keyof typeof common>;

export const gateInputNames = Object.keys(gateInputsSchema.unwrap().shape);
export const publishInputNames = Object.keys(publishInputsSchema.unwrap().shape);
export const recordInputNames = Object.keys(recordInputsSchema.unwrap().shape);

function read<T extends z.ZodType>(
  schema: T,
  names: readonly string[],
  getInput: (name: string) => string,
): z.output<T> {
  const given = Object.fromEntries(names.map((name) => [name, getInput(name)]));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const refused = result.error.issues.map(({ path, message }) => ({ name: String(path[0]), message }));
  throw new Fault({
    code: 'E_INPUT',
    kind: 'usage',
    place: `input ${refused[0]?.name}`,
    cause: refused
      .map(({ name, message }) => `${name}: ${message}, found ${describe(given[name] ?? '')}`)
      .join('\n'),
    nextStep: 'correct it under `with:` of the step; .github/docs/inputs.md of perf-gate lists all inputs',
  });
}

const longestQuote = 60;

function describe(input: string): string {
  return input === '' ? 'nothing' : JSON.stringify(shorten(input, longestQuote));
}

export function readGateInputs(getInput: (name: string) => string): GateInputs {
  return read(gateInputsSchema, gateInputNames, getInput);
}

export function readPublishInputs(getInput: (name: string) => string): PublishInputs {
  return read(publishInputsSchema, publishInputNames, getInput);
}

export function readRecordInputs(getInput: (name: string) => string): RecordInputs {
  return read(recordInputsSchema, recordInputNames, getInput);
}

/** Which baseline the inputs name, and whether this job may write it. */
export function baselineAccess(
  inputs: Pick<GateInputs, 'baseline-store' | 'baseline-branch' | 'github-token'>,
  mayWrite: boolean,
): BaselineAccess {
  return {
    store: inputs['baseline-store'],
    ...(inputs['baseline-branch'] === undefined ? {} : { branch: inputs['baseline-branch'] }),
    mayWrite: mayWrite ? baselineStoreKinds : [],
    ...(inputs['github-token'] === '' ? {} : { token: inputs['github-token'] }),
  };
}

/** The InfluxDB that the inputs name; none without its address, as in the workflows of forks. */
export function influxdbOf(inputs: GateInputs): readonly InfluxdbTarget[] {
  const url = inputs['influxdb-url'];
  if (url === undefined) return [];
  const given = Object.entries({
    url,
    database: inputs['influxdb-database'],
    bucket: inputs['influxdb-bucket'],
    org: inputs['influxdb-org'],
    token: inputs['influxdb-token']?.trim(),
  }).filter(([, text]) => text !== undefined);
  const { data, error } = influxdbSchema.safeParse(Object.fromEntries(given));
  if (data !== undefined) return [influxdbTarget(data, 'input influxdb-')];
  const [issue] = error.issues;
  throw new Fault({
    code: 'E_INPUT',
    kind: 'usage',
    place: `input influxdb-${String(issue?.path[0] ?? 'database')}`,
    cause: issue?.message ?? '',
    nextStep: 'correct it under `with:` of the step; .github/docs/inputs.md of perf-gate lists all inputs',
  });
}
