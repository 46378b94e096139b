import { describe, expect, it } from 'vitest';
import { plainPaint } from '../format/paint.ts';
import { displayWidth } from '../format/text-layout.ts';
import {
  donePhaseLine,
  liveBarLine,
  liveLogLine,
  noteLine,
  runningPhaseLine,
  sparkline,
} from './progress.ts';

const figures = { tps: 1023.7, p95Ms: 187.6, errors: 0 };
const recent = [0, 512, 768, 1024].map((tps) => ({ ...figures, tps }));
const live = { cell: 'trip-edit@peak', figures, done: 0.416, secondsLeft: 167 };

describe('progress', () => {
  it('draws a bar next to all figures', () => {
    expect(liveBarLine(live, [], 100)).toBe(
      '██████████░░░░░░░░░░░░░░  41%  2 min 47 s left  trip-edit@peak  1,024 TPS  p95 188 ms',
    );
    expect(liveBarLine({ ...live, done: 1, secondsLeft: 0 }, [], 100)).toContain('100%  0.0 s left');
  });

  it('draws the last seconds where there is room', () => {
    expect(liveBarLine(live, recent, 100)).toContain('1,024 TPS ▁▅▆█  p95 188 ms ████');
    expect(liveBarLine(live, recent, 62)).toBe(liveBarLine(live, [], 62));
    expect(sparkline([0, 0])).toBe('▁▁');
  });

  it('drops the bar before it cuts a figure, and fits every width', () => {
    expect(liveBarLine(live, [], 62)).toBe(' 41%  2 min 47 s left  trip-edit@peak  1,024 TPS  p95 188 ms');
    for (let width = 1; width < 120; width++) {
      expect(displayWidth(liveBarLine(live, recent, width))).toBeLessThanOrEqual(width);
      expect(displayWidth(runningPhaseLine('data', 'backing services', 42, width))).toBeLessThanOrEqual(
        width,
      );
    }
  });

  it('prints phases, notes and a load to a log', () => {
    expect(runningPhaseLine('data', 'backing services', 0.4, 80)).toBe('… data  backing services');
    expect(runningPhaseLine('data', 'backing services', 12, 80)).toBe('… data  backing services  12 s');
    expect(donePhaseLine('data', 'backing services', 12.3, plainPaint)).toBe(
      '✓ data  12 s  backing services',
    );
    expect(noteLine('taken again:\u001b[31m why\nthis', plainPaint)).toBe('· taken again: why this');
    expect(liveLogLine(live)).toBe('  trip-edit@peak  1,024 TPS  p95 188 ms  (41% done, 2 min 47 s left)');
    expect(liveLogLine({ ...live, figures: { ...figures, errors: 12 } })).toContain('p95 188 ms  12 errors');
  });

  it('shows no figures before the first ones arrive', () => {
    expect(liveLogLine({ ...live, figures: undefined })).toBe(
      '  trip-edit@peak  starting  (41% done, 2 min 47 s left)',
    );
  });
});
