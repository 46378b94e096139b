import { type Document, isMap, isScalar, parseDocument, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';

/** Where a workflow gets the gate from. */
export interface ActionSource {
  /** `owner/name` on GitHub. */
  readonly repository: string;
  /** Full commit, because a tag can move. */
  readonly commit: string;
  /** The release of the commit, such as `v1.2.3`; undefined if it has none. */
  readonly version?: string;
}

/** The gate's own workflows, by file name. The new workflows keep their pins and permissions. */
export type OwnWorkflows = Readonly<Record<WorkflowName | 'release.yml', string>>;
export type WorkflowName = 'perf-gate.yml' | 'perf-baseline.yml' | 'perf-publish.yml';

export interface WorkflowNeeds {
  readonly source: ActionSource;
  readonly branch: string;
  /** Major version of the JDK; undefined for none. */
  readonly jdk: string | undefined;
  /** Inputs of actions/setup-node; undefined for none. */
  readonly node: Readonly<Record<string, string>> | undefined;
}

const names: readonly WorkflowName[] = ['perf-gate.yml', 'perf-baseline.yml', 'perf-publish.yml'];

/** The three workflows: measure pull requests, record the default branch, comment. */
export function workflowFiles(own: OwnWorkflows, needs: WorkflowNeeds): ReadonlyMap<WorkflowName, string> {
  return new Map(names.map((name) => [name, workflowFile(own, name, needs)]));
}

function workflowFile(own: OwnWorkflows, name: WorkflowName, needs: WorkflowNeeds): string {
  const document = parseDocument(own[name]);
  const jobs = document.get('jobs') as YAMLMap;
  for (const { value } of jobs.items) {
    const steps = (value as YAMLMap).get('steps') as YAMLSeq<YAMLMap>;
    steps.items = steps.items.flatMap((step) => adapted(document, own, step, needs));
  }
  if (name === 'perf-baseline.yml') {
    document.setIn(['on', 'push', 'branches'], document.createNode([needs.branch], { flow: true }));
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** Adapts a step to another repository: the gate by its commit, and only the tools that the service needs. */
function adapted(document: Document, own: OwnWorkflows, step: YAMLMap, needs: WorkflowNeeds): YAMLMap[] {
  const { jdk, node, source } = needs;
  const uses = step.get('uses', true);
  if (!isScalar<string>(uses)) return [step];
  if (uses.value.startsWith('actions/setup-java@')) {
    const setups = node === undefined ? [] : [setupNode(document, own, node)];
    if (jdk === undefined) return setups;
    step.setIn(['with', 'java-version'], quoted(document, jdk));
    return [step, ...setups];
  }
  if (uses.value.startsWith('./action')) {
    uses.value = `${source.repository}${uses.value.slice(1)}@${source.commit}`;
    if (source.version === undefined) delete uses.comment;
    else uses.comment = ` ${source.version}`;
    // The cache inputs name files of the reference service.
    const inputs = step.get('with');
    if (isMap(inputs)) for (const input of ['cache', 'cache-path']) inputs.delete(input);
  }
  return [step];
}

function setupNode(document: Document, own: OwnWorkflows, inputs: Readonly<Record<string, string>>): YAMLMap {
  const pin = /uses: (actions\/setup-node@[0-9a-f]{40}) # (v[\d.]+)/.exec(own['release.yml']);
  if (pin === null) throw new Error('release.yml does not pin actions/setup-node');
  const step = document.createNode({ uses: pin[1], with: inputs }) as YAMLMap;
  (step.get('uses', true) as Scalar).comment = ` ${pin[2]}`;
  return step;
}

function quoted(document: Document, text: string): Scalar {
  const node = document.createNode(text) as Scalar;
  node.type = 'QUOTE_SINGLE';
  return node;
}
