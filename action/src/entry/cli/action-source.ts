import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { GitCheckout } from '../../adapters/git/index.ts';
import type { ActionSource } from '../../init/index.ts';
import type { Settings } from '../settings.ts';

/** What `npm run pack` writes into the package, which is no checkout but may lie within one. */
export const packedSourceFile = 'source.json';
const sourceSchema = z.strictObject({
  repository: z.string().optional(),
  commit: z.string().optional(),
  version: z.string().optional(),
});

/** Where the workflows of another repository get the gate from: as this gate was packed, or as its checkout says. */
export async function actionSource(
  { gateDirectory, env }: Pick<Settings, 'gateDirectory' | 'env'>,
  signal: AbortSignal,
): Promise<Partial<ActionSource>> {
  const packed = join(gateDirectory, packedSourceFile);
  if (existsSync(packed)) return defined(sourceSchema.parse(JSON.parse(readFileSync(packed, 'utf8'))));
  const gate = new GitCheckout(gateDirectory, env, signal);
  const [repository, release, commit] = [await gate.gitHubName(), await gate.release(), await gate.commit()];
  return defined({ repository, ...(release ?? { commit }) });
}

function defined(source: { readonly [Key in keyof ActionSource]?: ActionSource[Key] | undefined }) {
  return Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined),
  ) as Partial<ActionSource>;
}
