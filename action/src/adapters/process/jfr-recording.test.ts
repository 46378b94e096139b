import { describe, expect, it } from 'vitest';
import { stackProfileSchema } from '../../model/profile.ts';
import { frameName, JfrRecording } from './jfr-recording.ts';

const sample = (event: string, ...methods: string[]) => `${event} {
  startTime = 09:46:15.295260417 (2026-11-23)
  eventThread = "http-nio-exec-1" (javaThreadId = 22)
  stackTrace = [
${methods.map((method) => `    ${method} line: 7`).join('\n')}
  ]
}
`;
const wait = (event: string, seconds: string, ...methods: string[]) =>
  sample(event, ...methods).replace(
    '\n',
    `\n  duration = ${seconds} s\n  monitorClass = java.lang.Object (classLoader = bootstrap)\n`,
  );

function profileOf(...events: string[]) {
  const recording = new JfrRecording();
  for (const line of events.join('\n').split('\n')) recording.line(line);
  return stackProfileSchema.parse(recording.finish(10));
}

describe('what a JVM recorded', () => {
  it('is added up by stack, outermost frame first, heaviest stack first', () => {
    const rare = sample('jdk.CPUTimeSample', 'shop.Cart.add(String, int)', 'java.lang.Thread.run()');
    const often = sample('jdk.CPUTimeSample', 'shop.Cart.sum()', 'java.lang.Thread.run()');
    expect(profileOf(rare, often, often, sample('jdk.ExecutionSample', 'shop.Other.code()'))).toEqual({
      seconds: 10,
      sampledBy: 'cpu-time',
      frames: ['java.lang.Thread.run', 'shop.Cart.sum', 'shop.Cart.add'],
      cpu: {
        total: 3,
        stacks: [
          { frames: [0, 1], weight: 2, count: 2 },
          { frames: [0, 2], weight: 1, count: 1 },
        ],
      },
      locks: { total: 0, stacks: [] },
    });
  });

  it('is read from samples of running code where the JVM cannot sample CPU time', () => {
    const { sampledBy, cpu } = profileOf(sample('jdk.ExecutionSample', 'shop.Cart.sum()'));
    expect({ sampledBy, total: cpu.total }).toEqual({ sampledBy: 'execution', total: 1 });
  });

  it('holds every wait in milliseconds', () => {
    const { frames, locks } = profileOf(
      wait('jdk.JavaMonitorEnter', '0.002500000', 'shop.Stock.take()'),
      wait('jdk.ThreadPark', '1.5', 'shop.Stock.take()'),
    );
    expect(frames).toEqual(['shop.Stock.take']);
    expect(locks).toEqual({ total: 1502.5, stacks: [{ frames: [0], weight: 1502.5, count: 2 }] });
  });

  it('leaves out what has no stack, and survives any line', () => {
    const none = 'jdk.CPUTimeSample {\n  failed = true\n  stackTrace = N/A\n}\n';
    expect(profileOf(none, '}', 'jdk.', '    (', '  duration = N/A').cpu.total).toBe(0);
  });

  it('keeps the heaviest of very many stacks, and the weight of all', () => {
    const events = Array.from({ length: 2_100 }, (_, index) =>
      sample('jdk.CPUTimeSample', `shop.C.m${index}()`),
    );
    const { cpu, frames } = profileOf(...events);
    expect([cpu.total, cpu.stacks.length, frames.length]).toEqual([2_100, 2_000, 2_000]);
  });
});

it.each([
  ['shop.Plans.lambda$list$3', 'shop.Plans.list'],
  ['shop.Plans$$Lambda/0x00007f3c1c0a1234.apply', 'shop.Plans.apply'],
  ['shop.Plans$$Lambda+0x00007f3c1c0a1234/0x1.apply', 'shop.Plans.apply'],
  ['shop.Plans$$SpringCGLIB$$0.list', 'shop.Plans.list'],
  ['jdk.proxy2.$Proxy131.list', 'jdk.proxy2.$Proxy.list'],
  ['java.lang.invoke.LambdaForm$MH/0x00007f3c1c0a1234.invoke', 'java.lang.invoke.LambdaForm$MH.invoke'],
  [
    'jdk.internal.reflect.GeneratedMethodAccessor12.invoke',
    'jdk.internal.reflect.GeneratedMethodAccessor.invoke',
  ],
  ['shop.Plans$1.run', 'shop.Plans.run'],
  ['shop.Plans$Row.id', 'shop.Plans$Row.id'],
  ['shop.Plans.<init>', 'shop.Plans.<init>'],
])('%s is shown as %s', (method, name) => {
  expect(frameName(method)).toBe(name);
});
