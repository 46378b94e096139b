import { writeSync } from 'node:fs';
import { readRecord } from '../../adapters/results/index.ts';
import { recordPoints, reporters } from '../../report/index.ts';

/**
 * Runs in a process of its own for `gate bench report`: reads the check in the given folder, makes its page and its
 * points, and prints what that took.
 */
const from = performance.now();
const record = await readRecord(process.argv[2] ?? '');
const read = performance.now();
const page = reporters.page.render(record.verdict, {
  command: 'gate check',
  recording: { kind: 'command', command: 'gate baseline' },
  configPath: 'gate.yml',
  fullReport: { text: 'verdict.json' },
  record,
});
const made = performance.now();
const peakBytes = process.resourceUsage().maxRSS * 1024;
const points = recordPoints(record, 'bench');
const pointed = performance.now();
const sides = [record.head, record.base, record.again?.base, record.again?.head].filter(
  (side) => side !== undefined,
);
const blocks = sides.flatMap(({ run }) => run.cells.flatMap((cell) => cell.blocks));
writeSync(
  1,
  JSON.stringify({
    requests: blocks.reduce((sum, block) => sum + block.requests, 0),
    blocks: blocks.length,
    readMs: read - from,
    pageMs: made - read,
    peakBytes,
    pageBytes: Buffer.byteLength(page),
    points: points.length,
    pointsMs: pointed - made,
  }),
);
