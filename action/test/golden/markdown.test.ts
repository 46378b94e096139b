import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/model/verdict.ts';
import type { ContentOptions } from '../../src/report/content/report-content.ts';
import {
  type CommentOptions,
  commentMarker,
  longestComment,
  renderComment,
} from '../../src/report/render/comment.ts';
import { largestSummaryBytes, renderSummary } from '../../src/report/render/summary.ts';
import { hostileName } from './hostile-names.ts';
import { markdownTree, nodesOf, shownText } from './markdown-tree.ts';
import { crowd, reason, withFailedCosts } from './verdict-builder.ts';
import { verdicts } from './verdicts.ts';

const options: ContentOptions = {
  command: './gate check',
  recording: { kind: 'push', branch: 'main' },
  configPath: 'perf/gate.yml',
  fullReport: { text: "the run's summary", url: 'https://github.com/owner/repo/actions/runs/42' },
  repositoryUrl: 'https://github.com/owner/repo',
};

const commentOptions: CommentOptions = { ...options, marker: '<!-- perf-gate: perf%2Fgate.yml -->' };

function fixture(name: string): Verdict {
  const verdict = verdicts[name];
  if (verdict === undefined) throw new Error(`no verdict is called ${name}`);
  return verdict;
}

/** All HTML that the renderer writes. Any other would come from an injected name. */
const allowedHtml =
  /^(?:<!-- perf-gate: [\w%.!~*'()-]+ -->|<details>\n<summary>[\w ':,+]+<\/summary>|<\/details>)$/;

/** The full report and the pages of commits. */
const ownPages = /^https:\/\/github\.com\/owner\/repo\/(?:actions\/runs\/42|commit\/[0-9a-f]{40})$/;

const allowedKinds = new Set([
  'root',
  'paragraph',
  'text',
  'strong',
  'inlineCode',
  'list',
  'listItem',
  'table',
  'tableRow',
  'tableCell',
  'html',
  'link',
]);

/** The text without inline code, in which GitHub does not search for mentions. */
function textOutsideCode(node: Nodes): string {
  return nodesOf(node)
    .map((part) => (part.type === 'text' ? part.value : part.type === 'inlineCode' ? '\u0000' : ''))
    .join('');
}

/** Expects that GitHub acts on nothing in the text except what the gate wrote. */
function expectHarmless(markdown: string): void {
  const tree = markdownTree(markdown);
  const nodes = nodesOf(tree);
  expect(nodes.map(({ type }) => type).filter((type) => !allowedKinds.has(type))).toEqual([]);
  for (const node of nodes) {
    if (node.type === 'html') expect(node.value).toMatch(allowedHtml);
    if (node.type === 'link') expect(node.url).toMatch(ownPages);
    if (node.type === 'table') {
      const widths = new Set(node.children.map(({ children }) => children.length));
      expect([...widths]).toHaveLength(1);
    }
    if (node.type === 'paragraph' || node.type === 'tableCell') {
      expect(textOutsideCode(node)).not.toMatch(/(?:^|\W)@[a-z0-9]|#\d|\bgh-\d|:[\w+-]+:|\bwww\./i);
    }
  }
  const opened = nodes.filter((node) => node.type === 'html' && node.value.startsWith('<details>')).length;
  const closed = nodes.filter((node) => node.type === 'html' && node.value === '</details>').length;
  expect(opened).toBe(closed);
  expect(markdown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
}

/** The number of cells in each row of each table, as a parser counts them. */
function tableWidths(markdown: string): number[][] {
  return nodesOf(markdownTree(markdown)).flatMap((node) =>
    node.type === 'table' ? [node.children.map(({ children }) => children.length)] : [],
  );
}

describe('the comment', () => {
  for (const name of Object.keys(verdicts)) {
    it(name, async () => {
      const text = renderComment(fixture(name), commentOptions);
      expectHarmless(text);
      await expect(text).toMatchFileSnapshot(`markdown/comment-${name}.md`);
    });
  }

  it('names the fork that head comes from', async () => {
    const text = renderComment(fixture('regression'), { ...commentOptions, fork: 'someone/else' });
    expectHarmless(text);
    await expect(text).toMatchFileSnapshot('markdown/comment-fork.md');
  });

  it('has no links without the page of the repository', () => {
    const { repositoryUrl, ...others } = commentOptions;
    const text = renderComment(fixture('regression'), { ...others, fullReport: { text: 'verdict.json' } });
    expect(text).not.toContain('](');
  });

  it('opens at most four columns and folds the rest', () => {
    for (const name of Object.keys(verdicts)) {
      const [open = ''] = renderComment(fixture(name), commentOptions).split('<details>');
      for (const width of tableWidths(open).flat()) expect(width).toBe(4);
    }
  });

  it('suggests a command if a command records the baseline', () => {
    const text = renderComment(fixture('regression'), {
      ...commentOptions,
      recording: { kind: 'command', command: './gate baseline' },
    });
    expect(text).toContain('If the change is intended, `./gate baseline` adds it to the stored runs.');
  });

  it('begins with its marker and the verdict', () => {
    const [marker, sentence] = renderComment(fixture('pass'), commentOptions).split('\n');
    expect(marker).toBe(commentOptions.marker);
    expect(sentence).toBe('🟢 **No regression**: all 6 cells are within the limits.');
  });
});

describe('the marker', () => {
  it('is one HTML comment on one line, different for every path and suite', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const pair = fc.tuple(text, text);
    const wellFormed = (texts: readonly string[]) => texts.map((one) => one.toWellFormed());
    fc.assert(
      fc.property(pair, pair, (a, b) => {
        const marker = commentMarker(...a);
        expect(marker).toMatch(/^<!-- perf-gate: (?:(?!--)[!-~])* (?:(?!--)[!-~])* -->$/);
        const same = JSON.stringify(wellFormed(a)) === JSON.stringify(wellFormed(b));
        expect(marker === commentMarker(...b)).toBe(same);
      }),
    );
    expect(commentMarker('perf/gate.yml', 'pr')).toBe('<!-- perf-gate: perf%2Fgate.yml pr -->');
    expect(commentMarker('perf/gate.yml', 'pr')).not.toBe(commentMarker('perf/gate.yml', 'smoke'));
  });

  it.each(['--', '---', 'a-->b', '<!-- perf-gate -->', 'a\nb'])('holds %j', (path) => {
    const [node, ...others] = markdownTree(commentMarker(path, path)).children;
    expect(node?.type).toBe('html');
    expect(others).toEqual([]);
  });
});

describe('the summary', () => {
  for (const name of [
    'first-run',
    'pass',
    'regression',
    'regression-and-invalid',
    'coarse',
    'noise',
    'undecided',
    'invalid-warm-up',
    'truncated',
    'hostile',
    'hostile-markup',
  ]) {
    it(name, async () => {
      const text = renderSummary(fixture(name), options);
      expectHarmless(text);
      await expect(text).toMatchFileSnapshot(`markdown/summary-${name}.md`);
    });
  }

  it('of a fork says why the gate posted no comment', async () => {
    const text = renderSummary(fixture('regression'), {
      ...options,
      fork: 'someone/else',
      withoutComment: 'No comment was posted: the token of a pull request from a fork may only read.',
    });
    expectHarmless(text);
    await expect(text).toMatchFileSnapshot('markdown/summary-fork.md');
  });

  it('names every cell', () => {
    const text = shownText(markdownTree(renderSummary(fixture('truncated'), options)));
    for (const { scenario, load } of fixture('truncated').cells)
      expect(text).toContain(`${scenario}@${load}`);
  });
});

describe('length limits', () => {
  it.each([
    ['80 cells with plain names', 80, 'service'],
    ['2,000 cells with plain names', 2000, 'service'],
    ['400 cells with mentions of 10,000 characters', 400, '@'.repeat(10_000)],
    ['400 cells with wide letters', 400, '東'.repeat(10_000)],
    ['400 cells with letters of many marks', 400, `e${'\u0301'.repeat(10_000)}`],
    ['400 cells with pipes', 400, '|'.repeat(10_000)],
  ])('hold for %s', (_, count, name) => {
    const verdict = crowd(fixture('regression'), count, name);
    const comment = renderComment(verdict, commentOptions);
    expect(comment.length).toBeLessThanOrEqual(longestComment);
    const summary = renderSummary(verdict, options);
    expect(new TextEncoder().encode(summary).length).toBeLessThanOrEqual(largestSummaryBytes);
    // Parsing a summary of a megabyte takes too long here, and the other tests parse summaries.
    expectHarmless(comment);
    for (const text of [comment, summary]) {
      expect(text).toContain('🔴 **Slower**: ');
      expect(text).toContain('**Next step:** Fix it');
      expect(text).toContain("figures [the run's summary](");
    }
    expect(comment).toMatch(/Left out to save space: .* For everything, see \[the run's summary\]/);
  });

  it('hold for many acceptances and changes of judging', () => {
    const many = Array.from({ length: 200 }, (_, index) => `${index}`.repeat(100));
    const verdict: Verdict = {
      ...fixture('accepted'),
      accepted: many.map((text) => ({
        ...{ cell: text, metric: text, growth: null, until: '2026-12-31' },
        ...{ reason: `${text}${'東'.repeat(10_000)}`, by: text },
      })),
      judgingChanges: many.map((text) => ({ what: text, change: '東'.repeat(10_000) })),
    };
    const text = renderComment(verdict, commentOptions);
    expect(text.length).toBeLessThanOrEqual(longestComment);
    expect(text).toContain('195 more acceptances.');
  });

  it('leave out folded parts first', () => {
    const verdict = crowd(fixture('regression'), 400, 'a'.repeat(60));
    const text = renderComment(verdict, commentOptions);
    expect(text.length).toBeGreaterThan(longestComment / 2);
    expect(text).toContain(' before |');
  });
});

describe('with any names', () => {
  it('a report is harmless and its tables keep their shape', () => {
    fc.assert(
      fc.property(hostileName, hostileName, hostileName, hostileName, (scenario, load, other, text) => {
        const base = withFailedCosts(fixture('regression-and-invalid'));
        const verdict: Verdict = {
          ...base,
          suite: other,
          runId: other,
          code: { commit: other, branch: text, dirty: false },
          invalid: [reason(other, text, text)],
          cells: base.cells.map((cell) => ({
            ...cell,
            scenario,
            load,
            endpoints: cell.endpoints.map((one) => ({ ...one, name: other })),
            signals: cell.signals.map((one) => ({ ...one, title: other, unit: other, hint: text })),
            uncounted: cell.uncounted.map((one) => ({ ...one, title: other })),
            objectives: cell.objectives.map((one) => ({ ...one, objective: text })),
            invalid: cell.invalid.map(() => reason(other, text, text)),
          })),
        };
        const plain = { ...base };
        for (const render of [
          (one: Verdict) => renderComment(one, { ...commentOptions, fork: text }),
          (one: Verdict) => renderSummary(one, { ...options, withoutComment: text }),
        ]) {
          const markdown = render(verdict);
          expectHarmless(markdown);
          expect(tableWidths(markdown)).toEqual(tableWidths(render(plain)));
        }
      }),
      { numRuns: 40 },
    );
  });
});
