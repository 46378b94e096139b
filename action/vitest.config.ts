import { defineConfig } from 'vitest/config';

/** Real processes, containers and timers. */
const real = { testTimeout: 240_000, hookTimeout: 240_000 };

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
            'test/github/**/*.test.ts',
            'test/workflows/**/*.test.ts',
          ],
          // Seconds at most on an idle machine; a busy one is no fault of what is tested.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...real,
          name: 'real',
          include: ['test/contract/**/*.test.ts', 'test/e2e/**/*.test.ts'],
          exclude: [saturating],
          // They mostly wait: one takes about a tenth of two cores.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...real,
          name: 'real-saturating',
          include: [saturating],
          maxWorkers: 1,
          // By itself: it would starve what runs beside it.
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
