import { isScalar, parseDocument, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { reusableGateFolder } from '../src/entry/gate-command.ts';

const inputs = {
  owner: { description: 'The account that holds perf-gate.', type: 'string', required: true },
  ref: { description: 'Commit or tag of perf-gate.', type: 'string', default: 'v0' },
  config: { description: 'Path of the configuration.', type: 'string', default: 'perf/gate.yml' },
  suite: { description: 'The suite to run.', type: 'string', default: 'pr' },
  artifact: {
    description: 'Name of the artifact that one workflow hands to the next. Each gate needs its own.',
    type: 'string',
    default: 'perf-gate-report',
  },
} as const;

const comparing = {
  compare: { description: 'As in the Action.', type: 'string', default: 'auto' },
  'fail-on': { description: 'As in the Action.', type: 'string', default: 'regression, invalid' },
} as const;

const measuring = {
  cache: { description: 'As in the Action.', type: 'string', default: '' },
  'java-version': { description: 'Major version of the JDK; none if empty.', type: 'string', default: '' },
  'node-version': {
    description: 'Version of Node; that of the runner if empty.',
    type: 'string',
    default: '',
  },
  'runs-on': { description: 'Label of the runner that measures.', type: 'string', default: 'ubuntu-24.04' },
} as const;

/** The workflows that other repositories can call, each made from the one that this repository runs. */
const kinds = {
  'perf-gate.yml': { ...inputs, ...comparing, ...measuring },
  'perf-baseline.yml': {
    ...inputs,
    artifact: { ...inputs.artifact, default: 'perf-gate-baseline' },
    ...measuring,
  },
  'perf-publish.yml': {
    ...inputs,
    comment: { description: 'As in `action/publish`.', type: 'string', default: 'on-change' },
    'fail-on': {
      description: 'As in `action/publish`.',
      type: 'string',
      default: 'regression,invalid,noise,undecided',
    },
  },
} as const;

type Own = keyof typeof kinds;

export function reusableName(own: string): string {
  return own.replace('perf-', 'call-');
}

/** The reusable workflows by name. `pinOf` gives `action@commit # version` of an action that the repository uses. */
export function reusableWorkflows(
  own: ReadonlyMap<string, string>,
  pinOf: (action: string) => string,
): ReadonlyMap<string, string> {
  return new Map(
    (Object.keys(kinds) as Own[]).map((name) => [
      reusableName(name),
      reusable(own.get(name) ?? '', name, pinOf),
    ]),
  );
}

function reusable(text: string, own: Own, pinOf: (action: string) => string): string {
  const document = parseDocument(text);
  document.commentBefore = null;
  document.set('name', reusableName(own).replace('.yml', ''));
  const call = document.createNode({ workflow_call: { inputs: kinds[own] } });
  document.set('on', call);
  document.delete('concurrency');
  for (const { value } of (document.get('jobs') as YAMLMap).items) {
    const job = value as YAMLMap;
    if (job.get('runs-on') !== undefined && 'runs-on' in kinds[own] && job.get('name') !== 'record') {
      job.set('runs-on', '${{ inputs.runs-on }}');
    }
    const steps = job.get('steps') as YAMLSeq<YAMLMap>;
    steps.items = steps.items.flatMap((step): YAMLMap[] => {
      const uses = step.get('uses', true);
      if (!isScalar<string>(uses)) return [step];
      if (uses.value.startsWith('actions/setup-java@')) {
        step.set('if', "${{ inputs.java-version != '' }}");
        step.setIn(['with', 'java-version'], '${{ inputs.java-version }}');
        const node = {
          if: "${{ inputs.node-version != '' }}",
          uses: '',
          with: { 'node-version': '${{ inputs.node-version }}' },
        };
        return [step, withUses(document.createNode(node) as YAMLMap, pinOf('actions/setup-node'))];
      }
      if (uses.value.startsWith('actions/upload-artifact@')) {
        rename(step);
        return [step];
      }
      if (!uses.value.startsWith('./action')) return [step];
      uses.value = `./${reusableGateFolder}${uses.value.slice(1)}`;
      uses.comment =
        ' zizmor: ignore[self-repository] checked out by the step before, at the commit or tag of the input';
      setInputs(document, step, own);
      const checkout = {
        uses: '',
        with: {
          repository: '${{ inputs.owner }}/perf-gate',
          ref: '${{ inputs.ref }}',
          path: reusableGateFolder,
          'persist-credentials': false,
        },
      };
      return [withUses(document.createNode(checkout) as YAMLMap, pinOf('actions/checkout')), step];
    });
  }
  const note = `# Made from ${own} by \`npm run generate\` in action/, for other repositories to call.\n`;
  return `${note}${document.toString({ lineWidth: 0, flowCollectionPadding: false })}`;
}

function withUses(step: YAMLMap, pin: string): YAMLMap {
  const [uses = '', version] = pin.split(' # ');
  const node = step.get('uses', true) as Scalar;
  node.value = uses;
  if (version !== undefined) node.comment = ` ${version}`;
  return step;
}

/** The artifact has the name of the input. A page of its own name would collide with that of another gate. */
function rename(step: YAMLMap): void {
  if (step.get('id') !== 'html') {
    step.setIn(['with', 'name'], '${{ inputs.artifact }}');
    return;
  }
  step.setIn(['with', 'name'], '${{ inputs.artifact }}-page');
  step.setIn(['with', 'archive'], "${{ inputs.artifact != 'perf-gate-report' }}");
}

function setInputs(document: ReturnType<typeof parseDocument>, step: YAMLMap, own: Own): void {
  const given = Object.keys(kinds[own]).filter(
    (name) => !['owner', 'ref', 'java-version', 'node-version', 'runs-on'].includes(name),
  );
  const isMeasuring = step.get('id') === 'gate';
  const names = given.filter((name) =>
    isMeasuring ? name !== 'artifact' : own === 'perf-publish.yml' || name in inputs,
  );
  const present = (step.get('with') as YAMLMap | undefined)?.toJSON() ?? {};
  const { 'cache-path': _, ...kept } = present as Record<string, unknown>;
  const all = { ...kept, ...Object.fromEntries(names.map((name) => [name, `\${{ inputs.${name} }}`])) };
  step.set('with', document.createNode(all));
}
