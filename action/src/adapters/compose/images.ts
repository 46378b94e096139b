import { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import type { DockerAnswer, DockerCli } from './cli.ts';
import { type Engine, engineDown } from './engine.ts';
import { explainError, imageMissing } from './failure.ts';
import type { ComposeFile } from './merged-config.ts';

/** Seconds; a cold build has to fetch its base image and packages. */
const buildWithin = 900;
/** Seconds for one image. */
const pullWithin = 600;

/**
 * Runs `docker compose build`.
 *
 * @param files the compose file and what is merged into it
 */
export async function buildImages(
  docker: DockerCli,
  engine: Engine,
  project: string,
  files: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<void> {
  // Without buildx Compose can only build with the classic builder, and fails unless told so.
  if (!engine.hasBuildx) docker.addEnv({ DOCKER_BUILDKIT: '0' });
  const from = files.flatMap((file) => ['-f', file]);
  const answer = await docker.run(['compose', '-p', project, ...from, 'build'], {
    within: buildWithin,
    signal,
    role: 'docker compose build',
  });
  if (answer.code === 0) return;
  const said = `${answer.stdout}\n${answer.stderr}`.split('\n').filter((line) => line.trim() !== '');
  const explained = explainError(answer.stderr);
  throw new Fault({
    ...(explained ?? {
      code: 'E_IMAGE_BUILD',
      kind: 'usage',
      place: files[0],
      cause: answer.timedOut
        ? `the images were not built within ${buildWithin} s`
        : `the images could not be built: ${said.at(-1) ?? 'Docker does not say why'}`,
      nextStep: 'run `docker compose build` by hand, and mend what it reports',
    }),
    logTail: said.slice(-30),
  });
}

/**
 * Pulls what is not on this machine. By itself, because `up` would count it into the time of the services, and
 * because only here it can be told from their failures.
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
    const own = users.find(([service]) => file.built.has(service));
    if (own !== undefined) {
      throw new Fault({
        ...imageMissing(image, `the service ${own[0]} builds it, which has not been done`),
        nextStep: 'set `stack.compose.buildImages: true`, or build it with `docker compose build`',
      });
    }
    note(`pulling ${image}`);
    const pull = await docker.run(['pull', '--quiet', image], {
      within: pullWithin,
      signal,
      role: 'docker pull',
    });
    if (pull.code !== 0) throw pullFault(image, pull);
  }
}

function pullFault(image: string, pull: DockerAnswer): Fault {
  const said = pull.stderr.trim().split('\n');
  if (/Cannot connect to the Docker daemon/.test(pull.stderr)) return engineDown(pull);
  const cause = pull.timedOut
    ? `it was not pulled within ${pullWithin} s`
    : (said.at(-1) ?? '').replace(/^Error response from daemon: /, '');
  return new Fault({ ...imageMissing(image, cause), logTail: said.slice(-10) });
}

const inspectedSchema = z.array(
  z.object({
    Id: z.string(),
    RepoDigests: z.array(z.string()).nullish(),
    Config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }).nullish(),
  }),
);

/**
 * Images by service, for the fingerprint: name and tag, and what the registry or the image's own label says of the
 * content. The service under test and what is built from this checkout are left out: they are the code, not its
 * surroundings; so are steps that end, whose outcome has a key of its own. An image
 * made on this machine has an id that no other machine will see again, so the id does not count.
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
