import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
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
          name: 'real',
          include: ['test/contract/**/*.test.ts', 'test/e2e/**/*.test.ts'],
          // Real processes on two cores: one file at a time, so that they do not starve one another.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
