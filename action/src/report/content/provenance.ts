import type { Verdict } from '../../model/verdict.ts';
import { formatSeconds } from '../format/number.ts';
import { countOf } from './cell-state.ts';
import { baseText, shortCommit } from './comparison-note.ts';

export interface ProvenanceFact {
  readonly label: string;
  readonly text: string;
}

/** Where the figures come from: commits, rounds, machine, versions; and where all of them are, if a folder is given. */
export function provenance(verdict: Verdict, resultDirectory?: string): readonly ProvenanceFact[] {
  const { code, fingerprint, suite, seconds, runId } = verdict;
  const { runner, cpuModel, cpuCount, memoryGiB, os } = fingerprint;
  const branch = code.branch === '' ? '' : ` on ${code.branch}`;
  const dirty = code.dirty ? ', with changes not committed' : '';
  const rounds = Math.max(0, ...verdict.cells.map(({ head }) => head.blocks));
  const versions = Object.entries(fingerprint.versions).map(([name, version]) => `${name} ${version}`);
  return [
    { label: 'head', text: `${shortCommit(code.commit)}${branch}${dirty}` },
    { label: 'base', text: baseText(verdict.comparison) },
    {
      label: 'run',
      text: `${runId}: suite ${suite}, ${rounds === 0 ? '' : `${countOf(rounds, 'round')}, `}${formatSeconds(seconds)}`,
    },
    {
      label: 'machine',
      text: `${runner}: ${cpuModel}, ${countOf(cpuCount, 'core')}, ${memoryGiB} GiB, ${os}`,
    },
    {
      label: 'with',
      text: [`${fingerprint.stack} stack`, `k6 ${fingerprint.k6}`, ...versions].join(', '),
    },
    ...(resultDirectory === undefined
      ? []
      : [
          { label: 'figures', text: `${resultDirectory}/verdict.json` },
          { label: 'page', text: `${resultDirectory}/report.html` },
        ]),
  ];
}
