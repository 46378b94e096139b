import type { WarmUpConfig } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { WarmUp, WarmUpWindow } from '../model/run.ts';
import type { LoadSeconds } from '../model/series.ts';
import { everySecond } from './every-second.ts';
import { LoadReadings } from './load-readings.ts';
import { endingLoads } from './loads.ts';
import type { ScenarioScript } from './plan.ts';
import type {
  BootedService,
  Clock,
  LoadGenerator,
  LoadResult,
  Machine,
  MetricsReader,
  ProgressListener,
} from './ports.ts';
import { Recorder } from './recorder.ts';
import { scrapeService } from './scrape.ts';
import { mostSeconds, SeriesRecorder, toAll } from './series-recorder.ts';
import { sumOf } from './signals.ts';

export interface WarmUpTools {
  readonly generator: LoadGenerator;
  readonly machine: Machine;
  readonly metrics: MetricsReader;
  readonly clock: Clock;
}

export interface WarmUpOptions {
  readonly config: WarmUpConfig;
  /** Every scenario of the suite; paths are absolute. */
  readonly scenarios: readonly ScenarioScript[];
  readonly service: BootedService;
  /** False for base, which may not have the endpoints yet that head's scripts call. */
  readonly mustAnswer: boolean;
  readonly logTail: (lines: number) => readonly string[];
  readonly onProgress: ProgressListener;
  /** Called after each window, with what happened in each second of it. */
  readonly keepSeconds: (seconds: LoadSeconds) => Promise<void>;
  /** Called about once a second with the seconds that have passed. */
  readonly onSeconds?: (seconds: LoadSeconds) => void;
}

/** The JIT's compile time in the metrics of Micrometer and the OpenTelemetry agent, with its factor to milliseconds. */
const compileSeries: readonly { readonly name: string; readonly toMs: number }[] = [
  { name: 'jvm_compilation_time_ms_total', toMs: 1 },
  { name: 'jvm_compilation_time_seconds_total', toMs: 1000 },
];

/**
 * Virtual users while the JIT compiles. A saturated machine starves the compiler threads: on two cores the reference
 * service settled after 80 s with 3 virtual users, and after 150 s with 12.
 */
const lightVus = 1;

/**
 * Loads every scenario at once in windows until the service has settled. A JVM may never reach a steady
 * state (Barrett et al., "Virtual Machine Warmup Blows Hot and Cold", OOPSLA 2017), hence the cap.
 */
export async function warmUp(
  tools: WarmUpTools,
  options: WarmUpOptions,
  signal: AbortSignal,
): Promise<WarmUp> {
  const { config, onProgress } = options;
  const begun = tools.clock.monotonicMs();
  const elapsed = () => (tools.clock.monotonicMs() - begun) / 1000;
  const windows: WarmUpWindow[] = [];
  while (elapsed() < config.cap) {
    const window = await runWindow(tools, options, nextVus(windows, config), windows.length === 0, signal);
    windows.push(window);
    onProgress({ kind: 'note', text: describeWindow(window, windows.length) });
    if (hasSettled(windows, config)) return { steady: true, seconds: elapsed(), windows };
  }
  return { steady: false, seconds: elapsed(), windows };
}

/**
 * Few virtual users until the compiler has little left to do, then all of them. Under full load it compiles more, but
 * returning to few users for that took longer. The first window always has few, and a service without compiler metrics then
 * gets all.
 */
export function nextVus(
  windows: readonly WarmUpWindow[],
  config: Pick<WarmUpConfig, 'vus' | 'compileMsPerSecond'>,
): number {
  const light = Math.min(lightVus, config.vus);
  const last = windows.at(-1);
  if (last === undefined) return light;
  const isBusy = (last.compileMsPerSecond ?? 0) > 2 * config.compileMsPerSecond;
  return last.vus === light && isBusy ? light : config.vus;
}

function describeWindow({ vus, meanMs, compileMsPerSecond }: WarmUpWindow, number: number): string {
  const compiling =
    compileMsPerSecond === undefined ? '' : `, compiling ${compileMsPerSecond.toFixed(0)} ms/s`;
  return `warm-up window ${number}: ${vus} VUs per scenario, mean ${meanMs.toFixed(1)} ms${compiling}`;
}

/**
 * True if the mean response time no longer fell over the newest windows, all under full load, and the compiler was
 * almost idle in the newest one. A slower newest window is noise, which the blocks measure.
 */
export function hasSettled(
  windows: readonly WarmUpWindow[],
  config: Pick<WarmUpConfig, 'vus' | 'settledWindows' | 'latencyTolerance' | 'compileMsPerSecond'>,
): boolean {
  const newest = windows.slice(-config.settledWindows).filter(({ vus }) => vus === config.vus);
  if (newest.length < config.settledWindows) return false;
  const { meanMs = 0, compileMsPerSecond = 0 } = newest.at(-1) ?? {};
  const means = newest.map((window) => window.meanMs);
  const stillFell = Math.max(...means) > meanMs * (1 + config.latencyTolerance);
  return Math.min(...means) > 0 && !stillFell && compileMsPerSecond <= config.compileMsPerSecond;
}

async function runWindow(
  tools: WarmUpTools,
  options: WarmUpOptions,
  vus: number,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<WarmUpWindow> {
  const { config, scenarios, service } = options;
  const compiledBefore = await readCompileMs(tools, service, signal);
  const begun = tools.clock.monotonicMs();
  const windowLoads = scenarios.map((scenario, index) => ({
    recorder: new Recorder(0, config.window),
    spec: {
      script: scenario.script,
      stages: [
        { seconds: 0, vus },
        { seconds: config.window, vus },
      ],
      ...(scenario.exec === undefined ? {} : { exec: scenario.exec }),
      // Concurrent scenarios get separate virtual users, so that they share no rows.
      env: { ...scenario.env, BASE_URL: service.url, VU_OFFSET: String(index * config.vus) },
    },
  }));
  const series = new SeriesRecorder(mostSeconds(config.window));
  const { results, readings } = await endingLoads(signal, async (guarded) => {
    const running = windowLoads.map(({ spec, recorder }) =>
      tools.generator.start(spec, toAll([recorder], series), guarded),
    );
    const readings = new LoadReadings(
      tools,
      service,
      running.flatMap(({ pids }) => pids),
    );
    const done = Promise.all(running.map((load) => load.done));
    const ended = done.then(() => 'ended' as const);
    await everySecond(tools.clock, Number.POSITIVE_INFINITY, ended, guarded, async () => {
      await readings.take(guarded);
      const passed = options.onSeconds && series.passed(readings.bySecond(begun));
      if (passed !== undefined) options.onSeconds?.(passed);
    });
    return { results: await done, readings };
  });
  const recorders = windowLoads.map(({ recorder }) => recorder);
  const seconds = (tools.clock.monotonicMs() - begun) / 1000;
  const compiledAfter = await readCompileMs(tools, service, signal);
  const recordings = recorders.map((recorder) => recorder.finish());
  if (isFirst) refuseHopeless(options, recordings, results);
  const bySecond = series.finish(readings.bySecond(begun));
  if (bySecond !== undefined) await options.keepSeconds(bySecond);
  const requests = recordings.reduce((sum, one) => sum + one.requests, 0);
  return {
    seconds,
    vus,
    requests,
    errors: recordings.reduce((sum, one) => sum + one.errors, 0),
    meanMs:
      requests === 0
        ? 0
        : recordings.reduce((sum, one) => sum + one.latency.meanMs * one.requests, 0) / requests,
    ...(compiledBefore === undefined || compiledAfter === undefined
      ? {}
      : { compileMsPerSecond: Math.max(0, compiledAfter - compiledBefore) / seconds }),
  };
}

/** Stops a check in its first seconds that would only become invalid minutes later. */
function refuseHopeless(
  options: WarmUpOptions,
  recordings: readonly { requestsInAll: number; errorsInAll: number }[],
  results: readonly LoadResult[],
): void {
  for (const [index, recording] of recordings.entries()) {
    const script = options.scenarios[index]?.script ?? '';
    const result = results[index];
    const errors = result?.errors ?? [];
    if (recording.requestsInAll === 0) {
      throw new Fault({
        code: 'E_SCENARIO_SILENT',
        kind: 'usage',
        place: script,
        cause:
          result?.end.kind === 'failed' || (result?.exceptions ?? 0) > 0
            ? 'the script failed before it sent a request'
            : 'the script sent no request',
        nextStep: 'run the script alone with `k6 run -e BASE_URL=... --vus 1 --iterations 1`',
        logTail: errors,
      });
    }
    if (options.mustAnswer && recording.errorsInAll === recording.requestsInAll) {
      throw new Fault({
        code: 'E_SERVICE_ERRORS',
        kind: 'measurement',
        place: script,
        cause: `all ${recording.requestsInAll} requests of the first warm-up window failed${errors[0] === undefined ? '' : `: ${errors[0]}`}`,
        nextStep:
          "read the last lines of the service's log; check that BASE_URL and the data are what the script expects",
        logTail: options.logTail(20),
      });
    }
  }
}

async function readCompileMs(
  tools: WarmUpTools,
  service: BootedService,
  signal: AbortSignal,
): Promise<number | undefined> {
  const series = await scrapeService(service, (url) => tools.metrics.scrape(url, signal));
  for (const { name, toMs } of compileSeries) {
    const value = sumOf(series, [name]);
    if (value !== undefined) return value * toMs;
  }
  return service.readCompileMs?.();
}
