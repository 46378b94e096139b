import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import type { Ending, Job, Print } from './jobs.ts';
import type { Options, Part } from './options.ts';
import { installStep, launcherStep, type Place, type Step, step } from './steps.ts';
import { isOnPath, type Tool, tools } from './tools.ts';

/**
 * The jobs of a run. The front lane starts with what answers quickly, while the back lane gets tools and images. Then
 * the tests of the data and of the service run in the back, next to those of the gate, which mostly wait.
 */
export function plan(options: Options, place: Place): Job[] {
  return [
    ...preparation(options, place),
    ...(wants(options, 'lint') ? lint(place) : []),
    ...(wants(options, 'unit') ? [vitest(place, 'unit', { projects: 'unit*' })] : []),
    ...(wants(options, 'lint') ? lintWithTools(options, place) : []),
    ...(wants(options, 'prose') ? [prose(options, place)] : []),
    ...(wants(options, 'db') ? [maven(place, { name: 'db', lane: 'back' }, 'db', 'verify')] : []),
    ...(wants(options, 'real')
      ? [vitest(place, 'real', { after: ['get jdk and mvn', 'get k6', 'get act', 'images'] })]
      : []),
    ...(wants(options, 'app', 'mysql') && !wants(options, 'db') ? [servers(place)] : []),
    ...(wants(options, 'app') ? [maven(place, { name: 'app', lane: 'back' }, 'app', 'verify')] : []),
    ...(wants(options, 'mysql') ? [mysql(options, place)] : []),
    ...(wants(options, 'real') ? [vitest(place, 'real-saturating', { alone: true })] : []),
  ];
}

function wants(options: Options, ...parts: readonly Part[]): boolean {
  return parts.some((part) => options.parts.includes(part));
}

/** What the parts need and this machine lacks, the quickest to get first. */
function preparation(options: Options, place: Place): Job[] {
  const images = options.containers && wants(options, 'real', 'mysql');
  const missing = [
    ...(wants(options, 'lint') ? [tools.shellcheck] : []),
    ...(wants(options, 'lint', 'real') ? [tools.zizmor, tools.actionlint] : []),
    ...(wants(options, 'prose') ? [tools.vale] : []),
    ...(wants(options, 'real') ? [tools.act] : []),
  ].filter(({ name }) => !isOnPath(name, place.env.PATH));
  const get = (builtWithGo: boolean) =>
    missing.filter(({ go }) => (go !== undefined) === builtWithGo).map((tool) => installStep(place, tool));
  return [
    ...get(false),
    ...(images || get(true).length > 0 ? [launcherStep(place, ['go'], { optional: true })] : []),
    ...get(true),
    ...(wants(options, 'db', 'real', 'app', 'mysql') ? [launcherStep(place, ['jdk', 'mvn'])] : []),
    ...(wants(options, 'real') ? [launcherStep(place, ['k6'])] : []),
    ...(images
      ? [step(place, { name: 'images', lane: 'back', command: [join(place.root, '.ci/images')] })]
      : []),
  ];
}

/** What needs npm packages alone. */
function lint(place: Place): Job[] {
  const check = (name: string, ...args: readonly string[]) =>
    step(place, { name, lane: 'front', command: npm(place, 'run', '--silent', name, ...args) });
  return [
    // Refuses what `npm ci` would refuse in a fresh clone.
    step(place, {
      name: 'lock',
      lane: 'front',
      command: npm(place, 'ci', '--dry-run', '--ignore-scripts', '--loglevel=error'),
    }),
    check('lint'),
    check('types'),
    check('deps'),
    check('generate', '--', '--check'),
    check('bundle', '--', '--check'),
  ];
}

/** What needs tools that the back lane may have to install first. */
function lintWithTools(options: Options, place: Place): Job[] {
  const inRoot = (...paths: readonly string[]) => paths.map((path) => join(place.root, path));
  const tool = (used: Tool, ...args: readonly string[]) =>
    step(place, {
      name: used.name,
      lane: 'front',
      after: [`get ${used.name}`],
      command: [used.name, ...args],
      lacks: lackOfTool(options, place, used),
    });
  return [
    tool(tools.shellcheck, ...inRoot('gate', ...shellScripts)),
    tool(
      tools.zizmor,
      ...['--offline', '--pedantic', '--quiet'],
      ...inRoot('.github', 'action.yml', ...actions),
    ),
    tool(tools.actionlint, ...inRoot(...globSync('.github/workflows/*.yml', { cwd: place.root }))),
  ];
}

const actions = ['', 'publish/', 'record/'].map((folder) => `action/${folder}action.yml`);
const shellScripts = ['run', 'docker', 'images', 'database-entrypoint', 'prose'].map((name) => `.ci/${name}`);

function prose(options: Options, place: Place): Job {
  return step(place, {
    name: 'prose',
    lane: 'front',
    after: ['get vale'],
    command: [join(place.root, '.ci/prose'), 'vale'],
    lacks: lackOfTool(options, place, tools.vale),
  });
}

function lackOfTool(options: Options, { env }: Place, tool: Tool) {
  return async (): Promise<Ending | undefined> => {
    if (isOnPath(tool.name, env.PATH)) return undefined;
    const installer = tool.go === undefined ? 'pip' : 'Go';
    return {
      kind: options.tools ? 'failed' : 'skipped',
      note: `it is not on PATH and ${installer} did not install it`,
    };
  };
}

function npm({ root }: Place, ...args: readonly string[]): string[] {
  return ['npm', '--prefix', join(root, 'action'), ...args];
}

function vitest(
  place: Place,
  name: string,
  { projects = name, ...extras }: Partial<Step> & { readonly projects?: string } = {},
): Job {
  const reports = join(place.scratch, name);
  const output = ['--reporter=default', '--reporter=junit', '--outputFile.junit', join(reports, 'junit.xml')];
  return step(place, {
    name,
    lane: 'front',
    command: npm(place, 'run', '--silent', 'test', '--', '--project', projects, ...output),
    reports,
    ...extras,
  });
}

function maven(place: Place, job: Omit<Step, 'command'>, project: string, ...args: readonly string[]): Job {
  return step(place, {
    ...job,
    command: ['mvn', '-q', '-B', '-f', join(place.root, project, 'pom.xml'), ...args],
    reports: join(place.root, project, 'target'),
  });
}

/** The service's tests run on the launcher in db/. Its own tests build it too, where they are wanted. */
function servers(place: Place): Job {
  return step(place, {
    name: 'servers',
    lane: 'back',
    command: ['mvn', '-q', '-B', '-f', join(place.root, 'db/pom.xml'), '-DskipTests', 'package'],
  });
}

/**
 * The service's tests that ask the database, and not Redis alone, run once more on MySQL, which only comes in a container.
 */
function mysql(options: Options, place: Place): Job {
  const pom = readFileSync(join(place.root, 'app/pom.xml'), 'utf8');
  const image = `mysql:${/<mysql-image\.version>(.*)<\//.exec(pom)?.[1]}`;
  const lacks = async (_: Print, stop: AbortSignal): Promise<Ending | undefined> => {
    const docker = (...args: readonly string[]) =>
      runCommand(['docker', ...args], { env: place.env, print: () => {}, stop });
    if (options.containers) return undefined;
    if ((await docker('image', 'inspect', image)) === 0 || (await docker('pull', image)) === 0)
      return undefined;
    return { kind: 'skipped', note: `no container engine here has ${image} or can pull it` };
  };
  return maven(
    place,
    { name: 'mysql', lane: 'back', lacks },
    'app',
    ...['test', '-Ddatabase=mysql', '-Dgroups=database', '-DexcludedGroups=redis'],
  );
}
