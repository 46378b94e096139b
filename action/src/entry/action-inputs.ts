import { z } from 'zod';
import { Fault } from '../model/fault.ts';

const flag = z.enum(['true', 'false'], 'expected true or false').transform((text) => text === 'true');
const number = (from: number, to: number) =>
  z.coerce
    .number()
    .gte(from, `expected a number from ${from} to ${to}`)
    .lte(to, `expected a number from ${from} to ${to}`);
/** Empty as absent. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.union([z.literal('').transform(() => undefined), schema]);
const fileName = z
  .string()
  .min(1)
  .refine(
    (path) => !path.startsWith('/') && !path.split('/').includes('..'),
    'expected a path in the checkout',
  );

const common = {
  config: fileName,
  suite: z.string().min(1),
  'github-token': z.string(),
  'comment-author': z.string().min(1),
  comment: z.enum(['on-change', 'always', 'never']),
  'baseline-store': z.enum(['branch', 'file']),
  'baseline-branch': optional(
    z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/, 'expected a branch name of letters, digits, . _ / and -'),
  ),
} as const;

const gateInputsSchema = z
  .strictObject({
    ...common,
    compare: z.enum(['auto', 'stored', 'side-by-side', 'none']),
    'base-ref': optional(
      z.string().regex(/^[A-Za-z0-9][\w./-]{0,199}$/, 'expected the name of a commit, branch or tag'),
    ),
    record: flag,
    stack: optional(z.enum(['process', 'compose'])),
    'fail-on': z.enum(['regression', 'inconclusive', 'never']),
    'vu-factor': number(0.01, 100),
    minutes: optional(number(0.1, 350)),
    ramp: optional(flag),
    'k6-version': z.string().regex(/^\d+\.\d+\.\d+$/, 'expected a version such as 2.2.0'),
    'k6-sha256': optional(z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')),
    'cache-key': z.string().max(400),
    'cache-paths': z.string().transform((text) =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    ),
  })
  .readonly();
export type GateInputs = z.output<typeof gateInputsSchema>;

const publishInputsSchema = z.strictObject({ ...common, artifact: z.string().min(1) }).readonly();
export type PublishInputs = z.output<typeof publishInputsSchema>;

export const gateInputNames = Object.keys(gateInputsSchema.unwrap().shape);
export const publishInputNames = Object.keys(publishInputsSchema.unwrap().shape);

function read<T extends z.ZodType>(
  schema: T,
  names: readonly string[],
  getInput: (name: string) => string,
): z.output<T> {
  const result = schema.safeParse(Object.fromEntries(names.map((name) => [name, getInput(name)])));
  if (result.success) return result.data;
  const [first, ...others] = result.error.issues.map(
    (issue) => `${issue.path.map(String).join('.')}: ${issue.message}`,
  );
  throw new Fault({
    code: 'E_INPUT',
    kind: 'usage',
    place: `input ${first?.split(':')[0]}`,
    cause: [first, ...others].join('\n'),
    nextStep: 'correct it under `with:` of the step; the README lists the inputs',
  });
}

export function readGateInputs(getInput: (name: string) => string): GateInputs {
  return read(gateInputsSchema, gateInputNames, getInput);
}

export function readPublishInputs(getInput: (name: string) => string): PublishInputs {
  return read(publishInputsSchema, publishInputNames, getInput);
}
