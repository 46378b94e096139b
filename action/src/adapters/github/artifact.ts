import { createHash } from 'node:crypto';
import type { PullRequestRun, ReportArtifact } from '../../check/index.ts';
import { Fault } from '../../model/fault.ts';
import { mostReportBytes } from '../results/index.ts';
import { type GitHubClient, type GitHubOptions, githubFault, statusOf } from './client.ts';
import { proxiedFetch } from './proxied-fetch.ts';
import { readOnlyFile, tooLarge } from './zip-file.ts';

/** Room for what a zip file says of its only member, where that was stored as it is. */
const mostArchiveBytes = mostReportBytes + 4096;
const downloadMs = 60_000;

interface Artifact {
  readonly id: number;
  readonly sizeBytes: number;
  /** `sha256:...`, where GitHub tells it. */
  readonly digest: string | undefined;
}

function fault(code: string, place: string, cause: string, nextStep: string): Fault {
  return new Fault({ code, kind: 'measurement', place, cause, nextStep });
}

export async function readArtifact(
  client: GitHubClient,
  options: GitHubOptions,
  run: PullRequestRun,
  artifactName: string,
  file: string,
): Promise<ReportArtifact> {
  const place = `artifact ${artifactName} of run ${run.id}, attempt ${run.attempt}`;
  try {
    const artifact = await findArtifact(client, options, run, artifactName, place);
    if (artifact.sizeBytes > mostArchiveBytes) throw tooLarge(place, mostReportBytes);
    const archive = await download(client, options, artifact.id, place);
    const digest = `sha256:${createHash('sha256').update(archive).digest('hex')}`;
    if (artifact.digest !== undefined && artifact.digest !== digest) {
      throw fault(
        'E_ARTIFACT_DIGEST',
        place,
        'what was downloaded is not what GitHub says it keeps',
        'run this job again',
      );
    }
    return { text: await readOnlyFile(archive, file, mostReportBytes, place), place: `${place}: ${file}` };
  } catch (error) {
    if (statusOf(error) === 410) throw missing(place, 'it has expired since it was listed');
    throw githubFault(error, place);
  }
}

function missing(place: string, cause: string): Fault {
  return fault(
    'E_ARTIFACT_MISSING',
    place,
    cause,
    'read the log of that run: it ended before it had a report, or it is too old; run it again',
  );
}

/**
 * Of that attempt and that head only. GitHub lists those of all attempts, says of none to which it belongs, and does not
 * number them in their order: when they were made is what tells. One attempt ends before the next begins.
 */
async function findArtifact(
  client: GitHubClient,
  { owner, name }: GitHubOptions,
  run: PullRequestRun,
  artifactName: string,
  place: string,
): Promise<Artifact> {
  const all = await client.paginate('GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts', {
    owner,
    repo: name,
    run_id: run.id,
    name: artifactName,
    per_page: 100,
  });
  const newest = all
    .filter(
      (artifact) =>
        artifact.name === artifactName &&
        artifact.workflow_run?.id === run.id &&
        artifact.workflow_run.head_sha === run.headSha &&
        madeAt(artifact) >= run.startedAt.getTime(),
    )
    .toSorted((a, b) => madeAt(a) - madeAt(b))
    .at(-1);
  if (newest === undefined || newest.expired) {
    throw missing(place, newest === undefined ? 'this attempt kept no such artifact' : 'it has expired');
  }
  return { id: newest.id, sizeBytes: newest.size_in_bytes, digest: newest.digest ?? undefined };
}

/** Before everything, where GitHub does not say. */
function madeAt({ created_at: at }: { readonly created_at: string | null }): number {
  return at === null ? 0 : Date.parse(at);
}

/** The redirect is followed by hand, so that the token stays with GitHub and the bytes are counted as they come. */
async function download(
  client: GitHubClient,
  { owner, name, signal }: GitHubOptions,
  id: number,
  place: string,
): Promise<Buffer> {
  const { headers } = await client.request(
    'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}',
    { owner, repo: name, artifact_id: id, archive_format: 'zip', request: { redirect: 'manual' } },
  );
  if (headers.location === undefined) {
    throw fault(
      'E_ARTIFACT_DOWNLOAD',
      place,
      'GitHub named no address to download from',
      'run this job again',
    );
  }
  try {
    const response = await proxiedFetch(headers.location, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(downloadMs)]),
    });
    if (!response.ok || response.body === null) throw new Error(`the answer was ${response.status}`);
    return await readCapped(response.body, place);
  } catch (error) {
    if (error instanceof Fault || signal.aborted) throw error;
    throw fault(
      'E_ARTIFACT_DOWNLOAD',
      place,
      `it could not be downloaded: ${(error as Error).message}`,
      'run this job again',
    );
  }
}

async function readCapped(body: ReadableStream<Uint8Array>, place: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostArchiveBytes) throw tooLarge(place, mostReportBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
