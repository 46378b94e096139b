import { type Finding, found } from '../finding.ts';
import { manifestText, type Repository } from '../repository.ts';
import { builderOf, defaultJdk, gradleStep, guessedJdk, mavenStep } from './jvm-build.ts';
import { javaOf, mavenModule } from './maven.ts';
import type { BuildStep } from './start.ts';

/** A Dockerfile and what it copies from its context. */
export interface ImageBuild {
  /** Path of the Dockerfile. */
  readonly dockerfile: string;
  /** The folder that it copies from; empty for the top. */
  readonly context: string;
  /** Paths that it copies, as written there. */
  readonly copied: readonly string[];
}

/** The build steps that an image needs first. */
export interface JarBuild {
  readonly steps: readonly BuildStep[];
  /** Major version of the JDK that the steps need; undefined if there are none. */
  readonly jdk: string | undefined;
  readonly findings: readonly Finding[];
}

/** Output folders of Maven and Gradle, after the folder of the build. */
const builtPath = /^((?:[\w.-]+\/){0,10}?)(target|build\/libs)(?:\/|$)/;

/** The steps that make the files that these Dockerfiles copy, because a clean checkout has none of them. */
export function jarBuild(repository: Repository, images: readonly ImageBuild[]): JarBuild {
  // Several services may share an image.
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
    jdk: steps.length === 0 ? undefined : (jdk ?? defaultJdk),
    findings: [
      ...wanted.map(({ dockerfile, source, step }) =>
        found(`${dockerfile} copies ${source}, so ${builderOf(step)} builds that before the image`),
      ),
      ...(steps.length === 0 || jdk !== undefined ? [] : [guessedJdk]),
    ],
  };
}

/** Drops empty and `.` parts, so that equal paths have equal text. */
export function relativePath(path: string): string {
  return path
    .split('/')
    .filter((part) => !['', '.'].includes(part))
    .join('/');
}

/** The step that makes a path of the repository, and the text of its build; undefined if no build makes it. */
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
  const output = pathBeforeWildcard(path);
  if (where !== 'target') return { step: gradleStep(repository, folder, text, [output]), text };
  const jar = path === `${within}target/*.jar` ? mavenModule(folder, text)?.jar : undefined;
  const parent = folder === '' ? '' : (manifestText(repository, 'pom.xml') ?? '');
  return {
    step: mavenStep(repository, folder, [jar === undefined ? output : `${within}target/${jar}`]),
    text: `${text}\n${parent}`,
  };
}

/** The path up to the first part with a wildcard. */
function pathBeforeWildcard(path: string): string {
  const parts = path.split('/');
  const first = parts.findIndex((part) => !/^[\w.-]+$/.test(part));
  return (first === -1 ? parts : parts.slice(0, first)).join('/');
}
