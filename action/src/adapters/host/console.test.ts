import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ProgressText, Terminal, type TerminalOptions, wantsColour } from './console.ts';

const text: ProgressText = {
  runningPhaseLine: (phase, detail, seconds) => `run ${phase} ${detail} ${seconds}`,
  donePhaseLine: (phase, detail, seconds) => `done ${phase} ${detail} ${seconds}`,
  noteLine: (note, paint) => paint('yellow', note),
  liveBarLine: ({ cell, done }, recent, width) => `bar ${cell} ${done} ${recent.length} ${width}`,
  liveLogLine: ({ cell, done }) => `live ${cell} ${done}`,
};

const live = (done: number) =>
  ({ kind: 'live', cell: 'a@b', figures: undefined, done, secondsLeft: 1 }) as const;

function open(isTTY: boolean, env: TerminalOptions['env'] = {}, ci = false) {
  let written = '';
  const stream = (columns: number) => ({ isTTY, columns, write: (part: string) => (written += part) });
  const terminal = new Terminal({
    stdout: stream(0),
    stderr: stream(90),
    env,
    ci,
    clock: { monotonicMs: () => Date.now() },
    text,
  });
  return { terminal, written: () => written };
}

const erase = '\r\u001b[2K';

describe('the terminal', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('redraws one line in place, at most five times a second', () => {
    const { terminal, written } = open(true, { NO_COLOR: '1' });
    terminal.onProgress({ kind: 'phase', phase: 'load', detail: 'blocks' });
    for (let step = 0; step < 100; step++) {
      vi.advanceTimersByTime(10);
      terminal.onProgress(live(step / 100));
    }
    expect(written().split('bar').length - 1).toBeLessThanOrEqual(6);
    expect(written()).not.toContain('\n');
    terminal.onProgress({ kind: 'phase-done', phase: 'load', seconds: 1 });
    terminal.print('verdict\n');
    terminal.close();
    expect(written().endsWith(`${erase}done load blocks 1\nverdict\n`)).toBe(true);
  });

  it('shows the time of a silent phase until it ends', () => {
    const { terminal, written } = open(true);
    terminal.onProgress({ kind: 'phase', phase: 'boot', detail: 'service' });
    vi.advanceTimersByTime(3000);
    expect(written()).toContain('run boot service 3');
    terminal.close();
    const before = written();
    vi.advanceTimersByTime(60_000);
    expect(written()).toBe(before);
  });

  it('never hides the cursor', () => {
    const { terminal, written } = open(true);
    terminal.onProgress({ kind: 'phase', phase: 'boot', detail: '' });
    terminal.onProgress({ kind: 'note', text: 'n' });
    terminal.close();
    expect(written()).not.toContain('\u001b[?25');
  });

  it.each([
    ['a pipe', false, {}, false],
    ['a terminal on CI', true, { NO_COLOR: '1' }, true],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('writes few whole lines to %s', (_, isTTY, env, ci) => {
    const { terminal, written } = open(isTTY, env, ci);
    terminal.onProgress({ kind: 'phase', phase: 'load', detail: 'blocks' });
    for (let step = 0; step < 700; step++) {
      vi.advanceTimersByTime(100);
      terminal.onProgress(live(step));
    }
    terminal.onProgress({ kind: 'note', text: 'a note' });
    terminal.onProgress({ kind: 'phase-done', phase: 'load', seconds: 70 });
    terminal.close();
    expect(written()).toMatch(
      /^run load blocks 0\nlive a@b \d+\nlive a@b \d+\na note\ndone load blocks 70\n$/,
    );
  });

  it('writes a line for each block to a log, with its last figures', () => {
    const { terminal, written } = open(false);
    terminal.onProgress({ kind: 'phase', phase: 'load', detail: 'blocks' });
    for (const block of [1, 2, 3]) {
      terminal.onProgress(live(block));
      for (const second of [0.1, 0.2, 0.3]) {
        vi.advanceTimersByTime(1000);
        terminal.onProgress({ ...live(block + second), figures: { tps: 1, p95Ms: 1, errors: 0 } });
      }
    }
    terminal.onProgress({ kind: 'note', text: 'no more rounds' });
    terminal.onProgress({ kind: 'phase-done', phase: 'load', seconds: 9 });
    terminal.close();
    expect(written()).toBe(
      'run load blocks 0\nlive a@b 1.3\nlive a@b 2.3\nlive a@b 3.3\nno more rounds\ndone load blocks 9\n',
    );
  });

  it('uses colour if it is wanted', () => {
    const on = { isTTY: true, write: () => true };
    const off = { isTTY: false, write: () => true };
    expect(wantsColour(on, {})).toBe(true);
    expect(wantsColour(off, {})).toBe(false);
    expect(wantsColour(on, { NO_COLOR: '1' })).toBe(false);
    expect(wantsColour(on, { NO_COLOR: '' })).toBe(true);
    expect(wantsColour(off, { FORCE_COLOR: '1' })).toBe(true);
    expect(wantsColour(on, { FORCE_COLOR: '0' })).toBe(false);
    expect(wantsColour(on, { TERM: 'dumb' })).toBe(false);
  });

  it('survives a reader that leaves early, but no other error', () => {
    const stdout = Object.assign(new EventEmitter(), { write: () => true });
    const stderr = { write: () => true };
    new Terminal({ stdout, stderr, env: {}, ci: false, clock: { monotonicMs: () => 0 }, text });
    expect(() => stdout.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }))).not.toThrow();
    expect(() => stdout.emit('error', Object.assign(new Error('broken'), { code: 'EIO' }))).toThrow('broken');
  });

  it('has a width even if the system reports none', () => {
    expect(open(false).terminal.width).toBe(100);
  });
});
