import type { ExperimentIdentity } from '../../model/experiment.ts';
import { countOf } from '../format/phrase.ts';
import type { Column } from '../format/text-layout.ts';
import type { FixedChart } from '../pictures/fixed-chart.ts';

/** What an experiment found, in parts that a terminal and a page can both show. All texts are plain. */
export interface Finding {
  /** What was done, such as `Staircase of trip-edit`. */
  readonly title: string;
  /** What came out of it, in one sentence. */
  readonly sentence: string;
  readonly state: 'pass' | 'regression' | 'undecided' | 'unknown';
  /** What speaks for the sentence, and what it leaves open. */
  readonly because: readonly string[];
  readonly tables: readonly FindingTable[];
  readonly charts: readonly FixedChart[];
  /** How it was measured. */
  readonly facts: readonly { readonly label: string; readonly text: string }[];
  readonly nextSteps: readonly string[];
}

export interface FindingTable {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly FindingRow[];
  readonly note?: string;
}

export interface FindingRow {
  readonly cells: readonly string[];
  readonly state?: 'best' | 'bad';
}

/** What an experiment was done on. */
export function identityFacts({ commit, machine }: ExperimentIdentity): Finding['facts'] {
  const { cpuModel, cpuCount, memoryGiB } = machine;
  return [
    { label: 'commit', text: commit === '' ? 'none' : commit.slice(0, 8) },
    { label: 'machine', text: `${cpuModel}, ${countOf(cpuCount, 'core')}, ${memoryGiB} GiB` },
  ];
}
