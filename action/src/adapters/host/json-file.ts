import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { Fault, type FaultDetails } from '../../model/fault.ts';

/** What a JSON file holds. Throws the given Fault if the file cannot be read, or holds something else. */
export function readJsonFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  fault: FaultDetails,
): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Fault(fault, { cause: error });
  }
}
