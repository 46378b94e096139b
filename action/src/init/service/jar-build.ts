import { type Finding, found } from '../finding.ts';
import { manifestText, type Repository } from '../repository.ts';
import { gradleStep, guessedJdk, mavenStep, usualJdk } from './jvm-build.ts';
import { javaOf, mavenModule } from './maven.ts';
import type { BuildStep } from './start.ts';

/** A Dockerfile that an image is built from. */
export interface ImageBuild {
  /** Path of the Dockerfile. */
  readonly dockerfile: string;
  /** Folder that it copies from, `` at the top. */
  readonly context: string;
  /** What it copies, as it is written there. */
  readonly copied: readonly string[];
}

/** What has to be made before an image can be built. */
export interface JarBuild {
  readonly steps: readonly BuildStep[];
  /** Major version of the JDK that the steps need; undefined if there are none. */
  readonly jdk: string | undefined;
  readonly findings: readonly Finding[];
}

/** Where Maven and Gradle write to, after the folder of the build. */
const builtPath = /^((?:[\w.-]+\/){0,10}?)(target|build\/libs)(?:\/|$)/;

/** The steps without which a clean checkout holds nothing that these Dockerfiles could copy. */
export function jarBuild(repository: Repository, images: readonly ImageBuild[]): JarBuild {
  // Several services may be of one image.
  const different = new Map(images.map((image) => [`${image.context} ${image.dockerfile}`, image]));
  const wanted = [...different.values()].flatMap(({ dockerfile, context, copied }) =>
    copied.flatMap((source) => {
      const build = buildOf(repository, relativePath(`${context}/${source}`));
      return build === undefined ? [] : [{ dockerfile, source, ...build }];
    }),
  );
  const steps = [...Map.groupBy(wanted, ({ step }) => step.command.join(' ')).values()].flatMap(
    ([first, ...others]) => {
      if (first === undefined) return [];
      const outputs = new Set([first, ...others].flatMap(({ step }) => step.outputs));
      return [{ ...first.step, outputs: [...outputs] }];
    },
  );
  const jdk = wanted.map(({ text }) => javaOf(text)).find((version) => version !== undefined);
  return {
    steps,
    jdk: steps.length === 0 ? undefined : (jdk ?? usualJdk),
    findings: [
      ...wanted.map(({ dockerfile, source, step }) =>
        found(`${dockerfile} copies ${source}: ${step.command[0]} makes that before the image is built`),
      ),
      ...(steps.length === 0 || jdk !== undefined ? [] : [guessedJdk]),
    ],
  };
}

function relativePath(path: string): string {
  return path
    .split('/')
    .filter((part) => !['', '.'].includes(part))
    .join('/');
}

/** The step that makes a path of the repository, and what its build says; undefined for what no build makes. */
function buildOf(
  repository: Repository,
  path: string,
): { readonly step: BuildStep; readonly text: string } | undefined {
  const [, within, where] = builtPath.exec(path) ?? [];
  if (within === undefined) return undefined;
  const folder = within.slice(0, -1);
  const manifests = where === 'target' ? ['pom.xml'] : ['build.gradle', 'build.gradle.kts'];
  const manifest = manifests
    .map((name) => `${within}${name}`)
    .find((name) => repository.paths.includes(name));
  if (manifest === undefined) return undefined;
  const text = manifestText(repository, manifest) ?? '';
  const output = plainPart(path);
  if (where !== 'target') return { step: gradleStep(repository, folder, text, [output]), text };
  const jar = path === `${within}target/*.jar` ? mavenModule(folder, text)?.jar : undefined;
  const parent = folder === '' ? '' : (manifestText(repository, 'pom.xml') ?? '');
  return {
    step: mavenStep(repository, folder, [jar === undefined ? output : `${within}target/${jar}`]),
    text: `${text}\n${parent}`,
  };
}

/** Up to the first part that stands for several names. */
function plainPart(path: string): string {
  const parts = path.split('/');
  const first = parts.findIndex((part) => !/^[\w.-]+$/.test(part));
  return (first === -1 ? parts : parts.slice(0, first)).join('/');
}
