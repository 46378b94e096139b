import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** Counts the tests in the JUnit reports of a folder. Vitest writes one file, Maven one per test class. */
export function countTests(folder: string): Counts {
  let passed = 0;
  let failed = 0;
  for (const file of globSync('{junit.xml,*-reports/*.xml}', { cwd: folder })) {
    // Not up to the next `>`, which names of suites contain.
    const elements = readFileSync(join(folder, file), 'utf8').split('<');
    for (const suite of elements.filter((element) => /^testsuite\s/.test(element))) {
      const count = (name: string) => Number(new RegExp(`\\s${name}="(\\d+)`).exec(suite)?.[1] ?? 0);
      const bad = count('failures') + count('errors');
      failed += bad;
      passed += count('tests') - bad - count('skipped');
    }
  }
  return { passed, failed };
}
