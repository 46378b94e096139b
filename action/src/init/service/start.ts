import type { ConfigText } from '../../model/config.ts';
import { edit, type Finding, found, guessed } from '../finding.ts';
import { type Repository, sourceTexts } from '../repository.ts';
import { type ListeningPort, listeningPort } from './port.ts';
import { readinessPath } from './readiness.ts';
import { routesIn } from './routes.ts';
import type { Signals } from './spring-signals.ts';

type ProcessStack = NonNullable<NonNullable<ConfigText['stack']>['process']>;
export type BuildStep = NonNullable<ProcessStack['build']>[number];

/** How to build and start a service as a plain process, and how to check that it is ready. */
export interface Start {
  readonly stack: ProcessStack;
  /** One or more paths that should answer 2xx. */
  readonly routes: readonly string[];
  /** Costs that its metrics count; absent if none are known. */
  readonly signals?: Signals;
  /** Major version of the JDK that builds it; undefined if it needs none. */
  readonly jdk?: string;
  /** True if package.json builds or starts it on the runner. */
  readonly node?: boolean;
  readonly findings: readonly Finding[];
}

/** What the reader of one language found in the repository. */
export interface StartingPoint {
  readonly command: readonly string[];
  readonly build: readonly BuildStep[];
  readonly env?: Readonly<Record<string, string>>;
  /** True if package.json builds or starts it on the runner. */
  readonly node?: boolean;
  /** Endings of the files that hold its source. */
  readonly sources: readonly string[];
  /** Where its framework listens by default. */
  readonly defaultPort: { readonly port: number; readonly why: string };
  readonly findings: readonly Finding[];
}

/** Completes a service with its port, its readiness check and its routes. */
export function startOf(
  repository: Repository,
  { command, build, env = {}, node = false, sources: endings, defaultPort, findings }: StartingPoint,
  exposed: number | undefined,
): Start {
  const sources = sourceTexts(repository, endings);
  const port: ListeningPort = command.some((word) => word.includes('${PORT}'))
    ? { kind: 'variable' }
    : listeningPort(sources, exposed, defaultPort);
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
    node,
    findings: [...findings, ...portFindings(port), ...readyFindings(ready, readyPath)],
  };
}

function portFindings(port: ListeningPort): readonly Finding[] {
  if (port.kind === 'variable')
    return [found('it listens on the port in PORT, so the gate chooses a free one')];
  return [
    guessed(`it listens on port ${port.port}, because ${port.why}`),
    edit(
      'make it read its port from PORT and write `ports: { PORT: auto }`, because two versions at once need two ports',
    ),
  ];
}

function readyFindings(ready: string | undefined, path: string): readonly Finding[] {
  if (ready !== undefined)
    return [found(`ready once ${ready} answers 2xx, because its source names that path`)];
  const why = path === '/' ? 'its source names no health path' : 'its source names that path first';
  return [guessed(`ready once ${path} answers 2xx, because ${why}; see \`ready\` in perf/gate.yml`)];
}
