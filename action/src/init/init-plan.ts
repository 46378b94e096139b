import { plainText } from '../report/index.ts';
import { composeFile, endpointsOf, gateFile } from './files/gate-file.ts';
import { scenarioFile } from './files/scenario-file.ts';
import { type ActionSource, type OwnWorkflows, workflowFiles } from './files/workflow-files.ts';
import { edit, type Finding, found, guessed } from './finding.ts';
import type { Repository } from './repository.ts';
import { guessService } from './service/service.ts';

export interface InitRequest {
  readonly repository: Repository;
  /** Which of several services it is, if somebody said. */
  readonly service: string | undefined;
  /** Where workflows get the gate from, as far as its checkout tells. */
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
  /** The branch that the baseline is recorded of. */
  readonly branch: string;
}

const longestName = 100;
/** Stands out in the workflows, and is nobody's. */
const placeholder = { repository: 'OWNER/perf-gate', commit: '0'.repeat(40) };
const whyUnknown = 'this checkout of it does not come from GitHub';

/** What is to be written for a repository, and why it is so. Throws a Fault where a guess would be a shot in the dark. */
export function planInit({ repository, service: asked, source, workflows }: InitRequest): InitPlan {
  const service = guessService(repository, asked);
  const endpoints = endpointsOf(service.routes);
  const branch = chosenBranch(repository.branch);
  const { repository: home, commit } = source;
  const known = home !== undefined && commit !== undefined;
  const action = { ...placeholder, ...source };
  const schema = known
    ? `https://raw.githubusercontent.com/${home}/${commit}/perf/gate.schema.json`
    : undefined;
  const name = Array.from(plainText(repository.name)).slice(0, longestName).join('') || 'service';
  const written = workflowFiles(workflows, {
    source: action,
    branch: branch.name,
    jdk: service.jdk,
    node: service.node ? nodeInputs(repository) : undefined,
  });
  const paths = endpoints.map(({ path }) => path).join(', ');
  return {
    files: [
      { path: 'perf/gate.yml', text: gateFile(name, service.stack, endpoints, schema) },
      { path: 'perf/scenarios/browse.js', text: scenarioFile(endpoints) },
      ...(service.composeFile === undefined
        ? []
        : [{ path: 'perf/compose.yml', text: composeFile(service.composeFile) }]),
      ...[...written].map(([file, text]) => ({ path: `.github/workflows/${file}`, text })),
    ],
    findings: [
      ...service.findings,
      branch.finding,
      edit(
        `perf/scenarios/browse.js asks for ${paths} only${paths === '/' ? ', which may not be there' : ''}: let it do what your users do`,
      ),
      ...(known
        ? []
        : [
            edit(`put where perf-gate lies in place of ${action.repository} in the workflows: ${whyUnknown}`),
          ]),
    ],
    branch: branch.name,
  };
}

/** In a workflow a branch is a pattern: one with a character that means something there is not taken. */
function chosenBranch(branch: string | undefined): { readonly name: string; readonly finding: Finding } {
  if (branch !== undefined && /^[A-Za-z0-9][\w./-]{0,100}$/.test(branch)) {
    return {
      name: branch,
      finding: found(`${branch} is the default branch: each push to it records a baseline`),
    };
  }
  const why = branch === undefined ? 'git knows no origin/HEAD' : 'its name would be a pattern';
  return {
    name: 'main',
    finding: guessed(`main is the default branch: ${why}; see \`branches\` in perf-baseline.yml`),
  };
}

/** The version that the repository itself asks for, where it does. */
function nodeInputs({ paths, text }: Repository): Readonly<Record<string, string>> {
  if (paths.includes('.nvmrc')) return { 'node-version-file': '.nvmrc' };
  if (/"engines"\s*:\s*\{[^}]{0,200}"node"/.test(text('package.json') ?? '')) {
    return { 'node-version-file': 'package.json' };
  }
  return { 'node-version': '24' };
}
