import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createFixture } from 'fs-fixture';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckRecord } from '../../src/model/record.ts';
import { renderPage } from '../../src/report/render/page.ts';
import { lackOfTool } from '../e2e/tool.ts';
import { records } from '../golden/record-examples.ts';

const lack = lackOfTool('chromium', 'the tests of the page in a browser');
/** Pictures of every state, for people to look at; git ignores the folder. */
const pictures = join(import.meta.dirname, '../../../.perf-gate/pictures');
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Milliseconds that the browser may take on a busy machine. */
const patience = 120_000;

let browser: Browser;
let folder: Awaited<ReturnType<typeof createFixture>>;

beforeAll(async () => {
  if (lack !== undefined) return;
  mkdirSync(pictures, { recursive: true });
  folder = await createFixture();
  browser = await chromium.launch({
    executablePath: programPath('chromium'),
    timeout: patience,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-sync',
    ],
  });
});

afterAll(async () => {
  if (lack !== undefined) return;
  await browser.close();
  await folder.rm();
});

function record(name: string): CheckRecord {
  const found = records[name];
  if (found === undefined) throw new Error(`no record is called ${name}`);
  return found;
}

/** Playwright wants a path, where other programs take a name. */
function programPath(name: string): string {
  return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
}

/** Opens the page of a record from a file. Everything that the browser complains about or asks for goes into `noticed`. */
async function opened(name: string, options: BrowserContextOptions = {}) {
  const path = folder.getPath(`${name}.html`);
  const text = renderPage(record(name).verdict, {
    command: './gate check',
    recording: { kind: 'push', branch: 'main' },
    configPath: 'perf/gate.yml',
    fullReport: { text: 'verdict.json' },
    record: record(name),
  });
  await writeFile(path, text);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const noticed: string[] = [];
  page.on('console', (message) => noticed.push(message.text()));
  page.on('pageerror', (error) => noticed.push(error.message));
  page.on('request', (request) => noticed.push(request.url()));
  const address = pathToFileURL(path).href;
  await page.goto(address);
  noticed.splice(noticed.indexOf(address), 1);
  await page.locator('details').evaluateAll((all) => {
    for (const details of all) details.setAttribute('open', '');
  });
  return { page, noticed };
}

const picture = (page: Page, name: string) =>
  page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });

/** Of each line of a time axis, how wide and high it is drawn, in CSS pixels. */
function drawnSizes(page: Page) {
  return page.locator('.axis .line').evaluateAll((lines) =>
    lines.map((line) => {
      const { width, height } = line.getBoundingClientRect();
      return { width, height };
    }),
  );
}

describe.skipIf(lack !== undefined)('the page in Chromium', () => {
  it.each(Object.keys(records))(
    '%s: every chart is drawn, nothing is loaded, nothing fails',
    async (name) => {
      const { page, noticed } = await opened(name);
      for (const { width } of await drawnSizes(page)) expect(width).toBeGreaterThan(10);
      for (const svg of await page.locator('svg.fixed').all()) {
        expect(await svg.locator('path.line, circle.mark').count()).toBeGreaterThan(0);
      }
      expect(noticed).toEqual([]);
      await picture(page, name);
    },
  );

  it.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['narrow', { viewport: { width: 360, height: 800 } }],
  ] as const)('%s: passes the rules of axe, and fits the window', async (name, options) => {
    const { page } = await opened('regression', options);
    await picture(page, `regression-${name}`);
    const wide = await page
      .locator('html')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(wide).toBeLessThanOrEqual(0);
    // The policy of the page refuses scripts of others, so axe comes through the debugger.
    const session = await page.context().newCDPSession(page);
    await session.send('Runtime.evaluate', { expression: await readFile(axe, 'utf8') });
    const { result } = await session.send('Runtime.evaluate', {
      expression:
        'axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes[0].html])))',
      awaitPromise: true,
    });
    expect(JSON.parse(String(result.value))).toEqual([]);
  });

  it('prints all that is open', async () => {
    const { page } = await opened('regression');
    await page.emulateMedia({ media: 'print' });
    await picture(page, 'regression-print');
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.length).toBeGreaterThan(20_000);
  });

  it('draws everything without its script too', async () => {
    const { page, noticed } = await opened('regression', { javaScriptEnabled: false });
    for (const box of await page.locator('.axis svg.stretched').all())
      expect((await box.boundingBox())?.height).toBeGreaterThan(20);
    expect(noticed).toEqual([]);
    await picture(page, 'regression-without-script');
  });

  describe('the flame graph', () => {
    const flameOf = (page: Page) => page.locator('.flame');
    const reading = (page: Page) => flameOf(page).locator('.reading').textContent();
    const frame = (page: Page, name: string) => flameOf(page).locator('g', { hasText: name });
    const widths = (page: Page) =>
      flameOf(page)
        .locator('rect')
        .evaluateAll((all) => all.map((rect) => Math.round(Number(rect.getAttribute('width')))));

    it('shows which code grew by its place, colour and words', async () => {
      const { page } = await opened('regression');
      expect(await flameOf(page).count()).toBe(1);
      const box = await frame(page, 'MessageDigest').locator('rect').boundingBox();
      expect(box?.width).toBeGreaterThan(100);
      const fillOf = (name: string) =>
        frame(page, name)
          .locator('rect')
          .evaluate((rect) => rect.ownerDocument.defaultView?.getComputedStyle(rect).fill);
      expect(await fillOf('MessageDigest')).not.toBe(await fillOf('DefaultTrips'));
      expect(await frame(page, 'MessageDigest').locator('text').textContent()).toBe(
        '▲ MessageDigest.digest 0% → 35%',
      );
      await picture(page, 'regression-flame');
    });

    it('writes no label beyond its frame', async () => {
      const { page } = await opened('regression');
      const wider = await flameOf(page)
        .locator('g', { has: page.locator('text') })
        .evaluateAll((all) =>
          all.filter((g) => {
            const [rect, text] = ['rect', 'text'].map((name) =>
              g.querySelector(name)?.getBoundingClientRect(),
            );
            return (text?.right ?? 0) > (rect?.right ?? 0);
          }),
        );
      expect(wider).toEqual([]);
    });

    it('zooms to the method that is clicked, and back', async () => {
      const { page } = await opened('regression');
      const all = await widths(page);
      await frame(page, 'MessageDigest').locator('rect').click();
      await expect.poll(async () => (await widths(page)).at(-1)).toBe(1180);
      expect(await reading(page)).toBe('▲ java.security.MessageDigest.digest: 0% → 35%');
      expect(await frame(page, 'Finalizer').isVisible()).toBe(false);
      await picture(page, 'regression-flame-zoomed');
      await frame(page, 'MessageDigest').locator('rect').dblclick();
      await expect.poll(() => widths(page)).toEqual(all);
    });

    it('can be read and zoomed with the keyboard alone', async () => {
      const { page } = await opened('regression');
      const all = await widths(page);
      await flameOf(page).focus();
      const press = async (...keys: readonly string[]) => {
        for (const key of keys) await page.keyboard.press(key);
        return reading(page);
      };
      expect(await press('ArrowDown')).toBe('java.lang.Thread.run: 100% → 100%');
      expect(await press('ArrowDown', 'ArrowRight')).toBe('java.lang.ref.Finalizer.run: 3.8% → 3.8%');
      expect(await press('ArrowLeft', 'ArrowDown', 'ArrowUp')).toContain(
        'DispatcherServlet.doDispatch (2 frames)',
      );
      await press('Enter');
      expect((await widths(page))[1]).toBe(1180);
      await press('0');
      expect(await widths(page)).toEqual(all);
    });
  });

  describe('the time axis', () => {
    const axisOf = (page: Page) => page.locator('.axis').first();
    const viewBoxes = (page: Page) =>
      axisOf(page)
        .locator('svg.stretched')
        .evaluateAll((all) => all.map((svg) => svg.getAttribute('viewBox')?.split(' ')));

    it('reads the values of the second below the pointer in all charts', async () => {
      const { page } = await opened('regression');
      const first = axisOf(page).locator('svg.stretched').first();
      await first.scrollIntoViewIfNeeded();
      await first.hover({ position: { x: 400, y: 20 } });
      await expect
        .poll(() => axisOf(page).locator('.reading').textContent())
        .toMatch(/^(base|head), round \d.*second \d/);
      const values = await axisOf(page).locator('figcaption .key b').allTextContents();
      expect(values[0]).toMatch(/^\d[\d.]* ms$/);
      expect(values.filter((value) => value !== '').length).toBeGreaterThan(values.length / 2);
      await picture(page, 'regression-hover');
    });

    it('zooms all charts to what is dragged over, and back', async () => {
      const { page } = await opened('regression');
      const all = await viewBoxes(page);
      const first = axisOf(page).locator('svg.stretched').first();
      await first.scrollIntoViewIfNeeded();
      const box = await first.boundingBox();
      if (box === null) throw new Error('the chart has no box');
      await page.mouse.move(box.x + box.width * 0.25, box.y + 10);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.5, box.y + 10);
      await page.mouse.up();
      const seconds = Number(all[0]?.[2]);
      await expect.poll(async () => Number((await viewBoxes(page))[0]?.[2])).toBeCloseTo(seconds / 4, 0);
      const zoomed = await viewBoxes(page);
      expect(new Set(zoomed.map((one) => one?.slice(0, 3).join(' '))).size).toBe(1);
      await picture(page, 'regression-zoomed');
      await first.dblclick();
      await expect.poll(() => viewBoxes(page)).toEqual(all);
    });

    it('can be read and zoomed with the keyboard alone', async () => {
      const { page } = await opened('regression');
      const all = await viewBoxes(page);
      await axisOf(page).focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      expect(await axisOf(page).locator('.reading').textContent()).toContain('second 2, not counted');
      await page.keyboard.press('+');
      expect(Number((await viewBoxes(page))[0]?.[2])).toBeLessThan(Number(all[0]?.[2]));
      await page.keyboard.press('0');
      expect(await viewBoxes(page)).toEqual(all);
    });
  });
});
