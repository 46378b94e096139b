import { z } from 'zod';

const variables = 'It may use `${VARIABLE}` of the environment';
const secret = `${variables}, and should. If that variable is empty, nothing is written.`;

const influxdbFieldsSchema = z.strictObject({
  url: z
    .string()
    .min(1)
    .describe(`Address of the server, such as http://influxdb.example:8086. ${variables}.`),
  database: z
    .string()
    .min(1)
    .optional()
    .describe('Database to write to through `/write`, which every version has. It must exist.'),
  bucket: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Bucket to write to through `/api/v2/write`, instead of `database`. InfluxDB 2 needs `org` with it. In 1.8 and later 1.x it is `database/retention-policy`, in 3 a database.',
    ),
  org: z.string().min(1).optional().describe('Organization of the bucket.'),
  token: z.string().optional().describe(`API token that may write. ${secret}`),
  username: z.string().min(1).optional().describe(`User that may write, instead of a token. ${variables}.`),
  password: z.string().optional().describe(`The user's password. ${secret}`),
});

/** An InfluxDB, as gate.yml and the inputs of the Action name it. */
export const influxdbSchema = influxdbFieldsSchema.superRefine((given, context) => {
  const has = (key: keyof typeof given) => given[key] !== undefined;
  const refuse = (message: string, ...path: (keyof typeof given)[]) =>
    context.addIssue({ code: 'custom', path, message });
  if (has('database') === has('bucket')) refuse('expected either `database` or `bucket`');
  if (has('org') && !has('bucket')) refuse('expected `org` only with `bucket`', 'org');
  if (has('token') && has('username')) refuse('expected either `token` or `username`', 'username');
  if (has('username') !== has('password')) refuse('expected `username` and `password` together');
});
export type InfluxdbConfig = z.output<typeof influxdbSchema>;

export const outputsSchema = z
  .array(
    z.strictObject({
      influxdb: influxdbSchema.describe(
        'An InfluxDB that gets the figures of every check, second by second. A server that is down never changes the verdict.',
      ),
    }),
  )
  .default([])
  .describe('Where the figures of a check go, in addition to its reports.');
export type OutputConfig = z.output<typeof outputsSchema>[number];
