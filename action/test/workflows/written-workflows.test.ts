import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { planInit } from '../../src/init/init-plan.ts';
import { repositories } from '../init/repositories.ts';
import { ownWorkflows, source } from '../init/repository.ts';

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Job {
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, { readonly branches?: readonly string[] } | null>>;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const names = ['perf-gate.yml', 'perf-baseline.yml', 'perf-publish.yml'] as const;

function written(name: keyof typeof repositories, from: Parameters<typeof planInit>[0]['source'] = source) {
  const repository = repositories[name];
  if (repository === undefined) throw new Error(`no repository is called ${name}`);
  const { files } = planInit({ repository, service: undefined, source: from, workflows: ownWorkflows });
  const texts = new Map(
    files.flatMap(({ path, text }) => {
      const file = /^\.github\/workflows\/(.+)$/.exec(path)?.[1];
      return file === undefined ? [] : [[file, text] as const];
    }),
  );
  const of = (file: string) => parse(texts.get(file) ?? '') as Workflow;
  const stepsOf = (file: string) => Object.values(of(file).jobs).flatMap(({ steps }) => steps);
  return { texts, of, stepsOf };
}

describe('the workflows for another repository', () => {
  it.each(names)('%s equals ours, except for the gate and the build tools', (name) => {
    const { of } = written('node');
    const own = parse(ownWorkflows[name]) as Workflow;
    const theirs = of(name);
    const withoutSteps = ({ jobs, ...rest }: Workflow) => ({
      ...rest,
      on: Object.keys(rest.on),
      jobs: Object.fromEntries(Object.entries(jobs).map(([job, { steps: _, ...all }]) => [job, all])),
    });
    expect(withoutSteps(theirs)).toEqual(withoutSteps(own));
    expect(theirs.permissions).toEqual({});
  });

  it('pin the gate by full commit with its release as a comment, and everything else as we do', () => {
    const { texts } = written('spring-maven');
    const ownPins = new Set(
      Object.values(ownWorkflows).flatMap((text) => text.match(/uses: [^.]\S+ # v.+$/gm)),
    );
    const uses = [...texts.values()].flatMap((text) => text.match(/\buses: .+$/gm) ?? []);
    const gateUses = uses.filter((line) => line.includes('octo/'));
    expect(gateUses).toEqual([
      `uses: octo/perf-gate/action@${source.commit} # v1.2.3`,
      `uses: octo/perf-gate/action@${source.commit} # v1.2.3`,
      `uses: octo/perf-gate/action/record@${source.commit} # v1.2.3`,
      `uses: octo/perf-gate/action/publish@${source.commit} # v1.2.3`,
    ]);
    for (const line of uses.filter((one) => !gateUses.includes(one))) expect(ownPins).toContain(line);
  });

  it('contain nothing specific to our own repository', () => {
    for (const name of Object.keys(repositories)) {
      for (const [file, text] of written(name).texts) {
        expect(text, `${name} ${file}`).not.toMatch(/\.\/action|self-repository|db\/|\.m2|\.test\.ts/);
      }
    }
  });

  it('set up only the tools that build the service', () => {
    const setups = (name: string, workflow = 'perf-gate.yml') =>
      written(name)
        .stepsOf(workflow)
        .filter(({ uses = '' }) => uses.includes('/setup-'))
        .map(({ uses = '', with: inputs }) => [uses.split('@')[0], inputs]);
    expect(setups('spring-maven')).toEqual([
      ['actions/setup-java', { distribution: 'temurin', 'java-version': '25' }],
    ]);
    expect(setups('spring-gradle')[0]?.[1]).toMatchObject({ 'java-version': '21' });
    expect(setups('node')).toEqual([['actions/setup-node', { 'node-version-file': 'package.json' }]]);
    for (const workflow of ['perf-gate.yml', 'perf-baseline.yml']) {
      expect(setups('spring-maven-jar', workflow)[0]?.[1]).toMatchObject({ 'java-version': '25' });
      expect(setups('spring-gradle-jar', workflow)[0]?.[1]).toMatchObject({ 'java-version': '21' });
      expect(setups('spring-maven-backing', workflow)[0]?.[1]).toMatchObject({ 'java-version': '25' });
    }
    for (const name of ['spring-maven-compose', 'go', 'python-dockerfile', 'python-dockerfile-backing'])
      expect(setups(name)).toEqual([]);
  });

  it('record the default branch, and never a pattern', () => {
    const branches = (name: string) => written(name).of('perf-baseline.yml').on.push?.branches;
    expect(branches('node')).toEqual(['trunk']);
    expect(branches('hostile')).toEqual(['main']);
  });

  it('have a placeholder for an unknown owner', () => {
    const { texts } = written('go', { commit: source.commit });
    expect(texts.get('perf-publish.yml')).toContain(`OWNER/perf-gate/action/publish@${source.commit}\n`);
  });
});
