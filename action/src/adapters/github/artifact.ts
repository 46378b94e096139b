import { createHash } from 'node:crypto';
import type { ArtifactRun, ReportArtifact } from '../../check/index.ts';
import { Fault } from '../../model/fault.ts';
import { proxiedFetch } from '../host/index.ts';
import { mostReportBytes } from '../results/index.ts';
import { type GitHub, githubFault, statusOf } from './client.ts';
import { readCapped, readOnlyFile, tooLarge } from './zip-file.ts';

/** A zip file that stores its only file uncompressed needs some more bytes for its directory. */
const mostArchiveBytes = mostReportBytes + 4096;
const downloadMs = 60_000;

interface Artifact {
  readonly id: number;
  readonly sizeBytes: number;
  /** `sha256:...`, if GitHub says. */
  readonly digest: string | undefined;
}

function artifactFault(code: string, place: string, cause: string, nextStep = 'run this job again'): Fault {
  return new Fault({ code, kind: 'measurement', place, cause, nextStep });
}

function missing(place: string, cause: string): Fault {
  const nextStep = 'read the log of that run: it may have ended without a report; then run it again';
  return artifactFault('E_ARTIFACT_MISSING', place, cause, nextStep);
}

export async function readArtifact(
  github: GitHub,
  run: ArtifactRun,
  artifactName: string,
  file: string,
): Promise<ReportArtifact> {
  const place = `artifact ${artifactName} of run ${run.id}, attempt ${run.attempt}`;
  try {
    const artifact = await findArtifact(github, run, artifactName, place);
    if (artifact.sizeBytes > mostArchiveBytes) throw tooLarge(place, mostReportBytes);
    const archive = await download(github, artifact.id, place);
    const digest = `sha256:${createHash('sha256').update(archive).digest('hex')}`;
    if (artifact.digest !== undefined && artifact.digest !== digest) {
      throw artifactFault('E_ARTIFACT_DIGEST', place, 'the download does not match the digest from GitHub');
    }
    return { text: await readOnlyFile(archive, file, mostReportBytes, place), place: `${place}: ${file}` };
  } catch (error) {
    if (statusOf(error) === 410) throw missing(place, 'it has expired since it was listed');
    throw githubFault(error, place);
  }
}

export async function hasArtifact(github: GitHub, run: ArtifactRun, artifact: string): Promise<boolean> {
  const place = `artifact ${artifact} of run ${run.id}`;
  try {
    await findArtifact(github, run, artifact, place);
    return true;
  } catch (error) {
    if (error instanceof Fault && error.details.code === 'E_ARTIFACT_MISSING') return false;
    throw githubFault(error, place);
  }
}

/**
 * The artifact of that attempt and that head. GitHub lists the artifacts of all attempts without naming the attempt, and
 * their ids do not follow their order. Only the time counts, because one attempt ends before the next begins.
 */
async function findArtifact(
  { client, repository }: GitHub,
  run: ArtifactRun,
  artifactName: string,
  place: string,
): Promise<Artifact> {
  const all = await client.paginate('GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts', {
    ...repository,
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
        createdAt(artifact) >= run.startedAt.getTime(),
    )
    .toSorted((a, b) => createdAt(a) - createdAt(b))
    .at(-1);
  if (newest === undefined) throw missing(place, 'this attempt kept no such artifact');
  if (newest.expired) throw missing(place, 'it has expired');
  return { id: newest.id, sizeBytes: newest.size_in_bytes, digest: newest.digest ?? undefined };
}

/** Without a time from GitHub, an artifact counts as older than all others. */
function createdAt({ created_at: at }: { readonly created_at: string | null }): number {
  return at === null ? 0 : Date.parse(at);
}

/** Follows the redirect itself, so that only GitHub receives the token and the size is limited during the download. */
async function download({ client, repository, options }: GitHub, id: number, place: string): Promise<Buffer> {
  const { headers } = await client.request(
    'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}',
    { ...repository, artifact_id: id, archive_format: 'zip', request: { redirect: 'manual' } },
  );
  if (headers.location === undefined) {
    throw artifactFault('E_ARTIFACT_DOWNLOAD', place, 'GitHub named no address for the download');
  }
  try {
    const response = await proxiedFetch(headers.location, {
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(downloadMs)]),
    });
    if (!response.ok || response.body === null) throw new Error(`the answer was ${response.status}`);
    return await readCapped(response.body, mostArchiveBytes, () => tooLarge(place, mostReportBytes));
  } catch (error) {
    if (error instanceof Fault || options.signal.aborted) throw error;
    throw artifactFault('E_ARTIFACT_DOWNLOAD', place, `the download failed: ${(error as Error).message}`);
  }
}
