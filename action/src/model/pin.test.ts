import { expect, it } from 'vitest';
import { buildRun } from '../../test/contract/run-builder.ts';
import { type Pin, pinSchemaVersion, withPinned } from './pin.ts';

const pin = (number: number, name = `v${number}`): Pin => ({
  schema: pinSchemaVersion,
  name,
  pinnedAt: '2026-02-01T00:00:00.000Z',
  run: buildRun(number),
});
const ids = (stored: readonly number[], pins: readonly Pin[]) =>
  withPinned(
    stored.map((number) => buildRun(number)),
    pins,
  ).map(({ id }) => id);

it('puts runs that only a pin keeps among the stored ones by their time, each once', () => {
  const pins = [pin(9), pin(1), pin(4), pin(4, 'again'), pin(5)];
  expect(ids([3, 5, 7], pins)).toEqual(['run-1', 'run-3', 'run-4', 'run-5', 'run-7', 'run-9']);
});

it('leaves stored runs in the order of their commits', () => {
  expect(ids([1, 12, 2], [pin(7)])).toEqual(['run-1', 'run-7', 'run-12', 'run-2']);
});
