import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Real processes, containers and timers. These limits end a test that hangs, and not one on a slow machine. */
const real = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } };

const saturating = 'test/e2e/reference-stack.test.ts';

/** A test takes seconds at most on an idle machine; a busy one must not fail it. */
const unit = {
  testTimeout: 60_000,
  maxWorkers: 2,
  restoreMocks: true,
  expect: { poll: { timeout: 50_000 } },
};

/** These read or change what a process has once: its environment, its memory, its children. */
const needsOwnProcess = [
  'src/adapters/k6/samples.test.ts',
  'src/adapters/machine/linux-machine.test.ts',
  'src/entry/action/gate-action.test.ts',
  'src/entry/cli/beside-neighbour.test.ts',
  'src/init/service/service.test.ts',
  'test/github/github.test.ts',
  'test/github/publish.test.ts',
  'test/github/record.test.ts',
  'test/github/zip-file.test.ts',
];

/** The longest real tests go first. A fresh clone does not know how long tests take, and a long one at the end delays it. */
const longest = [
  'e2e/compose',
  'e2e/side-by-side',
  'e2e/workflows',
  'e2e/check',
  'e2e/foreign',
  'e2e/action',
  'e2e/action-base',
  'e2e/sweep',
  'contract/k6',
  'e2e/open-load',
  'e2e/soak',
  'e2e/influxdb',
  'e2e/cancelled-compose',
  'e2e/catalogue',
  'e2e/calibrate',
  'e2e/staircase',
  'e2e/cancelled-process',
  'e2e/instances',
  'e2e/cancelled-remote',
  'e2e/peak',
  'contract/compose',
  'e2e/action-cache',
  'contract/scenarios',
  'e2e/own-script',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...unit,
          name: 'unit',
          // These tests keep nothing in a module, so they may share its imports.
          isolate: false,
          exclude: needsOwnProcess,
          include: [
            'src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'test/simulation/**/*.test.ts',
            'test/recorded/**/*.test.ts',
            'test/golden/**/*.test.ts',
            'test/load/**/*.test.ts',
            'test/github/**/*.test.ts',
            'test/workflows/**/*.test.ts',
          ],
        },
      },
      { test: { ...unit, name: 'unit-isolated', include: needsOwnProcess } },
      {
        test: {
          ...real,
          name: 'real',
          include: ['test/contract/**/*.test.ts', 'test/e2e/**/*.test.ts'],
          exclude: [saturating],
          // These tests mostly wait: one takes about a tenth of two cores.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...real,
          name: 'real-saturating',
          include: [saturating],
          maxWorkers: 1,
          // This file loads all cores, so it runs alone.
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
