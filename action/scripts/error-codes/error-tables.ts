import { markdownTable } from 'markdown-table';
import { invalidCodes, reasonInGeneral } from '../../src/model/invalid-reason.ts';
import { cell, code, plain } from '../action-tables.ts';
import { type CodeSite, codeSites } from './code-sites.ts';

/** `die CODE PLACE CAUSE NEXT` of the launcher, with quoted or bare arguments. */
const launcherError = /\bdie (E_[A-Z0-9_]+)((?:\s+(?:\\\n\s*)?(?:"(?:[^"\\]|\\.)*"|'[^']*'|\S+)){3})/g;
const shellArgument = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g;

function shellText(text: string): string {
  return text.replace(/\$\{?\w+\}?|\$\(.*?\)/g, '…').replaceAll('\\', '');
}

function launcherSites(launcher: string): CodeSite[] {
  return [...launcher.matchAll(launcherError)].map(([, name = '', rest = '']) => {
    const [, cause = '', nextStep = ''] = [...rest.replaceAll('\\\n', ' ').matchAll(shellArgument)].map(
      ([, double, single, bare]) => shellText(double ?? single ?? bare ?? ''),
    );
    return {
      code: name,
      folder: 'gate',
      texts: { kind: ['usage'], cause: [cause], nextStep: [nextStep] },
    };
  });
}

function sentences(texts: readonly string[]): string {
  const distinct = [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
  // An angle bracket would begin a tag, and a new line would end the table.
  return distinct
    .map((text) =>
      cell(
        text
          .replaceAll('<', '&lt;')
          .replaceAll(/\s*\n\s*/g, ' ')
          .replaceAll(/…+/g, '…'),
      ),
    )
    .map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
    .join('<br>');
}

function rowsOf(sites: readonly CodeSite[]): [string, readonly CodeSite[]][] {
  return [...Map.groupBy(sites, ({ code: name }) => name)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
}

function exitCodes(sites: readonly CodeSite[]): string {
  const kinds = new Set(sites.flatMap(({ texts }) => texts.kind));
  return [...(kinds.has('usage') ? ['2'] : []), ...(kinds.has('measurement') ? ['3'] : [])].join(', ');
}

function foldersOf(sites: readonly CodeSite[]): string {
  return [...new Set(sites.map(({ folder }) => folder))].toSorted().map(code).join(', ');
}

function textsOf(sites: readonly CodeSite[], name: 'cause' | 'nextStep'): string {
  return sentences(sites.flatMap(({ texts }) => texts[name]));
}

/** Every `E_` code of the source (path below src, text) and of the launcher. */
export function errorTable(sources: ReadonlyMap<string, string>, launcher: string): string {
  const sites = [...codeSites(sources), ...launcherSites(launcher)];
  const rows = rowsOf(sites).map(([name, ofCode]) => [
    code(name),
    exitCodes(ofCode),
    foldersOf(ofCode),
    textsOf(ofCode, 'cause'),
    textsOf(ofCode, 'nextStep'),
  ]);
  return markdownTable([['code', 'exit', 'raised in', 'what happened', 'next step'], ...rows], plain);
}

/** Every reason why a run or a cell is invalid. */
export function reasonTable(): string {
  const rows = invalidCodes
    .map(reasonInGeneral)
    .map((reason) => [code(reason.code), sentences([reason.cause]), sentences([reason.nextStep])]);
  return markdownTable([['code', 'what happened', 'next step'], ...rows], plain);
}
