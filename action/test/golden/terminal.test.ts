import { describe, expect, it } from 'vitest';
import { plainPaint } from '../../src/report/format/paint.ts';
import { displayWidth } from '../../src/report/format/text-layout.ts';
import { renderTerminal, type TerminalOptions } from '../../src/report/render/terminal.ts';
import { verdicts } from './verdicts.ts';

const options: Omit<TerminalOptions, 'width'> = {
  paint: plainPaint,
  command: './gate check',
  recording: { kind: 'command', command: './gate baseline' },
  configPath: 'perf/gate.yml',
  fullReport: { text: '.perf-gate/results/report.html, with verdict.json and run.json' },
};

describe('the report on a terminal', () => {
  for (const [name, verdict] of Object.entries(verdicts)) {
    for (const width of [80, 120]) {
      it(`${name}, ${width} columns`, async () => {
        const stored = name === 'first-run' ? { storedIn: '.perf-gate/baseline' } : {};
        const text = renderTerminal(verdict, { ...options, ...stored, width });
        expect(text.split('\n').filter((line) => displayWidth(line) > width)).toEqual([]);
        expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
        await expect(text).toMatchFileSnapshot(`terminal/${name}-${width}.txt`);
      });
    }
  }

  it('styles only what needs a style', async () => {
    const regression = verdicts.regression;
    if (regression === undefined) throw new Error('the verdict called regression is missing');
    const text = renderTerminal(regression, {
      ...options,
      width: 120,
      paint: (style, part) => `<${style}>${part}</${style}>`,
    });
    await expect(text).toMatchFileSnapshot('terminal/regression-styled.txt');
  });
});
