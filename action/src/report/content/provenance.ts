import type { Verdict } from '../../model/verdict.ts';
import { formatSeconds } from '../format/number.ts';
import { countOf } from '../format/phrase.ts';
import { baseText, shortCommit } from './comparison-note.ts';

/** Where the figures come from: commits, rounds, machine and versions, as labels and texts. */
export function provenance(verdict: Verdict): readonly (readonly [string, string])[] {
  const { code, fingerprint, suite, seconds, runId } = verdict;
  const { runner, cpuModel, cpuCount, memoryGiB, os, stack, k6 } = fingerprint;
  const branch = code.branch === '' ? '' : ` on ${code.branch}`;
  const dirty = code.dirty ? ', with uncommitted changes' : '';
  const rounds = Math.max(0, ...verdict.cells.map(({ head }) => head.blocks));
  const versions = Object.entries(fingerprint.versions).map(([name, version]) => `${name} ${version}`);
  return [
    ['head', `${shortCommit(code.commit)}${branch}${dirty}`],
    ['base', baseText(verdict.comparison)],
    [
      'run',
      `${runId}: suite ${suite}, ${rounds === 0 ? '' : `${countOf(rounds, 'round')}, `}${formatSeconds(seconds)}`,
    ],
    ['machine', `${runner}: ${cpuModel}, ${countOf(cpuCount, 'core')}, ${memoryGiB} GiB, ${os}`],
    ['with', [`${stack} stack`, `k6 ${k6}`, ...versions].join(', ')],
  ];
}
