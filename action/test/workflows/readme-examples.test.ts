import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { gateInputNames } from '../../src/entry/github/inputs.ts';
import { planInit } from '../../src/init/init-plan.ts';
import { configSchema } from '../../src/model/config.ts';
import { repositories } from '../init/repositories.ts';
import { ownWorkflows, source } from '../init/repository.ts';

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly on: string | Readonly<Record<string, unknown>>;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
const examples = [...readme.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

function example(key: 'jobs' | 'stack'): string {
  const found = examples.filter((text) => key in (parse(text) as object));
  expect(found, `examples with ${key}`).toHaveLength(1);
  return found[0] ?? '';
}

/** The workflow that `gate init` writes for a Node service. */
function writtenWorkflow(): string {
  const { node } = repositories;
  if (node === undefined) throw new Error('no repository of a Node service');
  const { files } = planInit({ repository: node, service: undefined, source, workflows: ownWorkflows });
  return files.find(({ path }) => path.endsWith('/perf-gate.yml'))?.text ?? '';
}

/** A step of the README as `init` writes it, but for the commit that `init` pins the action to. */
function withoutPins(steps: readonly Step[]): Step[] {
  return steps.map(({ uses, with: inputs }) => ({
    ...(uses === undefined ? {} : { uses: uses.replace(/@.*$/, '').replace(/^octo\//, 'OWNER/') }),
    ...(inputs === undefined ? {} : { with: inputs }),
  }));
}

it("the workflow of the README is the one that `init` writes, with an action's tag instead of its commit", () => {
  const shown = parse(example('jobs')) as Workflow;
  const written = parse(writtenWorkflow()) as Workflow;
  expect(written.on).toHaveProperty([String(shown.on)]);
  expect(shown.permissions).toEqual(written.permissions);
  expect(Object.keys(shown.jobs)).toEqual(Object.keys(written.jobs));
  for (const [name, { steps, ...job }] of Object.entries(shown.jobs)) {
    const { steps: all = [], ...rest } = written.jobs[name] ?? {};
    expect(rest).toMatchObject(job);
    const known = withoutPins(all);
    expect(steps.length).toBeGreaterThan(3);
    for (const step of withoutPins(steps)) {
      expect(known).toContainEqual({ ...step, with: expect.objectContaining(step.with ?? {}) });
    }
  }
});

it('the workflow of the README passes only inputs that the action has', () => {
  const { jobs } = parse(example('jobs')) as Workflow;
  const gate = Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .filter(({ uses }) => uses?.startsWith('OWNER/perf-gate/action@'));
  expect(gate).toHaveLength(1);
  for (const input of Object.keys(gate[0]?.with ?? {})) expect(gateInputNames).toContain(input);
});

it('the tags in the README are those of the commits that `init` pins', () => {
  const tags = [...example('jobs').matchAll(/uses: (actions\/[\w-]+)@(v\d+)(?= |$)/gm)];
  expect(tags).toHaveLength(3);
  for (const [, action, tag] of tags) {
    expect(writtenWorkflow()).toMatch(
      new RegExp(`uses: ${action}@[0-9a-f]{40} # ${tag}\\.\\d+\\.\\d+$`, 'm'),
    );
  }
});

it('the configuration of the README is accepted', () => {
  expect(configSchema.parse(parse(example('stack')))).toMatchObject({ version: 1 });
});
