import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The k6 that the tests run. */
export function findK6(): string {
  const named = process.env.GATE_K6;
  const places = named ? [named] : (process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, 'k6'));
  const found = places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined)
    throw new Error('These tests need k6 2.2: put it on the PATH or name it in GATE_K6.');
  return found;
}
