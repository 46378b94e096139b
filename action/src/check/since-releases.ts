import type { Plan } from '../measure/index.ts';
import type { Config } from '../model/config.ts';
import { worsening } from '../model/metric.ts';
import type { Pin } from '../model/pin.ts';
import type { Run } from '../model/run.ts';
import type { SinceRelease, Verdict } from '../model/verdict.ts';
import { judgeSuite } from './judge-suite.ts';

/** Older pins say little more, and each costs a comparison. */
const mostReleases = 3;

/**
 * The verdict with what became worse since the newest comparable pins, in steps too small for any check to fail. Judged
 * like every stored run, so only beyond chance, tolerance and floor.
 */
export function withReleases(
  verdict: Verdict,
  { config, suite }: { readonly config: Config; readonly suite: Plan },
  run: Run,
  pins: readonly Pin[],
): Verdict {
  const compared = pins
    .toReversed()
    .map(({ name, run: pinned }) => ({ name, judged: judgeSince(config, suite, run, pinned) }))
    .filter(({ judged }) => judged.comparison.kind === 'stored')
    .slice(0, mostReleases);
  const since = compared.flatMap(({ name: release, judged }) =>
    judged.cells.flatMap(({ scenario, load, metrics }) =>
      metrics
        .filter(
          ({ metric, provedWorse, belowFloor, change, limit }) =>
            provedWorse && !belowFloor && worsening(metric, change) > Math.abs(limit),
        )
        .map((metric): SinceRelease => ({ release, scenario, load, metric })),
    ),
  );
  return since.length === 0 ? verdict : { ...verdict, since };
}

function judgeSince(config: Config, suite: Plan, run: Run, pinned: Run): Verdict {
  return judgeSuite(
    config,
    suite,
    { run, stored: [pinned] },
    { createdAt: new Date(run.finishedAt), seconds: 0 },
  );
}
