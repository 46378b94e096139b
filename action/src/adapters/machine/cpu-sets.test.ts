import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuSets, parseCpuList } from './cpu-sets.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('the CPU sets', () => {
  it.each([0, 1, 2, 3])('are none with %i CPUs', (count) => {
    expect(cpuSets(upTo(count))).toBeUndefined();
  });

  it.each([
    [4, '0-1', '2', '3', 1],
    [5, '0-2', '3', '4', 1],
    [8, '0-3', '4-5', '6-7', 2],
    [16, '0-7', '8-11', '12-15', 4],
  ])('of %i CPUs', (count, service, backing, generator, generatorCpus) => {
    expect(cpuSets(upTo(count))).toEqual({ service, backing, generator, generatorCpus });
  });

  it('take the usable CPUs, whatever their numbers', () => {
    expect(cpuSets([1, 2, 8, 9])).toMatchObject({ service: '1-2', backing: '8', generator: '9' });
    expect(cpuSets([0, 2, 4, 6])).toMatchObject({ service: '0,2' });
  });

  it('share no CPU and omit none', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(255), { minLength: 4, maxLength: 64 }), (numbers) => {
        const cpus = numbers.toSorted((a, b) => a - b);
        const sets = cpuSets(cpus);
        const all = [sets?.service, sets?.backing, sets?.generator].flatMap((list) =>
          parseCpuList(list ?? ''),
        );
        expect(all).toEqual(cpus);
      }),
    );
  });
});

it.each([
  ['0-3', [0, 1, 2, 3]],
  ['0-1,4,6-7\n', [0, 1, 4, 6, 7]],
  ['', []],
])('reads the list %j', (text, cpus) => {
  expect(parseCpuList(text)).toEqual(cpus);
});
