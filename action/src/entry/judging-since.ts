import { basename } from 'node:path';
import { parseConfig } from '../adapters/config/index.ts';
import { changedSince, fileIn, type Git } from '../adapters/git/index.ts';
import { judgingChanges } from '../check/index.ts';
import type { Config } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { JudgingChange } from '../model/verdict.ts';

/** What the configuration and the files of this checkout change about measuring and judging since the base. */
export async function judgingChangesSince(
  git: Git,
  base: string,
  own: Config,
  configPath: string,
): Promise<readonly JudgingChange[]> {
  const place = `${configPath} of ${base.slice(0, 8)}`;
  const name = basename(configPath);
  const [text, files] = await Promise.all([fileIn(git, base, name), changedSince(git, base)]);
  if (text === undefined) return [{ what: name, change: 'new' }];
  const top = await git.line(['rev-parse', '--show-prefix']);
  const config = configOr(text, place);
  if (config === undefined) return [{ what: name, change: 'not readable as the base has it' }];
  return judgingChanges(config, own, files, `${top ?? ''}${name}`);
}

/** Undefined if this version of the gate does not understand it. */
export function configOr(text: string, place: string): Config | undefined {
  try {
    return parseConfig(text, place);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
