import { existsSync, readFileSync } from 'node:fs';
import type { Document } from 'yaml';
import type { z } from 'zod';
import {
  type Catalogue,
  catalogueSchema,
  type KeptCatalogue,
  keptCatalogueSchema,
} from '../../model/catalogue.ts';
import { Fault } from '../../model/fault.ts';
import { readJsonFile, shownPath } from '../host/index.ts';
import { find, pathText } from './problem.ts';
import { type Problem, readYaml } from './yaml-file.ts';

function problemsOf(issues: readonly z.core.$ZodIssue[], document: Document): readonly Problem[] {
  return issues.map(({ path, message }) => ({
    code: 'E_CATALOGUE_FILE',
    offset: find(document, path).keyOffset,
    cause: `${pathText(path)}: ${message}`,
    nextStep: 'correct it as .github/docs/catalogue.md of perf-gate describes',
  }));
}

/** Reads and checks a regressions.yml. A wrong file gives one Fault that names its first ten problems. */
export function loadCatalogue(path: string): Catalogue {
  const shown = shownPath(path);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Fault(
      {
        code: 'E_CATALOGUE_MISSING',
        kind: 'usage',
        place: shown,
        cause: `the catalogue cannot be read (${(error as NodeJS.ErrnoException).code})`,
        nextStep: 'write it next to its patches, in the folder `regressions` of the configuration',
      },
      { cause: error },
    );
  }
  return readYaml(text, shown, { schema: catalogueSchema, problemsOf });
}

/** Reads the results that an earlier call kept; none if there is no such file. */
export function loadKeptCatalogue(path: string): KeptCatalogue {
  if (!existsSync(path)) return { schema: 1, results: {} };
  return readJsonFile(path, keptCatalogueSchema, {
    code: 'E_CATALOGUE_RESULTS',
    kind: 'usage',
    place: shownPath(path),
    cause: 'these are no results of a catalogue',
    nextStep: 'restore the file from git, or remove it and check the regressions again',
  });
}
