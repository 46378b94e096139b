import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Leftovers } from '../host/leftovers.ts';
import { DockerCli, type FollowedCommand } from './docker.ts';
import { type ContainerEvent, ContainerEvents, parseEvent } from './events.ts';

const line = (action: string, attributes: Record<string, string> = {}) =>
  JSON.stringify({
    status: action,
    id: 'abc',
    Type: 'container',
    Action: action,
    Actor: { ID: 'abc', Attributes: { 'com.docker.compose.service': 'db', ...attributes } },
    scope: 'local',
    time: 1700000000,
    timeNano: 1700000000500000000,
  });

it.each([
  ['start', {}, { kind: 'start' }],
  ['die', { exitCode: '137' }, { kind: 'end', exitCode: 137 }],
  ['oom', {}, { kind: 'out-of-memory' }],
  ['health_status: unhealthy', {}, { kind: 'health', health: 'unhealthy' }],
])('reads %s', (action, attributes, expected) => {
  expect(parseEvent(line(action, attributes))).toEqual({
    container: 'abc',
    service: 'db',
    atSeconds: 1700000000.5,
    ...expected,
  });
});

it.each([
  ['an event of another kind', line('exec_create: node probe.mjs')],
  ['half a line', line('die').slice(0, 40)],
  ['another shape', '{"Action":"die"}'],
])('skips %s', (_, text) => {
  expect(parseEvent(text)).toBeUndefined();
});

/** An engine whose event streams break after their scripted lines. */
class BreakingEngine extends DockerCli {
  readonly streams: (readonly string[])[] = [];
  readonly #linesOf: (stream: number) => readonly string[];

  constructor(linesOf: (stream: number) => readonly string[]) {
    super({}, new Leftovers('/nonexistent'));
    this.#linesOf = linesOf;
  }

  override follow(args: readonly string[], _: string, onLine: (line: string) => void): FollowedCommand {
    for (const line of this.#linesOf(this.streams.push(args))) onLine(line);
    return { stop: () => undefined, ended: Promise.resolve('connection refused') };
  }
}

describe('ContainerEvents', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function follow(linesOf: (stream: number) => readonly string[]) {
    const engine = new BreakingEngine(linesOf);
    const seen: ContainerEvent[] = [];
    const lost: string[] = [];
    const events = new ContainerEvents(engine, 'shop', 0, {
      onEvent: (event) => seen.push(event),
      onLost: (said) => lost.push(said),
    });
    return { engine, events, seen, lost };
  }

  it('waits for a restarting engine before each attempt, and gives up on a lost one', async () => {
    const { engine, lost } = follow(() => []);
    await vi.advanceTimersByTimeAsync(0);
    expect(engine.streams).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(engine.streams).toHaveLength(6);
    expect(lost).toEqual(['connection refused']);
  });

  it('forgets failed attempts after an event', async () => {
    // Every fourth attempt delivers an event.
    const { engine, events, seen, lost } = follow((stream) => (stream % 4 === 0 ? [line('start')] : []));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lost).toEqual([]);
    expect(seen.length).toBeGreaterThan(2);
    events.close();
    const streams = engine.streams.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(engine.streams).toHaveLength(streams);
  });
});
