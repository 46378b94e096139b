import { edit, found, guessed } from '../finding.ts';
import { manifestText, type Repository, unreadable } from '../repository.ts';
import { plainCommand } from './command-line.ts';
import type { BuildStep, StartingPoint } from './start.ts';

const names = ['server.js', 'server.mjs', 'app.js', 'index.js'];
const entries = [...names, ...names.map((name) => `src/${name}`)];

/** The gate's own workflows use no pnpm, so they pin no action that installs it. */
const missingPnpm = edit(
  "add a step with pnpm/action-setup before the step `gate` of perf-gate.yml and perf-baseline.yml, because GitHub's runners have no pnpm",
);

/** A service that package.json starts. */
export function nodeService(repository: Repository): StartingPoint | undefined {
  const text = manifestText(repository, 'package.json');
  if (text === undefined) return undefined;
  const manifest = objectIn(text);
  const scripts = textsOf(manifest.scripts);
  const entry = entryOf(repository, scripts);
  const start = scripts.start;
  if (start === undefined && entry === undefined) return undefined;
  const hooked = scripts.prestart !== undefined || scripts.poststart !== undefined;
  const plain = start === undefined || hooked ? undefined : plainCommand(start);
  const direct = plain?.[0] === 'node' ? plain : undefined;
  const install = installation(repository, manifest);
  return {
    command:
      direct ??
      (start === undefined && entry !== undefined ? ['node', entry] : ['npm', 'run', '--silent', 'start']),
    build: [...install, ...(scripts.build === undefined ? [] : [buildStep(repository, direct)])],
    node: true,
    sources: ['.js', '.mjs', '.cjs', '.ts'],
    defaultPort: { port: 3000, why: 'most Node frameworks use it' },
    findings: [
      start === undefined
        ? guessed(`node ${entry} starts it, because package.json has no start script`)
        : found('scripts.start of package.json starts it'),
      ...(install.some(({ command: [program] }) => program === 'pnpm') ? [missingPnpm] : []),
    ],
  };
}

/** The file that seems to be the service, where no script starts it: what is started for development, or a usual name. */
function entryOf({ paths }: Repository, { dev = '' }: Partial<Record<string, string>>): string | undefined {
  const developed = /(?:^|\s)(?:\.\/)?([\w/-][\w./-]*\.[cm]?js)\b/.exec(dev)?.[1];
  return [developed, ...entries].find((path) => path !== undefined && paths.includes(path));
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable('package.json', `the file is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw unreadable('package.json', 'the file does not hold a JSON object');
}

function textsOf(value: unknown): Partial<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string'));
}

/** The command of each tool that installs exactly what its lock file says. */
const installers = [
  { lock: 'pnpm-lock.yaml', command: ['pnpm', 'install', '--frozen-lockfile'] },
  { lock: 'yarn.lock', command: ['yarn', 'install', '--frozen-lockfile'] },
  { lock: 'package-lock.json', command: ['npm', 'ci', '--no-audit', '--no-fund'] },
] as const;

function installation(
  { paths }: Repository,
  manifest: Readonly<Record<string, unknown>>,
): readonly BuildStep[] {
  const needed = [manifest.dependencies, manifest.devDependencies].some(
    (names) => Object.keys(textsOf(names)).length > 0,
  );
  if (!needed) return [];
  const installer = installers.find(({ lock }) => paths.includes(lock));
  return [
    {
      command: [...(installer?.command ?? ['npm', 'install', '--no-audit', '--no-fund'])],
      inputs: ['package.json', ...(installer === undefined ? [] : [installer.lock])],
      outputs: ['node_modules'],
    },
  ];
}

/** No file lists what the script writes. If the start command runs a file that git lacks, the script makes it. */
function buildStep({ paths }: Repository, start: readonly string[] | undefined): BuildStep {
  const file = start?.find((word) => /\.[cm]?js$/.test(word));
  const built = file === undefined || paths.includes(file) ? 'package.json' : file.replace(/^\.\//, '');
  return { command: ['npm', 'run', 'build'], outputs: [built] };
}
