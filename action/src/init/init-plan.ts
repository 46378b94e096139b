import { plainText } from '../report/index.ts';
import { composeFile, endpointsOf, gateFile } from './files/gate-file.ts';
import { scenarioFile } from './files/scenario-file.ts';
import { type ActionSource, type OwnWorkflows, workflowFiles } from './files/workflow-files.ts';
import { edit, type Finding, found, guessed } from './finding.ts';
import type { Repository } from './repository.ts';
import { loginOf } from './service/login.ts';
import { guessService } from './service/service.ts';

export interface InitRequest {
  readonly repository: Repository;
  /** The service to measure if the repository holds several; undefined if the caller names none. */
  readonly service: string | undefined;
  /** Where workflows get the gate from, as far as its checkout shows. */
  readonly source: Partial<ActionSource>;
  readonly workflows: OwnWorkflows;
}

export interface NewFile {
  /** Relative to the top of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface InitPlan {
  readonly files: readonly NewFile[];
  readonly findings: readonly Finding[];
  /** Each push to this branch records a baseline. */
  readonly branch: string;
}

const maxNameLength = 100;
/** A reader notices this in the workflows, and nobody owns it. */
const placeholder = { repository: 'OWNER/perf-gate', commit: '0'.repeat(40) };
const whyUnknown = 'your checkout of perf-gate does not come from GitHub';

/** The files to write for a repository, and the reasons. Throws a Fault if nothing supports a guess. */
export function planInit({ repository, service: requested, source, workflows }: InitRequest): InitPlan {
  const service = guessService(repository, requested);
  const endpoints = endpointsOf(service.routes);
  const login = loginOf(repository);
  const branch = baselineBranch(repository.branch);
  const { repository: actionRepository, commit } = source;
  const known = actionRepository !== undefined && commit !== undefined;
  const action = { ...placeholder, ...source };
  const schema = known
    ? `https://raw.githubusercontent.com/${actionRepository}/${commit}/perf/gate.schema.json`
    : undefined;
  const name = Array.from(plainText(repository.name)).slice(0, maxNameLength).join('') || 'service';
  const written = workflowFiles(workflows, {
    source: action,
    branch: branch.name,
    jdk: service.jdk,
    node: service.node ? nodeInputs(repository) : undefined,
  });
  const paths = endpoints.map(({ path }) => path).join(', ');
  return {
    files: [
      { path: 'perf/gate.yml', text: gateFile(name, service, endpoints, schema, login !== undefined) },
      { path: 'perf/scenarios/browse.js', text: scenarioFile(endpoints, login) },
      ...(service.composeFile === undefined
        ? []
        : [{ path: 'perf/compose.yml', text: composeFile(service.composeFile) }]),
      ...[...written].map(([file, text]) => ({ path: `.github/workflows/${file}`, text })),
    ],
    findings: [
      ...service.findings,
      ...(login?.findings ?? []),
      found('k6 counts bytes received per request, and growth by more than 10% and 100 B fails the check'),
      branch.finding,
      edit(
        `perf/scenarios/browse.js requests only ${paths}${paths === '/' ? ', which your service may not answer' : ''}: make it do what your users do`,
      ),
      ...(known
        ? []
        : [
            edit(
              `replace ${action.repository} in the workflows with the repository of perf-gate: ${whyUnknown}`,
            ),
          ]),
    ],
    branch: branch.name,
  };
}

/** A workflow reads branch names as patterns, so a name with a special character is not used. */
function baselineBranch(branch: string | undefined): { readonly name: string; readonly finding: Finding } {
  if (branch !== undefined && /^[A-Za-z0-9][\w./-]{0,100}$/.test(branch)) {
    return {
      name: branch,
      finding: found(`${branch} is the default branch, so each push to it records a baseline`),
    };
  }
  const why =
    branch === undefined ? 'git has no origin/HEAD' : 'a workflow would read the real name as a pattern';
  return {
    name: 'main',
    finding: guessed(`main is the default branch, because ${why}; see \`branches\` in perf-baseline.yml`),
  };
}

/** The Node version that the repository pins, or 24 if it pins none. */
function nodeInputs({ paths, text }: Repository): Readonly<Record<string, string>> {
  if (paths.includes('.nvmrc')) return { 'node-version-file': '.nvmrc' };
  if (/"engines"\s*:\s*\{[^}]{0,200}"node"/.test(text('package.json') ?? '')) {
    return { 'node-version-file': 'package.json' };
  }
  return { 'node-version': '24' };
}
