import { expect, it } from 'vitest';
import { classCounts } from './jvm-profiler.ts';

it('reads the class histogram of a JVM, and nothing around it', () => {
  const printed = `4242:
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:         41206        2967160  [B (java.base@25.0.3)
   2:          1200          96000  com.example.Order$Item
Total         42406        3063160
`;
  expect(classCounts(printed.split('\n'))).toEqual([
    { name: '[B', instances: 41_206, bytes: 2_967_160 },
    { name: 'com.example.Order$Item', instances: 1200, bytes: 96_000 },
  ]);
});
