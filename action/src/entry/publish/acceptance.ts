import { z } from 'zod';
import type { CodeHost, PullRequest } from '../../check/index.ts';
import { type AcceptedChange, mostAccepted } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { Waiver } from '../../model/waiver.ts';
import { acceptableRows } from '../acceptable-rows.ts';
import { dayOf } from '../current-waivers.ts';

const rowSchema = z.strictObject({
  cell: z.string().max(200),
  metric: z.string().max(100),
  ceiling: z.number().nullable(),
});

const acceptanceSchema = z.strictObject({
  head: z.string().regex(/^[0-9a-f]{40}$/),
  until: z.iso.date(),
  reason: z.string().max(300),
  by: z.string().max(100),
  rows: z.array(rowSchema).max(mostAccepted),
});

/** Rows of one head that somebody accepted. */
export type Acceptance = Readonly<z.infer<typeof acceptanceSchema>>;

export function waiversOf({ until, reason, by, rows }: Acceptance): readonly Waiver[] {
  return rows.map((row) => ({ ...row, until, reason, by }));
}

/** A pull request that is not merged by then has to be looked at again. */
const daysAccepted = 30;
const longestReason = 300;
const line = /^<!-- perf-gate accepted: ([A-Za-z0-9_-]{1,40000}) -->$/m;

/** The acceptance as an invisible line of the comment, where the next run on this head finds it. */
export function acceptanceLine(acceptance: Acceptance): string {
  return `<!-- perf-gate accepted: ${Buffer.from(JSON.stringify(acceptance)).toString('base64url')} -->`;
}

/** The acceptance in a comment of the gate; undefined if it has none, or none that can be read. */
function readAcceptance(body: string): Acceptance | undefined {
  const encoded = line.exec(body)?.[1];
  if (encoded === undefined) return undefined;
  try {
    const { data } = acceptanceSchema.safeParse(JSON.parse(Buffer.from(encoded, 'base64url').toString()));
    return data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What somebody accepted for the head of the pull request. */
async function acceptanceOf(
  host: CodeHost,
  pullRequest: PullRequest,
  marker: string,
): Promise<Acceptance | undefined> {
  const body = await host.findComment({ pullRequest, marker });
  const acceptance = body === undefined ? undefined : readAcceptance(body);
  return acceptance?.head === pullRequest.headSha ? acceptance : undefined;
}

/** What was accepted in the pull requests that the commits came from; empty if nothing was. */
export async function acceptedWith(
  host: CodeHost,
  commits: readonly string[],
  marker: string,
): Promise<readonly AcceptedChange[]> {
  const accepted: AcceptedChange[] = [];
  for (const commit of commits) {
    const pullRequest = await host.mergedPullRequest(commit);
    if (pullRequest === undefined) continue;
    const acceptance = await acceptanceOf(host, pullRequest, marker);
    if (acceptance === undefined) continue;
    const { rows, reason, by } = acceptance;
    accepted.push(...rows.map(({ cell, metric }) => ({ cell, metric, reason, by })));
  }
  return accepted.slice(0, mostAccepted);
}

/** What somebody accepted for this very head and until today or later; undefined if nothing. */
export async function keptAcceptance(
  host: CodeHost,
  pullRequest: PullRequest,
  marker: string,
): Promise<Acceptance | undefined> {
  const acceptance = await acceptanceOf(host, pullRequest, marker);
  return acceptance !== undefined && acceptance.until >= dayOf(new Date()) ? acceptance : undefined;
}

/** Accepts every row that keeps the check from passing. */
export function acceptRows(verdict: Verdict, head: string, by: string, reason: string): Acceptance {
  return {
    head,
    until: dayOf(new Date(Date.now() + daysAccepted * 86_400_000)),
    reason: reason.slice(0, longestReason),
    by,
    rows: acceptableRows(verdict).map(({ cell, metric, ceiling }) => ({ cell, metric, ceiling })),
  };
}
