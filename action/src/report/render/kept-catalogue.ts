import type { Catalogue, KeptCatalogue } from '../../model/catalogue.ts';
import { expectedText, redText, sentenceOf } from '../content/catalogue.ts';
import { capitalised } from '../format/phrase.ts';
import { table } from './detection-cells.ts';

const shortCommit = 8;

interface Known {
  readonly wanted: Catalogue['regressions'][string];
  readonly found: KeptCatalogue['results'][string];
}

function isCorrected({ wanted, found }: Known): boolean {
  return wanted.corrected && found.result === 'caught';
}

/** The kept results of a catalogue for a document: a sentence, a table, and what was not checked yet. */
export function keptCatalogueText({ regressions }: Catalogue, { results }: KeptCatalogue): string {
  const names = Object.keys(regressions);
  const missing = names.filter((name) => results[name] === undefined);
  const known = names.flatMap((name) => {
    const [wanted, found] = [regressions[name], results[name]];
    return wanted === undefined || found === undefined ? [] : [{ name, wanted, found }];
  });
  const rows = known.map(({ name, wanted, found }) => {
    const { result, outcome, red, spared, cause = '', minutes, commit, measuredAt } = found;
    return [
      `${name}: ${wanted.title}`,
      expectedText(wanted.expect, wanted.red),
      isCorrected({ wanted, found }) ? `${result}, as corrected` : result,
      red.length > 0 ? redText(red, spared) : `none (${outcome})`,
      cause,
      minutes.toFixed(1),
      `${commit.slice(0, shortCommit)}, ${measuredAt.slice(0, 10)}`,
    ];
  });
  const header = ['regression', 'must turn red', 'result', 'red', 'cause named', 'min', 'commit, day'];
  const machines = new Set(
    known.map(
      ({
        found: {
          machine: { cpuModel, cpuCount },
        },
      }) => `${cpuModel}, ${cpuCount} cores`,
    ),
  );
  const corrected = known.filter(isCorrected).length;
  return [
    [
      capitalised(sentenceOf(known.map(({ found }) => found))),
      ...(corrected === 0 ? [] : [`${corrected} of those caught are as corrected.`]),
    ].join(' '),
    ...(rows.length === 0 ? [] : [table([header, ...rows], 5), `Measured on ${[...machines].join('; ')}.`]),
    ...(missing.length === 0 ? [] : [`Not checked yet: ${missing.join(', ')}.`]),
  ].join('\n\n');
}
