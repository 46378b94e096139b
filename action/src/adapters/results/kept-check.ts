import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { verdictSchema } from '../../model/verdict.ts';
import { writeResult } from './result-files.ts';

const keptCheckSchema = z.strictObject({
  schema: z.literal(1),
  /** SHA-256 of the code without the patch. */
  code: z.string(),
  /** SHA-256 of the patch, of where the configuration is, and of the stack that was asked for. */
  patch: z.string(),
  measuredAt: z.iso.datetime(),
  /** That the patch was applied to. */
  commit: z.string(),
  verdict: verdictSchema,
});
/** The verdict on a patch, kept so that it need not be measured again. */
export type KeptCheck = z.infer<typeof keptCheckSchema>;

const fileOf = (name: string) => `${name}.json`;

export function writeKeptCheck(directory: string, name: string, check: KeptCheck): Promise<string> {
  return writeResult(directory, fileOf(name), `${JSON.stringify(check)}\n`);
}

/** Undefined without one, or if it has the form of another version of the gate: then the patch is measured again. */
export async function readKeptCheck(directory: string, name: string): Promise<KeptCheck | undefined> {
  try {
    const text = await readFile(join(directory, fileOf(name)), 'utf8');
    return keptCheckSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
