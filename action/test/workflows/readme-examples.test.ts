import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { configSchema } from '../../src/model/config.ts';

interface Job {
  readonly uses: string;
  readonly with: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly name: string;
  readonly on: string | Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Called {
  readonly on: {
    readonly workflow_call: { readonly inputs: Readonly<Record<string, { readonly required?: boolean }>> };
  };
  readonly jobs: Readonly<Record<string, { readonly permissions: Readonly<Record<string, string>> }>>;
}

const root = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const examples = [...readme.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) =>
  parseAllDocuments(text).map((document) => document.toJS() as object),
);
const workflows = examples.filter((one): one is Workflow => 'jobs' in one);

function own(name: string): unknown {
  return parse(readFileSync(join(root, '.github/workflows', name), 'utf8'));
}

it('the README shows the two workflows that a pull request needs', () => {
  expect(workflows.map(({ name }) => name)).toEqual(['perf-gate', 'perf-publish']);
});

describe.each(workflows)('the workflow $name of the README', ({ name, on, permissions, jobs }) => {
  const [job] = Object.values(jobs);
  const path = /^OWNER\/perf-gate\/\.github\/workflows\/([\w-]+\.yml)@v0$/.exec(job?.uses ?? '')?.[1] ?? '';
  const called = own(path) as Called;

  it('runs on the events of our own', () => {
    const { on: events } = own(`${name}.yml`) as Workflow;
    expect(typeof on === 'string' ? { [on]: null } : on).toEqual(events);
  });

  it('gives a workflow of ours all inputs that it needs, and none that it lacks', () => {
    const { inputs } = called.on.workflow_call;
    for (const input of Object.keys(job?.with ?? {})) expect(Object.keys(inputs)).toContain(input);
    const needed = Object.entries(inputs).filter(([, { required }]) => required === true);
    for (const [input] of needed) expect(job?.with).toHaveProperty(input);
  });

  it('grants what the called job asks for, and nothing else', () => {
    expect(Object.values(called.jobs).map((one) => one.permissions)).toEqual([permissions]);
  });
});

it('the configuration of the README is accepted', () => {
  const configs = examples.filter((one) => 'stack' in one);
  expect(configs).toHaveLength(1);
  expect(configSchema.parse(configs[0])).toMatchObject({ version: 1 });
});
