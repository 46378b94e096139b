/** What an experiment was done on, and when. */
export interface ExperimentIdentity {
  /** Name of its folder of results. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Empty outside a repository. */
  readonly commit: string;
  readonly machine: {
    readonly cpuModel: string;
    /** Cores. */
    readonly cpuCount: number;
    readonly memoryGiB: number;
  };
  /** Why it ended early; absent if it did not. */
  readonly partial?: string;
}

/** From this share on, all CPU counts as in use, and so as the limit. */
export const busyCpuShare = 0.88;

/** With more failed requests than this share, 0 to 1, what a load shows is not what the service can do. */
export const mostFailed = 0.05;
