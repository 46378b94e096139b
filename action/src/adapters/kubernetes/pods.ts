import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Fault } from '../../model/fault.ts';

/** The file that `kubectl get pods -o json` was saved as. */
export const podsFile = 'pods.json';

/** How the pod of a generator ended. */
export interface GeneratorPod {
  /** Name of its job, which is that of the generator. */
  readonly generator: string;
  readonly node?: string;
  /** k6's exit code; null if k6 never ran in it. */
  readonly exitCode: number | null;
  /** Kubernetes' word for how it ended, such as `OOMKilled` or `Evicted`. */
  readonly reason?: string;
  /** When k6 started and ended, in whole seconds since the epoch; absent if it never ran. */
  readonly ran?: { readonly fromSeconds: number; readonly toSeconds: number };
}

/** As far as it is read (Kubernetes API v1, PodList). */
const podList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }),
      spec: z.object({ nodeName: z.string().optional() }).default({}),
      status: z.object({
        phase: z.string().optional(),
        reason: z.string().optional(),
        containerStatuses: z
          .array(
            z.object({
              name: z.string(),
              state: z.object({
                terminated: z
                  .object({
                    exitCode: z.number(),
                    reason: z.string().optional(),
                    startedAt: z.iso.datetime().nullish(),
                    finishedAt: z.iso.datetime().nullish(),
                  })
                  .optional(),
              }),
            }),
          )
          .default([]),
      }),
    }),
  ),
});

/** Reads how the pods of all generators ended. Throws a Fault if the file cannot be read, or one of them still runs. */
export async function readPods(path: string): Promise<readonly GeneratorPod[]> {
  const { items } = await parsed(path);
  return items.map(({ metadata, spec, status }) => {
    const generator = metadata.labels['job-name'] ?? '';
    const ended = status.containerStatuses.find(({ name }) => name === 'k6')?.state.terminated;
    const common = { generator, ...(spec.nodeName !== undefined && { node: spec.nodeName }) };
    if (ended === undefined) {
      if (status.phase !== 'Failed') throw podsFault(path, `${generator} has not ended`);
      return { ...common, exitCode: null, ...(status.reason !== undefined && { reason: status.reason }) };
    }
    const { exitCode, reason, startedAt, finishedAt } = ended;
    return {
      ...common,
      exitCode,
      ...(reason !== undefined && { reason }),
      ...(startedAt != null &&
        finishedAt != null && {
          ran: { fromSeconds: Date.parse(startedAt) / 1000, toSeconds: Date.parse(finishedAt) / 1000 },
        }),
    };
  });
}

async function parsed(path: string): Promise<z.output<typeof podList>> {
  try {
    return podList.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw podsFault(path, absent ? 'the file does not exist' : 'it is no list of pods', error);
  }
}

function podsFault(path: string, cause: string, error?: unknown): Fault {
  return new Fault(
    {
      code: 'E_GENERATOR_PODS',
      kind: 'usage',
      place: path,
      cause,
      nextStep: `once the TestRun is finished, save \`kubectl get pods -l k6_cr=NAME,runner=true -o json\` as ${podsFile}`,
    },
    { cause: error },
  );
}
