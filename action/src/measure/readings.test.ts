import { describe, expect, it } from 'vitest';
import type { MetricSeries } from './ports.ts';
import { type Moment, Readings } from './readings.ts';
import type { Scrape } from './signals.ts';

const series = (name: string, value: number, labels = {}): MetricSeries => ({ name, labels, value });
const page = (service: MetricSeries[], backing: MetricSeries[] = []): Scrape => ({
  service,
  backing,
  generator: [],
});
const nothing = page([]);

/** Two cores; the roles have used that share of them since second 0. */
function moment(second: number, shares: { service?: number; stolen?: number; busy?: number } = {}): Moment {
  const { service = 0, stolen = 0, busy = 0 } = shares;
  const used = (share: number) => ({ cpuSeconds: 2 * share * second, rssBytes: 1000 });
  return {
    atMs: 5_000 + second * 1_000,
    machine: {
      totalSeconds: 2 * second,
      busySeconds: 2 * busy * second,
      ioWaitSeconds: 0,
      stolenSeconds: 2 * stolen * second,
      load: 1.5,
    },
    roles: { service: used(service), backing: used(0), generator: used(0) },
  };
}

describe('Readings', () => {
  it('has shares of the CPU from the second reading on, and memory from the first', () => {
    const readings = new Readings(2);
    for (const second of [0, 1, 2]) {
      readings.add(moment(second, { service: 0.4, stolen: 0.1, busy: 0.5 }), nothing);
    }
    const { readAtSeconds, readings: values } = readings.finish(4_500);
    expect(readAtSeconds).toEqual([0.5, 1.5, 2.5]);
    expect(values.serviceCpu).toEqual([null, 0.4, 0.4]);
    expect(values.othersCpu).toEqual([null, 0.1, 0.1]);
    expect(values.stolenCpu).toEqual([null, 0.1, 0.1]);
    expect(values.serviceMemory).toEqual([1000, 1000, 1000]);
    expect(values.loadAverage).toEqual([1.5, 1.5, 1.5]);
  });

  it('reads gauges, growth per second, and means per event', () => {
    const readings = new Readings(2);
    const service = (active: number, waits: number, waited: number) =>
      page(
        [
          series('hikaricp_connections_active', active),
          series('hikaricp_connections_acquire_seconds_count', waits),
          series('hikaricp_connections_acquire_seconds_sum', waited),
        ],
        [series('mysql_global_status_questions', waits * 10)],
      );
    readings.add(moment(0), service(3, 100, 1));
    readings.add(moment(2), service(5, 120, 1.5));
    readings.add(moment(3), service(4, 120, 1.5));
    const { readings: values } = readings.finish(5_000);
    expect(values.poolActive).toEqual([3, 5, 4]);
    expect(values.statements).toEqual([null, 100, 0]);
    // 0.5 s for 20 waits; nobody waited in the last second.
    expect(values.poolAcquire).toEqual([null, 25, null]);
  });

  it('leaves a gap where a page did not answer or a counter was reset, and no reading that never was', () => {
    const readings = new Readings(2);
    const commands = (value: number) => page([], [series('redis_commands_processed_total', value)]);
    readings.add(moment(0), commands(100));
    readings.add(moment(1), nothing);
    readings.add(moment(2), commands(300));
    readings.add(moment(3), commands(20));
    readings.add(moment(4), commands(50));
    const { readings: values } = readings.finish(5_000);
    expect(values.redisCommands).toEqual([null, null, null, null, 30]);
    expect(Object.keys(values)).not.toContain('heap');
  });
});
