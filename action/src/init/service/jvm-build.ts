import { guessed } from '../finding.ts';
import type { Repository } from '../repository.ts';
import type { BuildStep } from './start.ts';

/** The workflows use this version if a build names none. */
export const defaultJdk = '21';
export const guessedJdk = guessed(`JDK ${defaultJdk} in the workflows, because the build names no version`);

/** A wrapper that was committed on Windows may not be executable. */
function asScript(wrapper: string): readonly string[] {
  return ['sh', `./${wrapper}`];
}

/** The program of a step, as people call it. */
export function builderOf({ command }: BuildStep): string {
  return (command[0] === 'sh' ? command[1] : command[0]) ?? '';
}

/** Builds the jar of the Maven module in that folder, which is empty for the top. */
export function mavenStep({ paths }: Repository, folder: string, outputs: readonly string[]): BuildStep {
  const within = folder === '' ? '' : `${folder}/`;
  const singleModule = !paths.some(
    (path) => path.startsWith(within) && /^[^/]+\/pom\.xml$/.test(path.slice(within.length)),
  );
  const hasParent = folder !== '' && paths.includes('pom.xml');
  const wrapper = ['', within].find((at) => paths.includes(`${at}mvnw`));
  return {
    command: [
      ...(wrapper === undefined ? ['mvn'] : asScript(`${wrapper}mvnw`)),
      '-q',
      '-B',
      ...(folder === '' || hasParent ? [] : ['-f', `${within}pom.xml`]),
      '-DskipTests',
      ...(hasParent ? ['-pl', folder, '-am'] : []),
      'package',
    ],
    // A module with a parent or with modules depends on more than these files.
    ...(singleModule && !hasParent ? { inputs: [`${within}pom.xml`, `${within}src/main`] } : {}),
    outputs: [...outputs],
  };
}

/** Builds the jar of the Gradle project in that folder, which is empty for the top. */
export function gradleStep(
  { paths }: Repository,
  folder: string,
  text: string,
  outputs: readonly string[],
): BuildStep {
  const within = folder === '' ? '' : `${folder}/`;
  const task = /spring\W{0,2}boot|springframework\.boot/i.test(text) ? 'bootJar' : 'assemble';
  const hasParent = folder !== '' && paths.some((path) => /^settings\.gradle(\.kts)?$/.test(path));
  const wrapper = ['', within].find((at) => paths.includes(`${at}gradlew`));
  return {
    // Gradle detects changes, so the step names no inputs.
    command: [
      ...(wrapper === undefined ? ['gradle'] : asScript(`${wrapper}gradlew`)),
      '-q',
      ...(folder === '' || hasParent ? [] : ['-p', folder]),
      hasParent ? `:${folder.replaceAll('/', ':')}:${task}` : task,
    ],
    outputs: [...outputs],
  };
}
