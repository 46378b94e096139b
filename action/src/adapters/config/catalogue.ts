import { existsSync, readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import {
  type Catalogue,
  catalogueSchema,
  type KeptCatalogue,
  keptCatalogueSchema,
} from '../../model/catalogue.ts';
import { Fault } from '../../model/fault.ts';
import { shownPath } from '../host/index.ts';
import { find } from './problem.ts';

const mostProblemsShown = 10;

function refused(place: string, cause: string): Fault {
  return new Fault({
    code: 'E_CATALOGUE_FILE',
    kind: 'usage',
    place,
    cause,
    nextStep: 'correct it as .github/docs/catalogue.md of perf-gate describes',
  });
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
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, stringKeys: true });
  const placeAt = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return `${shown}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const [broken] = document.errors;
  if (broken !== undefined) throw refused(placeAt(broken.pos[0]), broken.message);
  const checked = catalogueSchema.safeParse(document.toJS());
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(({ path: keys, message }) => ({
    place: placeAt(find(document, keys).keyOffset),
    cause: `${keys.length === 0 ? 'the file' : keys.map(String).join('.')}: ${message}`,
  }));
  const [first = { place: shown, cause: 'the file is no catalogue' }, ...others] = problems;
  const more = others.slice(0, mostProblemsShown - 1).map(({ place, cause }) => `${place}: ${cause}`);
  throw refused(first.place, [first.cause, ...more].join('\n'));
}

/** Reads the results that an earlier call kept; none if there is no such file. */
export function loadKeptCatalogue(path: string): KeptCatalogue {
  if (!existsSync(path)) return { schema: 1, results: {} };
  try {
    return keptCatalogueSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new Fault(
      {
        code: 'E_CATALOGUE_RESULTS',
        kind: 'usage',
        place: shownPath(path),
        cause: 'these are no results of a catalogue',
        nextStep: 'restore the file from git, or remove it and check the regressions again',
      },
      { cause: error },
    );
  }
}
