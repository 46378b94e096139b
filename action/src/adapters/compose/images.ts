import { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import type { ComposeFile } from './compose-file.ts';
import type { DockerCli, DockerResult } from './docker.ts';
import { type Engine, engineDown } from './engine.ts';
import { explainError, imageMissing } from './explain.ts';

/** Seconds; a cold build downloads its base image and packages. */
const buildWithin = 900;
/** Seconds per image. */
const pullWithin = 600;

/** Runs `docker compose build` with the compose file and its override. */
export async function buildImages(
  docker: DockerCli,
  { hasBuildx }: Engine,
  project: string,
  files: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  // Without buildx Compose fails unless it is switched to the classic builder.
  if (!hasBuildx) docker.addEnv({ DOCKER_BUILDKIT: '0' });
  const from = files.flatMap((file) => ['-f', file]);
  const { code, stdout, stderr, timedOut } = await docker.run(['compose', '-p', project, ...from, 'build'], {
    within: buildWithin,
    signal,
    role: 'docker compose build',
  });
  if (code === 0) return;
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
  throw new Fault({
    ...(explainError(stderr) ?? {
      code: 'E_IMAGE_BUILD',
      kind: 'usage',
      place: files[0] ?? '',
      cause: timedOut
        ? `the images were not built within ${buildWithin} s`
        : `the images could not be built: ${lines.at(-1) ?? 'Docker gives no reason'}`,
      nextStep: 'run `docker compose build` by hand and fix what it reports',
    }),
    logTail: lines.slice(-30),
  });
}

/**
 * Pulls the images that are not on this machine. `up` would pull them too, but then the download would count into the
 * services' time and its failures would be reported as theirs.
 */
export async function pullMissingImages(
  docker: DockerCli,
  file: ComposeFile,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const byImage = Map.groupBy(file.images, ([, image]) => image);
  for (const [image, users] of byImage) {
    const present = await docker.run(['image', 'inspect', '--format', '{{.Id}}', image], { signal });
    if (present.code === 0) continue;
    const builder = users.find(([service]) => file.built.has(service));
    if (builder !== undefined) {
      throw new Fault({
        ...imageMissing(image, `the service ${builder[0]} builds it, but it has not been built`),
        nextStep: 'set `stack.compose.buildImages: true`, or run `docker compose build` first',
      });
    }
    note(`pulling ${image}`);
    const pull = ['pull', '--quiet', image];
    const result = await docker.run(pull, { within: pullWithin, signal, role: 'docker pull' });
    if (result.code !== 0) throw pullFault(image, result);
  }
}

function pullFault(image: string, result: DockerResult): Fault {
  if (/Cannot connect to the Docker daemon/.test(result.stderr)) return engineDown(result);
  const lines = result.stderr.trim().split('\n');
  const cause = result.timedOut
    ? `it was not pulled within ${pullWithin} s`
    : (lines.at(-1) ?? '').replace(/^Error response from daemon: /, '');
  return new Fault({ ...imageMissing(image, cause), logTail: lines.slice(-10) });
}

const inspectedSchema = z.array(
  z.object({
    RepoDigests: z.array(z.string()).nullish(),
    Config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }).nullish(),
  }),
);

/**
 * Images by service, for the fingerprint: name and tag, with the registry's digest or the image's own version label.
 * It leaves out the service under test and images of this checkout, which are the measured code, and one-shot steps,
 * whose data has a key of its own. Image ids do not count, because a locally built image has another id everywhere.
 */
export async function imageVersions(
  docker: DockerCli,
  file: ComposeFile,
  underTest: string,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const foreign = [...file.images].filter(
    ([service]) => service !== underTest && !file.built.has(service) && !file.oneShot.has(service),
  );
  if (foreign.length === 0) return {};
  const { stdout } = await docker.run(['image', 'inspect', ...foreign.map(([, image]) => image)], { signal });
  const details = inspectedSchema.parse(JSON.parse(stdout || '[]'));
  return Object.fromEntries(
    foreign.map(([service, image], index) => {
      const digest = details[index]?.RepoDigests?.[0]?.split('@sha256:')[1];
      const version = details[index]?.Config?.Labels?.['org.opencontainers.image.version'];
      const content = digest === undefined ? version : `sha256:${digest.slice(0, 12)}`;
      const tagged = image.split('@')[0] ?? image;
      return [service, content === undefined ? tagged : `${tagged} (${content})`];
    }),
  );
}
