import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/**
 * Draws the picture of a comment that the README shows: the upper part of the comment on a recorded regression. It
 * needs Chromium, whose path can be given: `npm run picture -- /usr/bin/chromium`. No check compares the picture,
 * because browsers differ by pixels.
 */
const root = join(import.meta.dirname, '../..');
const chromium = process.argv[2] ?? 'chromium';
const source = 'action/test/recorded/comment.md';
const [width, mostHeight] = [1000, 780];

const style = `
  body { margin: 0; padding: 12px; background: #fff; color: #1f2328; font: 14px/1.5 "Liberation Sans", Arial, sans-serif; }
  body::after { content: ''; position: fixed; inset: auto 0 0; height: 70px; background: linear-gradient(#fff0, #fff); }
  .comment { border: 1px solid #d0d7de; border-radius: 6px; }
  .head { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d0d7de; border-radius: 6px 6px 0 0; color: #59636e; }
  .head b { color: #1f2328; }
  .head span { padding: 0 7px; border: 1px solid #d0d7de; border-radius: 2em; font-size: 12px; }
  .body { padding: 16px; }
  .body > :first-child { margin-top: 0; }
  .body > :last-child { margin-bottom: 0; }
  p, ul, table, details { margin: 0 0 14px; }
  ul { padding-left: 2em; }
  table { border-collapse: collapse; }
  th, td { padding: 5px 12px; border: 1px solid #d0d7de; }
  tr:nth-child(2n) td { background: #f6f8fa; }
  code { padding: .2em .4em; border-radius: 6px; background: #eff1f3; font: 85% "DejaVu Sans Mono", monospace; }
  .red { display: inline-block; width: 13px; height: 13px; border-radius: 50%; background: #dd2e44; vertical-align: -1px; }
  a { color: #0969da; text-decoration: none; }
`;

function page(markdown: string): string {
  const body = micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  // A machine without a font for emoji would draw an empty box.
  const drawn = body.replace('🔴', '<span class="red"></span>');
  return `<!doctype html><meta charset="utf-8"><title>comment</title><style>${style}</style>
<div class="comment"><div class="head"><b>github-actions</b> <span>bot</span> commented</div>
<div class="body">${drawn}</div></div>
<script>document.title = String(Math.ceil(document.documentElement.getBoundingClientRect().height));</script>`;
}

function run(folder: string, ...args: readonly string[]): string {
  const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--hide-scrollbars'];
  return execFileSync(chromium, [...quiet, `--user-data-dir=${folder}/profile`, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

const folder = mkdtempSync(join(tmpdir(), 'comment-picture-'));
try {
  const file = join(folder, 'comment.html');
  writeFileSync(file, page(readFileSync(join(root, source), 'utf8')));
  const address = `file://${file}`;
  const [, height] =
    /<title>(\d+)<\/title>/.exec(run(folder, `--window-size=${width},400`, '--dump-dom', address)) ?? [];
  if (height === undefined) throw new Error('Chromium did not render the comment');
  run(
    folder,
    `--window-size=${width},${Math.min(Number(height), mostHeight)}`,
    `--screenshot=${join(root, '.github/docs/comment.png')}`,
    address,
  );
} finally {
  rmSync(folder, { recursive: true });
}
