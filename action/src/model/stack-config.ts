import { z } from 'zod';
import { command, duration, env, oneOrMore, variableName } from './config-values.ts';

/** Also for values of an experiment, which are texts at first. */
export const instances = z
  .int('expected a whole number of instances')
  .min(1, 'expected at least 1 instance')
  .max(100, 'expected at most 100 instances');
export const cpus = z
  .number('expected a number of cores')
  .min(0.01, 'expected at least 0.01 cores')
  .describe('Most CPU that each instance may use once it is warm, in cores, such as 0.5.');

const buildStepSchema = z.strictObject({
  command,
  inputs: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      'Files and folders that the step reads. The step is skipped while they are unchanged. Without `inputs` it always runs, for tools that detect changes themselves.',
    ),
  outputs: z.array(z.string()).min(1).describe('Files that the step writes.'),
});

function dataSchema(commandText: string, snapshotText: string) {
  return z
    .strictObject({
      command: command.describe(commandText),
      key: z
        .array(z.string())
        .min(1)
        .describe('Files and folders that the data depends on, such as migrations and seeds.'),
      snapshot: z.array(z.string()).min(1).describe(snapshotText),
    })
    .optional();
}

const processStackSchema = z.strictObject({
  root: z.string().default('.').describe('Working directory of every command, relative to this file.'),
  build: z.array(buildStepSchema).default([]).describe('Steps to run in this order before the stack starts.'),
  data: dataSchema(
    'Fills the folders of `snapshot`. It starts, and ends, whatever it needs for that. It runs after the build, and only if no snapshot has the key.',
    'Folders below ${WORK_DIR} that hold the data. The gate empties and restores them.',
  ).describe(
    'Seeds data once and keeps a snapshot of it. The gate restores it before each start of the backing services, or of the service if there are none.',
  ),
  backing: z
    .strictObject({
      command,
      env: env.default({}).describe('Environment variables of the backing services.'),
      readyWithin: duration.default(180).describe('Longest time until that line comes.'),
    })
    .optional()
    .describe(
      'Starts what the service needs (database, cache). Prints {"ready":true,"env":{...}} as one line on its standard output and stops when its standard input ends.',
    ),
  backingMetrics: oneOrMore(z.string()).describe(
    'Addresses of Prometheus text metrics of the backing services, in addition to the one that they announce: one address, or a list.',
  ),
  service: z.strictObject({
    command,
    env: env.default({}).describe('Environment variables of the service.'),
    ports: z
      .record(z.string().regex(/^[A-Z_][A-Z0-9_]*$/), z.union([z.literal('auto'), z.int().min(1).max(65535)]))
      .describe('Environment variables that receive a port; `auto` takes a free one.'),
    url: z.string().describe('Address that the scenarios load, such as http://127.0.0.1:${SERVER_PORT}.'),
    ready: z.strictObject({
      url: z
        .string()
        .describe('Answers 2xx once the service can take load, or 401 or 403 if it wants a login.'),
      within: duration.default(60).describe('Longest time until it is ready.'),
    }),
    metrics: z.string().optional().describe('Address of Prometheus text metrics.'),
    instances: instances
      .optional()
      .describe(
        'Number of processes of the service, behind a HAProxy that the gate runs. Each has ports of its own, and each request to `url` goes to the next one. Without it there is one, and no balancer.',
      ),
    cpus: cpus.optional(),
    stopWithin: duration.default(10).describe('Time between SIGTERM and SIGKILL.'),
  }),
});

const containerPort = z
  .int()
  .min(1)
  .max(65535)
  .describe('Port within the container; the compose file must publish it.');

const composeStackSchema = z.strictObject({
  root: z.string().default('.').describe('Working directory of the build steps, relative to this file.'),
  file: z.string().describe('Compose file, relative to this file.'),
  build: z.array(buildStepSchema).default([]).describe('Run before images are built.'),
  buildImages: z
    .boolean()
    .default(false)
    .describe('Build the images of services that have a `build` section. Otherwise the images must exist.'),
  data: dataSchema(
    'Fills the volumes of `snapshot`. The backing services run and are healthy. COMPOSE_FILE and COMPOSE_PROJECT_NAME are set, so `docker compose exec -T` reaches them. It runs only if no snapshot has the key.',
    'Volumes, by their names in the compose file, that hold the data. Backing services find them restored in each check.',
  ).describe(
    'Seeds data once and keeps a snapshot of it. The images that mount the volumes are part of the key.',
  ),
  service: z.string().describe('The service under test. All others in the file are its backing services.'),
  port: containerPort.describe(
    'Port within its container that the scenarios load; the compose file must publish it.',
  ),
  ready: z.strictObject({
    port: containerPort,
    path: z
      .string()
      .startsWith('/')
      .describe('Answers 2xx once the service can take load, or 401 or 403 if it wants a login.'),
    within: duration.default(60).describe('Longest time until it is ready.'),
  }),
  metrics: z
    .strictObject({ port: containerPort, path: z.string().startsWith('/').default('/metrics') })
    .optional()
    .describe('Prometheus text metrics of the service.'),
  instances: instances
    .optional()
    .describe(
      'Number of containers of the service, behind a HAProxy that the gate runs on this machine. Without it there are as many as the file says, and no balancer.',
    ),
  cpus: cpus.optional(),
  backingMetrics: oneOrMore(
    z.strictObject({
      service: z.string(),
      port: containerPort,
      path: z.string().startsWith('/').default('/metrics'),
    }),
  ).describe('Prometheus text metrics of the backing services: one page, or a list of pages.'),
  env: z
    .record(variableName, z.string())
    .default({})
    .describe(
      'Variables for the compose file. They may use ${CACHE_DIR}, which all checkouts share, and ${WORK_DIR}, which belongs to this checkout. The gate also sets SNAPSHOT_DIR, a folder that it keeps, and APP_CPUSET and DB_CPUSET, which are empty with fewer than 4 CPUs.',
    ),
  secrets: z
    .array(variableName)
    .default([])
    .describe('Variables for the compose file that get a new random value in each run.'),
  upWithin: duration
    .default(180)
    .describe('Longest time until the backing services are healthy, and one-shot services have ended.'),
  stopWithin: duration.default(10).describe('Time between SIGTERM and SIGKILL.'),
});

export const stackSchema = z
  .strictObject({
    process: processStackSchema.optional().describe('Plain processes of this machine.'),
    compose: composeStackSchema.optional().describe('Containers of a compose file.'),
  })
  .refine(({ process, compose }) => process !== undefined || compose !== undefined, {
    message: 'expected `process`, `compose` or both',
  });
