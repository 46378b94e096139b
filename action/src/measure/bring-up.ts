import { resolve } from 'node:path';
import type { Run } from '../model/run.ts';
import { type LoadSeconds, type LoadSeries, seriesSchemaVersion } from '../model/series.ts';
import type { BlockTools } from './block.ts';
import type { MeasureContext, ReadySide, Side } from './context.ts';
import { type Plan, type PlannedCell, type ScenarioScript, scenariosOf, warmUpScenarios } from './plan.ts';
import type { BootedService, ScriptUse } from './ports.ts';
import { scrapeService } from './scrape.ts';
import { warmUp } from './warm-up.ts';
import { watching } from './watch-stacks.ts';

/** A run has no room for more; names of a script's scenarios may be of any length. */
const longestReplaced = 200;

export type Phases = Run['phases'];
export type InPhase = <T>(phase: string, detail: string, work: () => Promise<T>) => Promise<T>;

/** The plan with what each script says about running it, and the options of the scripts that the plan replaces. */
export async function checkedPlan({
  tools,
  options,
}: {
  readonly tools: Pick<BlockTools, 'generator'>;
  readonly options: Pick<MeasureContext['options'], 'plan' | 'configDirectory' | 'onProgress'>;
}): Promise<{ readonly plan: Plan; readonly replaced: readonly string[] }> {
  const { plan, configDirectory, onProgress } = options;
  const uses = new Map<string, ScriptUse>();
  for (const { scenario, script, env, exec } of scenariosOf(plan)) {
    uses.set(scenario, await tools.generator.check(resolve(configDirectory, script), env, exec));
  }
  const cells = plan.cells.map((cell): PlannedCell => {
    const { exec, env = {}, abortsEarly } = uses.get(cell.scenario) ?? {};
    return {
      ...cell,
      env: { ...env, ...cell.env },
      ...(exec === undefined ? {} : { exec }),
      ...(abortsEarly && { ignoresThresholds: true }),
    };
  });
  const replaced = [...uses].flatMap(([scenario, use]) => use.replaced.map((what) => `${scenario}: ${what}`));
  for (const what of replaced) {
    onProgress({ kind: 'note', text: `${what} of the script is replaced by the load of gate.yml` });
  }
  const aborting = [...uses].flatMap(([scenario, use]) => (use.abortsEarly ? [scenario] : []));
  for (const scenario of aborting) {
    const text = `${scenario}: thresholds of the script are left out, because abortOnFail would end a block early`;
    onProgress({ kind: 'note', text });
  }
  const leftOut = aborting.map((scenario) => `${scenario}: options.thresholds (abortOnFail)`);
  return {
    plan: { ...plan, cells },
    replaced: [...replaced, ...leftOut].map((what) => what.slice(0, longestReplaced)),
  };
}

export function scenariosForWarmUp({ options }: MeasureContext): readonly ScenarioScript[] {
  return warmUpScenarios(options.plan).map((cell) => ({
    ...cell,
    script: resolve(options.configDirectory, cell.script),
  }));
}

/** Reports and times a phase, and notes it for each side that takes part in it. */
export function phaseTimer(
  { tools: { clock }, options: { onProgress } }: MeasureContext,
  lists: readonly Phases[],
  label: string,
): InPhase {
  return async (name, detail, work) => {
    const phase = `${label}${name}`;
    onProgress({ kind: 'phase', phase, detail });
    const from = clock.monotonicMs();
    const result = await work();
    const seconds = (clock.monotonicMs() - from) / 1000;
    for (const list of lists) list.push({ phase: name, seconds });
    onProgress({ kind: 'phase-done', phase, seconds });
    return result;
  };
}

/** Builds, boots and warms up a side while the `others` idle. Undefined if the side is not worth its load. */
export async function bringUp(
  context: MeasureContext,
  side: Side,
  scenarios: readonly ScenarioScript[],
  others: readonly ReadySide[],
  phases: Phases,
  isAlone: boolean,
): Promise<ReadySide | undefined> {
  const { tools, options, signal } = context;
  const { stack } = side;
  const inPhase = phaseTimer(context, [phases], isAlone ? '' : `${side.name}: `);
  await inPhase('build', 'what changed since the last build', () => stack.prepare(signal));
  const steps = await inPhase('data', 'backing services with restored data', () => stack.up(signal));
  for (const [step, seconds] of Object.entries(steps)) phases.push({ phase: `data: ${step}`, seconds });
  const service = await inPhase('boot', 'service', () => stack.boot(signal));
  const running = [...others.map((one) => one.service), service];
  // Metrics that fail only after the load would cost the whole run.
  const fingerprint = await watching(running, tools.clock, signal, async (guarded) => ({
    ...tools.machine.describe(),
    stack: stack.kind,
    k6: await tools.generator.version(),
    versions: { ...service.versions, ...(await readRuntimeVersion(tools, service, guarded)) },
    dataKey: service.dataKey,
    loadHash: options.loadHash,
  }));
  if ((await options.isWorthLoad?.(fingerprint)) === false) return undefined;
  const warm = await inPhase('warm-up', 'until latency and compilation settle', () =>
    watching(running, tools.clock, signal, (guarded) =>
      warmUp(
        tools,
        {
          config: options.config.warmUp,
          scenarios,
          service,
          mustAnswer: side.name === 'head',
          onProgress: options.onProgress,
          logTail: (lines) => stack.logTail(lines),
          keepSeconds: (seconds) => side.keepSeries(warmUpSeries(side, seconds)),
          onSeconds: (seconds) => side.sendSeries?.(warmUpSeries(side, seconds)),
        },
        guarded,
      ),
    ),
  );
  await service.limitCpu?.();
  return { side, service, fingerprint, warm };
}

function warmUpSeries({ name }: Side, seconds: LoadSeconds): LoadSeries {
  return { schema: seriesSchemaVersion, phase: 'warm-up', side: name, ...seconds };
}

/** A JVM has its version among its metrics. Other runtimes get theirs from the stack, or have none. */
async function readRuntimeVersion(
  tools: BlockTools,
  service: BootedService,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const series = await scrapeService(service, (url) => tools.metrics.scrape(url, signal));
  const version = series.find(({ name }) => name === 'jvm_info')?.labels.version;
  return version === undefined ? {} : { jdk: version };
}
