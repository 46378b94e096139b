import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Config, configSchema } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { shownPath } from '../host/index.ts';
import { problemsOf } from './problem.ts';
import { readYaml } from './yaml-file.ts';

interface LoadedConfig {
  readonly config: Config;
  /** Absolute folder of the file, from which its relative paths start. */
  readonly directory: string;
}

/** Much larger than any file that people write, and small enough to parse as a whole. */
const largestBytes = 256 * 1024;

function unreadable(place: string, cause: string, nextStep: string, error?: unknown): Fault {
  return new Fault({ code: 'E_CONFIG_READ', kind: 'usage', place, cause, nextStep }, { cause: error });
}

function read(path: string, place: string): string {
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > largestBytes) {
      const cause = `the file has ${size} bytes; a configuration may have at most ${largestBytes}`;
      throw unreadable(place, cause, 'name the right file with --config');
    }
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof Fault) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new Fault(
        {
          code: 'E_CONFIG_MISSING',
          kind: 'usage',
          place,
          cause: 'no such file',
          nextStep:
            'run in the folder that contains perf/gate.yml, name the file with --config, or create one with `gate init`',
        },
        { cause: error },
      );
    }
    const cause = code === 'EISDIR' ? 'this is a folder, not a file' : `the file cannot be read (${code})`;
    throw unreadable(place, cause, 'name a readable file with --config', error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const nextStep = 'save it as UTF-8, or name the right file with --config';
    throw unreadable(place, 'the file is not UTF-8 text', nextStep, error);
  }
}

/** Reads and checks a gate.yml. A wrong file gives one Fault that names its first ten problems. */
export function loadConfig(path: string): LoadedConfig {
  const absolute = resolve(path);
  const shown = shownPath(absolute);
  return { config: parseConfig(read(absolute, shown), shown), directory: dirname(absolute) };
}

/** Checks the text of a gate.yml, which messages call `shown`. */
export function parseConfig(text: string, shown: string): Config {
  return readYaml(text, shown, { schema: configSchema, problemsOf });
}
