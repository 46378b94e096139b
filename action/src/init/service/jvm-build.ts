import { guessed } from '../finding.ts';
import type { Repository } from '../repository.ts';
import type { BuildStep } from './start.ts';

/** For the workflows, where a build does not say which it needs. */
export const usualJdk = '21';
export const guessedJdk = guessed(`JDK ${usualJdk} in the workflows: the build does not say which`);

/** How Maven makes the jar of the module in that folder, `` at the top. */
export function mavenStep({ paths }: Repository, folder: string, outputs: readonly string[]): BuildStep {
  const within = folder === '' ? '' : `${folder}/`;
  const alone = !paths.some(
    (path) => path.startsWith(within) && /^[^/]+\/pom\.xml$/.test(path.slice(within.length)),
  );
  const ofParent = folder !== '' && paths.includes('pom.xml');
  const wrapper = ['', within].find((at) => paths.includes(`${at}mvnw`));
  return {
    command: [
      wrapper === undefined ? 'mvn' : `./${wrapper}mvnw`,
      '-q',
      '-B',
      ...(folder === '' || ofParent ? [] : ['-f', `${within}pom.xml`]),
      '-DskipTests',
      ...(ofParent ? ['-pl', folder, '-am'] : []),
      'package',
    ],
    // A module's own folder is not all that it is made of.
    ...(alone && !ofParent ? { inputs: [`${within}pom.xml`, `${within}src/main`] } : {}),
    outputs: [...outputs],
  };
}

/** How Gradle makes the jar of the project in that folder, `` at the top. */
export function gradleStep(
  { paths }: Repository,
  folder: string,
  text: string,
  outputs: readonly string[],
): BuildStep {
  const within = folder === '' ? '' : `${folder}/`;
  const task = /spring\W{0,2}boot|springframework\.boot/i.test(text) ? 'bootJar' : 'assemble';
  const ofParent = folder !== '' && paths.some((path) => /^settings\.gradle(\.kts)?$/.test(path));
  const wrapper = ['', within].find((at) => paths.includes(`${at}gradlew`));
  return {
    // Gradle knows what has changed.
    command: [
      wrapper === undefined ? 'gradle' : `./${wrapper}gradlew`,
      '-q',
      ...(folder === '' || ofParent ? [] : ['-p', folder]),
      ofParent ? `:${folder.replaceAll('/', ':')}:${task}` : task,
    ],
    outputs: [...outputs],
  };
}
