import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { gateInputNames } from '../../src/entry/action/inputs.ts';
import { configSchema } from '../../src/model/config.ts';

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly steps: readonly {
          readonly uses: string;
          readonly with: Readonly<Record<string, unknown>>;
        }[];
      }
    >
  >;
}

const root = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const examples = [...readme.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

function example(key: 'jobs' | 'stack'): string {
  const found = examples.filter((text) => key in (parse(text) as object));
  expect(found, `examples with ${key}`).toHaveLength(1);
  return found[0] ?? '';
}

function pinsOf(text: string): string[] {
  return [...text.matchAll(/uses: ([\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/gm)].map(
    ([, pin = '']) => pin,
  );
}

it("the README's workflow pins the same commits as ours and uses existing inputs", () => {
  const text = example('jobs');
  const folder = join(root, '.github/workflows');
  const ours = readdirSync(folder).flatMap((name) => pinsOf(readFileSync(join(folder, name), 'utf8')));
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const gate = steps.filter(({ uses }) => uses === 'OWNER/perf-gate/action@COMMIT');
  const pins = pinsOf(text);
  expect(permissions).toEqual({});
  expect(gate).toHaveLength(1);
  expect(pins).toHaveLength(steps.length - gate.length);
  for (const pin of pins) expect(ours).toContain(pin);
  for (const input of Object.keys(gate[0]?.with ?? {})) expect(gateInputNames).toContain(input);
});

it("the README's configuration is valid", () => {
  expect(configSchema.parse(parse(example('stack')))).toMatchObject({ version: 1 });
});
