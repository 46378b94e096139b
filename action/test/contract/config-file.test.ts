import { join } from 'node:path';
import fc from 'fast-check';
import { createFixture } from 'fs-fixture';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withAddedWaivers } from '../../src/adapters/config/add-waivers.ts';
import { loadConfig } from '../../src/adapters/config/file.ts';
import { Fault, type FaultDetails } from '../../src/model/fault.ts';

const good = `version: 1
name: sample
stack:
  process:
    service:
      command: [node, service.js]
      ports: { PORT: auto }
      url: http://127.0.0.1:\${PORT}
      ready: { url: "http://127.0.0.1:\${PORT}/ready" }
scenarios:
  browse:
    script: browse.ts
    loads:
      peak: { vus: 20 }
suites:
  pr:
    cells: [browse@peak]
`;

async function write(text: string): Promise<string> {
  const fixture = await createFixture({ 'gate.yml': text });
  onTestFinished(() => fixture.rm());
  return join(fixture.path, 'gate.yml');
}

async function faultOf(text: string): Promise<FaultDetails> {
  const path = await write(text);
  try {
    loadConfig(path);
  } catch (error) {
    if (error instanceof Fault) {
      return { ...error.details, place: error.details.place.replace(path, 'gate.yml') };
    }
    throw error;
  }
  throw new Error('expected a fault');
}

describe('the configuration file', () => {
  it('gets its defaults filled in', async () => {
    const path = await write(good);
    const { config, directory } = loadConfig(path);
    expect(config.suites.pr).toMatchObject({ rounds: 3, guard: 3, counted: 10 });
    expect(`${directory}/gate.yml`).toBe(path);
  });

  it('leaves the tolerance of a signal to its gate, unless one is written', async () => {
    const rows = 'rows: { title: rows, from: service, series: [x], per: request, gate: fail, hint: y }';
    const path = await write(`${good}signals:\n  ${rows}\n`);
    expect(loadConfig(path).config.signals.rows).toMatchObject({ gate: 'fail', floor: 0 });
    expect(loadConfig(path).config.signals.rows?.tolerance).toBeUndefined();
    const other = await write(`${good}signals:\n  ${rows.replace('gate: fail', 'tolerance: 0%')}\n`);
    expect(loadConfig(other).config.signals.rows).toMatchObject({ gate: 'report', tolerance: 0 });
  });

  it('sets the tolerances of p95, TPS and CPU time by one number, and others by their own', async () => {
    const own = { serviceCpu: 0.2, backingCpu: 0.3, errorRate: 0.01 };
    const read = async (text: string) => loadConfig(await write(`${good}${text}`)).config.tolerances;
    expect(await read('')).toEqual({ p95: 0.25, tps: 0.1, ...own });
    expect(await read('tolerances: { tps: 5% }')).toEqual({ p95: 0.25, tps: 0.05, ...own });
    expect(await read('tolerances: { all: 12%, p95: 40% }')).toEqual({
      p95: 0.4,
      tps: 0.12,
      serviceCpu: 0.12,
      backingCpu: 0.12,
      errorRate: 0.01,
    });
  });

  it('has waivers for cells, scenarios and all cells, by metric or signal', async () => {
    const waiver = (cell: string, metric: string, ceiling: string) =>
      `  - { cell: "${cell}", metric: ${metric}, ceiling: ${ceiling}, until: 2026-01-31, reason: an index }\n`;
    const items = [
      waiver('browse@peak', 'p95', '20%'),
      waiver('browse', 'tps', 'any'),
      waiver('*', 'bytesReceived', '5%'),
    ];
    const { config } = loadConfig(await write(`${good}waivers:\n${items.join('')}`));
    expect(config.waivers.map(({ cell, metric, ceiling }) => [cell, metric, ceiling])).toEqual([
      ['browse@peak', 'p95', 0.2],
      ['browse', 'tps', null],
      ['*', 'bytesReceived', 0.05],
    ]);
    for (const [wrong, cause] of [
      [waiver('browse@few', 'p95', '20%'), /expected a cell, a scenario or `\*`/],
      [waiver('browse@peak', 'p99', '20%'), /expected one of p95, /],
      [waiver('browse@peak', 'p95', '"20"'), /expected a percentage/],
      [waiver('browse@peak', 'p95', '20%').replace('2026-01-31', 'soon'), /expected a day/],
    ] as const) {
      const fault = await faultOf(`${good}waivers:\n${wrong}`);
      expect(fault.cause).toMatch(cause);
      expect(fault.place).toMatch(/^gate\.yml:19:/);
    }
  });

  it('has sweeps with ranges, lists, arguments of the command and values that belong together', async () => {
    const sweep = (text: string) => `${good}sweeps:\n  one:\n    cell: browse@peak\n    ${text}\n`;
    const read = async (text: string) => loadConfig(await write(sweep(text))).config.sweeps.one;
    expect(await read('set: { POOL: "1..3,17" }')).toEqual({
      cell: 'browse@peak',
      set: { POOL: ['1', '2', '3', '17'] },
      variants: [],
    });
    expect((await read('variants: [{}, { POOL: "5" }]'))?.variants).toEqual([{}, { POOL: '5' }]);
    const withFlag = sweep('set: { -Xmx1g: "-Xmx1g,-Xmx2g" }').replace('[node, ', '[java, -Xmx1g, ');
    expect(loadConfig(await write(withFlag)).config.sweeps.one?.set).toEqual({
      '-Xmx1g': ['-Xmx1g', '-Xmx2g'],
    });
    for (const [text, place, cause] of [
      ['set: { POOL: "5..1" }', '21:18', /a range that ends where it starts/],
      ['set: { POOL: 5 }', '21:18', /expected text, found 5/],
      ['set: { POOL: "1,,2" }', '21:18', /a value before and after each comma/],
      ['set: { A-B: "1,2" }', '21:12', /the name of a variable/],
      ['set: { POOL: "7" }', '20:5', /at least two values to compare/],
      ['set: { -Xmx9g: "-Xmx1g,-Xmx2g" }', '21:20', /an argument that `stack.process.service.command` has/],
      ['variants: [{}, { -Xmx9g: -Xmx1g }]', '21:30', /an argument that `stack.process.service.command` has/],
      ['values: { POOL: "1,2" }', '20:5', /unknown key "values"/],
    ] as const) {
      const fault = await faultOf(sweep(text));
      expect(fault.cause, text).toMatch(cause);
      expect(fault.place, text).toBe(`gate.yml:${place}`);
    }
    const unknown = await faultOf(
      sweep('set: { POOL: "1,2" }').replace('cell: browse@peak', 'cell: browse@few'),
    );
    expect(unknown).toMatchObject({ code: 'E_CONFIG_CELL', place: 'gate.yml:20:11' });
  });

  it('gets waivers added without a change of its other lines', async () => {
    const made = {
      cell: 'browse@peak',
      metric: 'p95',
      ceiling: 0.201,
      until: '2026-01-31',
      reason: 'a: "b"',
    };
    const commented = good.replace('suites:', '# What is measured.\nsuites: # all');
    const once = withAddedWaivers(commented, [made], 'gate.yml');
    expect(once.startsWith(commented)).toBe(true);
    const twice = withAddedWaivers(once, [{ ...made, metric: 'errorRate', ceiling: 0.0041 }], 'gate.yml');
    expect(twice.startsWith(once.trimEnd())).toBe(true);
    const elsewhere = `${good.replace('name: sample', `waivers:\n- ${'# kept\n'}  cell: browse\n  metric: tps\n  ceiling: any\n  until: 2026-01-31\n  reason: x\nname: sample`)}`;
    for (const [text, ceilings] of [
      [twice, [0.21, expect.closeTo(0.0041)]],
      [withAddedWaivers(elsewhere, [{ ...made, ceiling: null }], 'gate.yml'), [null, null]],
    ] as const) {
      const { config } = loadConfig(await write(text));
      expect(config.waivers.map(({ ceiling }) => ceiling)).toEqual(ceilings);
      expect(config.waivers.at(-1)).toMatchObject({ reason: 'a: "b"', until: '2026-01-31' });
      expect(config.name).toBe('sample');
    }
    expect(() => withAddedWaivers(`${good}waivers: []\n`, [made], 'gate.yml')).toThrow(/brackets/);
  });

  it('of this repository is valid', () => {
    const path = join(import.meta.dirname, '../../../perf/gate.yml');
    expect(loadConfig(path).config.suites.pr?.cells).toHaveLength(6);
  });

  it.each([
    [
      'a misspelt key',
      ['    cells:', '    round: 4\n    cells:'],
      'E_CONFIG_KEY',
      '17:5',
      /did you mean `rounds`/,
      /write `rounds`/,
    ],
    [
      'an unknown key',
      ['suites:', 'retries: 3\nsuites:'],
      'E_CONFIG_KEY',
      '15:1',
      /"retries" in the file/,
      /version, name, stack/,
    ],
    [
      'a misspelt key that is required',
      ['scenarios:', 'scenario:'],
      'E_CONFIG_KEY',
      '10:1',
      /^unknown key "scenario"[^\n]*$/,
      /write `scenarios`/,
    ],
    [
      'no users',
      ['vus: 20', 'vus: 0'],
      'E_CONFIG_VALUE',
      '14:20',
      /at least 1 virtual user, found 0/,
      /vus: 130/,
    ],
    ['negative users', ['vus: 20', 'vus: -3'], 'E_CONFIG_VALUE', '14:20', /found -3/, /vus: 130/],
    [
      'users as text',
      ['vus: 20', 'vus: many'],
      'E_CONFIG_VALUE',
      '14:20',
      /whole number of virtual users, found the text "many"/,
      /vus: 130/,
    ],
    ['half a user', ['vus: 20', 'vus: 1.5'], 'E_CONFIG_VALUE', '14:20', /found 1.5/, /vus: 130/],
    [
      'a duration without unit',
      ['    cells:', '    guard: 5\n    cells:'],
      'E_CONFIG_VALUE',
      '17:12',
      /found 5/,
      /guard: 12s/,
    ],
    [
      'a percentage without sign',
      ['suites:', 'tolerances: { p95: 0.1 }\nsuites:'],
      'E_CONFIG_VALUE',
      '15:20',
      /found 0.1/,
      /p95: 10%/,
    ],
    [
      'a command as text',
      ['[node, service.js]', 'node service.js'],
      'E_CONFIG_VALUE',
      '6:16',
      /expected a list, found the text "node service.js"/,
      /command: \[java/,
    ],
    [
      'a bad port',
      ['PORT: auto', 'PORT: 70000'],
      'E_CONFIG_VALUE',
      '7:22',
      /found 70000/,
      /SERVER_PORT: auto/,
    ],
    [
      'a bad name',
      ['browse:', '"br owse":'],
      'E_CONFIG_KEY',
      '11:3',
      /"br owse" is not allowed; expected 1 to 64 letters/,
      /./,
    ],
    [
      'an unknown cell',
      ['browse@peak', 'browse@peek'],
      'E_CONFIG_CELL',
      '17:13',
      /"browse@peek"/,
      /write `browse@peak`/,
    ],
    ...['browse@constructor', 'constructor@peak', '__proto__@peak'].map(
      (cell) =>
        [
          `the impossible cell ${cell}`,
          ['browse@peak', cell],
          'E_CONFIG_CELL',
          '17:13',
          new RegExp(`no scenario and load form the cell "${cell}"`),
          /browse@peak/,
        ] as const,
    ),
    [
      'a duplicate cell',
      ['[browse@peak]', '[browse@peak, browse@peak]'],
      'E_CONFIG_VALUE',
      '17:26',
      /suites\.pr\.cells\.1: expected each cell once, found the text "browse@peak"/,
      /write each once/,
    ],
    [
      'a stack without a kind',
      [good.slice(good.indexOf('stack:'), good.indexOf('scenarios:')), 'stack: {}\n'],
      'E_CONFIG_VALUE',
      '3:8',
      /^stack: expected `process`, `compose` or both, found a mapping$/,
      /gate\.schema\.json/,
    ],
    [
      'a block that counts no time',
      ['    cells:', '    counted: 0s\n    cells:'],
      'E_CONFIG_VALUE',
      '17:14',
      /more than 0, such as .*, found the text "0s"/,
      /counted: 12s/,
    ],
    [
      'an empty warm-up window',
      ['suites:', 'warmUp: { window: 0.0ms }\nsuites:'],
      'E_CONFIG_VALUE',
      '15:19',
      /more than 0, such as .*, found the text "0.0ms"/,
      /window: 12s/,
    ],
    [
      'a profile that ends before the counted time',
      ['{ vus: 20 }', '{ vus: 20, profile: [{ vus: 1, over: 200ms }, { vus: 0, over: 300ms }] }'],
      'E_CONFIG_VALUE',
      '14:33',
      /peak\.profile: expected parts of more than 0\.5 s together, found a list/,
      /profile: \[/,
    ],
    [
      'a profile in an unbroken suite',
      [
        '{ vus: 20 }\nsuites:\n  pr:\n',
        '{ vus: 20, profile: [{ vus: 1, over: 5s }] }\nsuites:\n  pr:\n    unbroken: true\n',
      ],
      'E_CONFIG_VALUE',
      '18:13',
      /expected a load without `profile` or `users`, because the suite is unbroken, found the text "browse@peak"/,
      /./,
    ],
    [
      'an objective for errors without its unit',
      ['{ vus: 20 }', '{ vus: 20, objectives: { errorRate: 1 } }'],
      'E_CONFIG_VALUE',
      '14:49',
      /objectives\.errorRate: expected text, found 1/,
      /write a percentage, such as `errorRate: 10%`/,
    ],
    [
      'an objective in milliseconds that is written with its unit',
      ['{ vus: 20 }', '{ vus: 20, objectives: { meanMs: 500ms } }'],
      'E_CONFIG_VALUE',
      '14:46',
      /objectives\.meanMs: expected a number, found the text "500ms"/,
      /write milliseconds as a bare number, such as `meanMs: 500`/,
    ],
    [
      'an objective for throughput with its unit',
      ['{ vus: 20 }', '{ vus: 20, objectives: { tps: 1020/s } }'],
      'E_CONFIG_VALUE',
      '14:43',
      /objectives\.tps: expected a number, found the text "1020\/s"/,
      /write requests per second as a bare number/,
    ],
    [
      'an objective whose name lacks its unit',
      ['{ vus: 20 }', '{ vus: 20, objectives: { mean: 500 } }'],
      'E_CONFIG_KEY',
      '14:38',
      /unknown key "mean" in .*objectives; did you mean `meanMs`\?/,
      /write `meanMs`/,
    ],
    [
      'both kinds of load',
      ['{ vus: 20 }', '{ vus: 20, arrival: { rate: 40 } }'],
      'E_CONFIG_VALUE',
      '14:13',
      /peak: expected one of `vus`, `arrival` and `users`/,
      /./,
    ],
    [
      'neither kind of load',
      ['{ vus: 20 }', '{ objectives: { p95Ms: 100 } }'],
      'E_CONFIG_VALUE',
      '14:13',
      /peak: expected one of `vus`, `arrival` and `users`/,
      /./,
    ],
    ...(
      [
        ['a rate of 0', '{ arrival: { rate: 0 } }', '14:32', /peak\.arrival\.rate/],
        ['a negative rate', '{ arrival: { rate: -4 } }', '14:32', /peak\.arrival\.rate/],
        ['a rate with a unit', '{ arrival: { rate: 40/s } }', '14:32', /rate: .*found the text "40\/s"/],
        ['a time of the rate without a unit', '{ arrival: { rate: 4, per: 2 } }', '14:40', /arrival\.per/],
        ['users over a time without a unit', '{ users: { count: 9, over: 30 } }', '14:40', /users\.over/],
        ['users within no time', '{ users: { count: 9, over: 1s } }', '14:40', /expected 2s or more/],
        ['no users', '{ users: { count: 0, over: 9s } }', '14:31', /at least 1 virtual user/],
        [
          'a ramp of users who make one pass',
          '{ users: { count: 9, over: 9s }, ramp: { start: 1, add: 1, every: 1s } }',
          '14:13',
          /`ramp` and `profile` only with `vus` or `arrival`/,
        ],
        [
          'a profile of users for a rate',
          '{ arrival: { rate: 4 }, profile: [{ rate: 4, over: 9s }, { vus: 4, over: 9s }] }',
          '14:70',
          /profile\.1: expected `rate` and no `vus`, because the load has `arrival`/,
        ],
        [
          'a profile of rates for users',
          '{ vus: 4, profile: [{ rate: 4, over: 9s }] }',
          '14:33',
          /profile\.0: expected `vus` and no `rate`, because the load has `vus`/,
        ],
        [
          'a part with both',
          '{ vus: 4, profile: [{ vus: 4, rate: 4, over: 9s }] }',
          '14:33',
          /profile\.0: expected `vus` and no `rate`/,
        ],
        [
          'a profile without any pass',
          '{ arrival: { rate: 4 }, profile: [{ rate: 0, over: 9s }] }',
          '14:46',
          /expected a part with `rate` of more than 0/,
        ],
        [
          'a rate that its profile does not reach',
          '{ arrival: { rate: 9 }, profile: [{ rate: 4, over: 9s }] }',
          '14:32',
          /arrival\.rate: expected the highest rate of the profile, 4/,
        ],
        ['an objective with a unit', '{ vus: 4, objectives: { meanMs: 500ms } }', '14:45', /meanMs/],
        [
          'an objective without one',
          '{ vus: 4, objectives: { errorRate: 1 } }',
          '14:48',
          /errorRate: expected text, found 1/,
        ],
      ] as const
    ).map(
      ([what, load, place, cause]) =>
        [what, ['{ vus: 20 }', load], 'E_CONFIG_VALUE', place, cause, /./] as [
          string,
          [string, string],
          string,
          string,
          RegExp,
          RegExp,
        ],
    ),
    [
      'fewer users than generators',
      ['peak: { vus: 20 }\n', 'peak: { users: { count: 3, over: 30s } }\ngenerators: 4\n'],
      'E_CONFIG_VALUE',
      '14:31',
      /users\.count: expected at least as many users as `generators`, 4/,
      /./,
    ],
    [
      'fewer users of a rate than generators',
      ['peak: { vus: 20 }\n', 'peak: { arrival: { rate: 9, vus: 3 } }\ngenerators: 4\n'],
      'E_CONFIG_VALUE',
      '14:40',
      /arrival\.vus: expected at least as many users as `generators`, 4/,
      /./,
    ],
    [
      'a missing key',
      ['    script: browse.ts\n', ''],
      'E_CONFIG_VALUE',
      '11:3',
      /scenarios.browse lacks `script`/,
      /add `script`/,
    ],
    [
      'a gauge that may fail the check',
      [
        'suites:',
        'signals:\n  heap: { title: heap, from: service, series: [x], per: max, gate: fail, hint: y }\nsuites:',
      ],
      'E_CONFIG_VALUE',
      '16:68',
      /heap\.gate: expected `per: request` with `gate: fail`, found the text "fail"/,
      /gate: suspect/,
    ],
    [
      'bytes that are not counted per request',
      [
        'suites:',
        'signals:\n  sent: { title: sent, from: generator, series: [k6_data_received_total], per: max, hint: y }\nsuites:',
      ],
      'E_CONFIG_VALUE',
      '16:49',
      /sent\.series: expected `per: request` and no other series with k6_data_received_total/,
      /./,
    ],
    [
      'a k6 metric with labels',
      [
        'suites:',
        'signals:\n  sent: { title: sent, from: generator, series: ["a{b=1}"], per: p95, hint: y }\nsuites:',
      ],
      'E_CONFIG_VALUE',
      '16:49',
      /sent\.series: expected the name of a k6 metric, without labels/,
      /./,
    ],
    [
      'a quantile of several k6 metrics',
      [
        'suites:',
        'signals:\n  sent: { title: sent, from: generator, series: [a, b], per: p95, hint: y }\nsuites:',
      ],
      'E_CONFIG_VALUE',
      '16:49',
      /sent\.series: expected one metric with `per: p95` of the generator/,
      /./,
    ],
    [
      'a quantile of a gauge of the service',
      [
        'suites:',
        'signals:\n  sent: { title: sent, from: service, series: [a], per: p95, hint: y }\nsuites:',
      ],
      'E_CONFIG_VALUE',
      '16:57',
      /sent\.per: expected `from: generator` with `per: p95`/,
      /./,
    ],
    [
      'an unknown gate',
      [
        'suites:',
        'signals:\n  rows: { title: rows, from: service, series: [x], per: request, gate: red, hint: y }\nsuites:',
      ],
      'E_CONFIG_VALUE',
      '16:72',
      /rows\.gate: expected report or suspect or fail, found the text "red"/,
      /gate: fail/,
    ],
    ['an empty value', ['{ vus: 20 }', ''], 'E_CONFIG_VALUE', '14:7', /found nothing/, /./],
    [
      'a duplicate key',
      ['name: sample', 'name: sample\nname: other'],
      'E_CONFIG_SYNTAX',
      '3:1',
      /twice/,
      /remove/,
    ],
    ['an open bracket', ['[browse@peak]', '[browse@peak'], 'E_CONFIG_SYNTAX', '18:1', /./, /brackets/],
    [
      'a second document',
      ['suites:', '---\nsuites:'],
      'E_CONFIG_SYNTAX',
      '15:1',
      /second document/,
      /one document/,
    ],
    ['an alias without anchor', ['vus: 20', 'vus: *many'], 'E_CONFIG_SYNTAX', '14:20', /anchor/, /define/],
  ] as const)('reports %s with its place', async (_, [from, to], code, position, cause, nextStep) => {
    expect(good).toContain(from);
    const details = await faultOf(good.replace(from, () => to));
    expect(details).toMatchObject({
      code,
      kind: 'usage',
      place: `gate.yml:${position}`,
      cause: expect.stringMatching(cause),
      nextStep: expect.stringMatching(nextStep),
    });
  });

  it('is reported with its first ten mistakes, in the order of the file', async () => {
    const two = await faultOf(good.replace('vus: 20', 'vus: 0').replace('name: sample', 'nam: sample'));
    expect(two.place).toBe('gate.yml:2:1');
    expect(two.cause.split('\n')).toEqual([
      expect.stringContaining('unknown key "nam"'),
      expect.stringMatching(/gate\.yml:14:20: scenarios\.browse\.loads\.peak\.vus/),
    ]);
    const many = await faultOf(good + Array.from({ length: 30 }, (_, index) => `key${index}: 1\n`).join(''));
    expect(many.cause.split('\n')).toHaveLength(11);
    expect(many.cause).toMatch(/and 20 more$/);
  });

  it.each([
    ['an empty file', ''],
    ['a scalar', '42'],
    [
      'a bomb of aliases',
      Array.from(
        { length: 12 },
        (_, index) => `a${index}: &a${index} [${Array(10).fill(index === 0 ? 'x' : `*a${index - 1}`)}]`,
      ).join('\n'),
    ],
    ['an alias to itself', 'a: &a [*a]'],
    ['deep nesting', '['.repeat(50_000)],
    ['closed deep nesting', `a: ${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['a file with keys of the prototype', `${good}__proto__: { vus: 1 }\nconstructor: 1\n`],
    ['an unknown tag', 'a: !!js/function "x"'],
    ['a mapping as key', '? { a: 1 }\n: 2'],
    ['a text with control characters', 'name: "\u0000\u001b[31m"'],
    ['a file that is far too long', 'x'.repeat(1_000_000)],
    [
      'a list of thousands of unknown keys',
      Array.from({ length: 5000 }, (_, index) => `k${index}: 1`).join('\n'),
    ],
  ])('is a fault if it is %s', async (_, text) => {
    expect((await faultOf(text)).code).toMatch(/^E_CONFIG_/);
  });

  it('causes only faults, however it is changed', async () => {
    const path = await write('');
    const { writeFileSync } = await import('node:fs');
    const pieces = fc.constantFrom(
      '&a ',
      '*a',
      '[',
      '{',
      '}',
      ': ',
      '- ',
      '\n  ',
      '"',
      '!!binary ',
      '<<: ',
      '|',
      '\t',
      '0',
      '\u0000',
      '? ',
    );
    fc.assert(
      fc.property(
        fc.nat(good.length),
        fc.nat(20),
        fc.array(pieces, { maxLength: 4 }),
        (at, removed, inserted) => {
          writeFileSync(path, good.slice(0, at) + inserted.join('') + good.slice(at + removed));
          try {
            loadConfig(path);
          } catch (error) {
            expect(error).toBeInstanceOf(Fault);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('distinguishes a missing file, a folder and a file that is not text', async () => {
    const fixture = await createFixture({ 'bytes.yml': Buffer.from([0xff, 0xfe, 0x00]) });
    onTestFinished(() => fixture.rm());
    expect(() => loadConfig(join(fixture.path, 'none.yml'))).toThrow(/E_CONFIG_MISSING.*no such file/);
    expect(() => loadConfig(fixture.path)).toThrow(/E_CONFIG_READ.*folder/);
    expect(() => loadConfig(join(fixture.path, 'bytes.yml'))).toThrow(/E_CONFIG_READ.*UTF-8/);
  });
});
