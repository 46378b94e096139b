import type { ConfigText } from '../../model/config.ts';
import { edit, type Finding, found, guessed } from '../finding.ts';
import { type Repository, sourceTexts } from '../repository.ts';
import { type ListeningPort, listeningPort } from './port.ts';
import { readinessPath } from './readiness.ts';
import { routesIn } from './routes.ts';

type ProcessStack = NonNullable<NonNullable<ConfigText['stack']>['process']>;
export type BuildStep = NonNullable<ProcessStack['build']>[number];

/** How a service is built, started and asked whether it is ready, as plain processes. */
export interface Start {
  readonly stack: ProcessStack;
  /** Addresses below its url that answer 2xx, as far as is known: at least one. */
  readonly routes: readonly string[];
  /** Major version of the JDK that it is built with; undefined if it needs none. */
  readonly jdk?: string;
  readonly findings: readonly Finding[];
}

/** What a language's own look at the repository found. */
export interface StartingPoint {
  readonly command: readonly string[];
  readonly build: readonly BuildStep[];
  readonly env?: Readonly<Record<string, string>>;
  /** Endings of the files that hold its source. */
  readonly sources: readonly string[];
  /** Where its framework listens unless told. */
  readonly habit: { readonly port: number; readonly why: string };
  readonly findings: readonly Finding[];
}

/** The rest of a service that takes its port from PORT, or does not take it at all. */
export function startOf(
  repository: Repository,
  { command, build, env = {}, sources: endings, habit, findings }: StartingPoint,
  exposed: number | undefined,
): Start {
  const sources = sourceTexts(repository, endings);
  const port: ListeningPort = command.some((word) => word.includes('${PORT}'))
    ? { kind: 'variable' }
    : listeningPort(sources, exposed, habit);
  const ready = readinessPath(sources);
  const routes = routesIn(sources);
  const readyPath = ready ?? routes[0] ?? '/';
  return {
    stack: {
      root: '..',
      ...(build.length === 0 ? {} : { build: [...build] }),
      service: {
        command: [...command],
        ...(Object.keys(env).length === 0 ? {} : { env }),
        ports: { PORT: port.kind === 'variable' ? 'auto' : port.port },
        url: 'http://127.0.0.1:${PORT}',
        ready: { url: `http://127.0.0.1:\${PORT}${readyPath}` },
      },
    },
    routes: routes.length === 0 ? [readyPath] : routes,
    findings: [...findings, ...portFindings(port), ...readyFindings(ready, readyPath)],
  };
}

function portFindings(port: ListeningPort): readonly Finding[] {
  if (port.kind === 'variable') return [found('it listens where PORT says: the gate takes a free port')];
  return [
    guessed(`it listens on port ${port.port}: ${port.why}`),
    edit(
      'let it take its port from PORT and write `ports: { PORT: auto }`: two versions side by side need two ports',
    ),
  ];
}

function readyFindings(ready: string | undefined, path: string): readonly Finding[] {
  if (ready !== undefined) return [found(`${ready} in its source: ready once that answers 2xx`)];
  const why = path === '/' ? 'no health address in its source' : 'the first address in its source';
  return [guessed(`ready once ${path} answers 2xx: ${why}; see \`ready\` in perf/gate.yml`)];
}
