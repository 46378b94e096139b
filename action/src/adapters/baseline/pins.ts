import { baselineRefusal } from '../../check/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Pin } from '../../model/pin.ts';
import { parsePin } from './baseline-json.ts';

export const pinFolder = 'pins';

/** Name of the pin's file in its folder. The characters of a pin's name are harmless there. */
export function pinFile(name: string): string {
  return `${name}.json`;
}

export interface PinText {
  /** Where the text stands, such as a path. */
  readonly place: string;
  /** The name of its file, without folder. */
  readonly file: string;
  readonly text: string;
}

/** The pins, ordered by the time of their runs. Throws a Fault at the first that cannot be read. */
export function parsePins(texts: readonly PinText[]): readonly Pin[] {
  const pins = texts.map(({ place, file, text }) => {
    const parsed = parsePin(text, place);
    if (parsed.kind !== 'parsed') throw baselineRefusal(parsed, 'measurement');
    if (pinFile(parsed.value.name) !== file) {
      const cause = `the file holds the pin ${parsed.value.name}, which does not match its name`;
      throw baselineRefusal({ kind: 'corrupt', place, cause }, 'measurement');
    }
    return parsed.value;
  });
  return pins.toSorted((a, b) => Date.parse(a.run.startedAt) - Date.parse(b.run.startedAt));
}

/** Whether there is nothing to write. A name that moved would change what a report says about an earlier release. */
export function isPinned(pins: readonly Pin[], { name, run }: Pin, place: string): boolean {
  const same = pins.find((pin) => pin.name === name);
  if (same === undefined) return false;
  if (same.run.id === run.id) return true;
  throw new Fault({
    code: 'E_BASELINE_PIN_TAKEN',
    kind: 'usage',
    place,
    cause: `${name} is the name of run ${same.run.id} already`,
    nextStep: `take another name, or first free this one: baseline unpin ${name}`,
  });
}
