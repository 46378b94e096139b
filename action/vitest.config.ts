import { defineConfig } from 'vitest/config';

/** Real processes, containers and timers. These limits end a test that hangs, and not one on a slow machine. */
const real = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } };

const saturating = 'test/e2e/reference-stack.test.ts';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
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
          // A test takes seconds at most on an idle machine; a busy one must not fail it.
          testTimeout: 60_000,
        },
      },
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
