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

it('leaves out what fills gaps of the heap', () => {
  const rows = [
    '   1:            97       14680064  [Ljdk.internal.vm.FillerElement; (java.base@25.0.3)',
    '   2:             3             48  jdk.internal.vm.FillerObject (java.base@25.0.3)',
    '   3:            10            240  java.lang.String (java.base@25.0.3)',
  ];
  expect(classCounts(rows)).toEqual([{ name: 'java.lang.String', instances: 10, bytes: 240 }]);
});
