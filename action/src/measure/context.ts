import type { Config } from '../model/config.ts';
import type { CellProfile } from '../model/profile.ts';
import type { Fingerprint, Run, WarmUp } from '../model/run.ts';
import type { LoadSeries } from '../model/series.ts';
import type { BlockTools } from './block.ts';
import type { Plan } from './plan.ts';
import type { BootedService, ProgressListener, Stack } from './ports.ts';

/** One version of the service, to be measured in one run. */
export interface Side {
  readonly name: 'base' | 'head';
  /** The run's id. */
  readonly id: string;
  readonly stack: Stack;
  readonly code: Run['code'];
  /** Called after each load, with what happened in each second of it. */
  readonly keepSeries: (series: LoadSeries) => Promise<void>;
  /** Called about once a second while a load runs, with the seconds that have passed. It must not wait. */
  readonly sendSeries?: (series: LoadSeries) => void;
  /** Called for each cell that was profiled. */
  readonly keepProfile: (profile: CellProfile) => Promise<void>;
}

export interface MeasureOptions {
  readonly config: Config;
  /** Folder that scripts are relative to. */
  readonly configDirectory: string;
  readonly plan: Plan;
  /** SHA-256 of everything that shapes the load. */
  readonly loadHash: string;
  readonly onProgress: ProgressListener;
  /** Called for a booted side before it takes load. If false, nothing is measured. By default every side takes load. */
  readonly isWorthLoad?: (fingerprint: Fingerprint) => Promise<boolean>;
  /** Called with the sides' runs so far after every second round. If true, no more rounds are taken of the same cells. */
  readonly isEnough?: (runs: readonly Run[]) => boolean | Promise<boolean>;
  /** Called with the sides' runs so far after the rounds of the cell that comes first. If true, no other is measured. */
  readonly sparesOthers?: (runs: readonly Run[]) => boolean;
  /** Called with the run so far if an unbroken load ends before its time. The reason is then thrown. */
  readonly onCutShort?: (run: Run) => void;
  /** Called with the sides' runs after all blocks. Names cells whose scenarios are to be profiled. By default none is. */
  readonly toProfile?: (runs: readonly Run[]) => readonly string[];
  /** Called with the run of a side that was measured alone. Returns the side to profile it next to, if any. */
  readonly nextTo?: (run: Run) => Promise<Partner | undefined>;
}

/** The side that another one, which was measured alone, is profiled next to. */
export interface Partner {
  /** Names of the cells whose scenarios are to be profiled. */
  readonly cells: readonly string[];
  /** Called only if the side that was measured can be profiled. */
  readonly side: () => Promise<Side>;
}

/** What all parts of one measurement share. */
export interface MeasureContext {
  readonly tools: BlockTools;
  readonly options: MeasureOptions;
  readonly signal: AbortSignal;
}

/** A side that can take load. */
export interface ReadySide {
  readonly side: Side;
  readonly service: BootedService;
  readonly fingerprint: Fingerprint;
  readonly warm: WarmUp;
}
