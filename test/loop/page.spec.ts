/** The page in a real browser, on an app with the demo on. */
import type { Browser, Page } from 'playwright-core';
import type { Started } from '../../apps/ratchet/start.js';
import { chromiumPath, openBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { startInProcess } from '../support/ratchet.js';
import { removeTempDirs } from '../support/temp-dir.js';

const HOSTILE = `<img src=x onerror="window.taken=1"><script>window.taken=1</script>'"&amp;`;
const PATIENCE_MS = 240_000;

let started: Started;
let browser: Browser;
let page: Page;
const pageErrors: string[] = [];

interface Bucket {
  id: string;
  name: string;
}

async function buckets(): Promise<Bucket[]> {
  const response = await fetch(`${started.url}/api/v1/buckets`);
  return ((await response.json()) as { items: Bucket[] }).items;
}

/** Text of the page once it holds `text`: the page reads anew every two seconds. */
const shows = (text: string): Promise<string> =>
  eventually(
    `the page shows ${text}`,
    async () => {
      const now = await page.locator('body').innerText();
      return now.includes(text) ? now : null;
    },
    PATIENCE_MS,
  );

const describeInBrowser = chromiumPath === null ? describe.skip : describe;

describeInBrowser('the page in Chromium (4 tests, skipped where there is none)', () => {
  beforeAll(async () => {
    started = await startInProcess({ RATCHET_DEMO: 'on', RATCHET_TRAIN: 'off' });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('pageerror', (error) => pageErrors.push(error.message));
    page.on('dialog', (dialog) => {
      pageErrors.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await eventually('a failure is in a bucket', async () => (await buckets())[0] ?? null, PATIENCE_MS);
    await page.goto(started.url);
  }, 600_000);

  afterAll(async () => {
    await browser.close();
    await started.stop();
    removeTempDirs();
  }, 120_000);

  it('shows how much there is at each stage, a bucket with its failures, and who serves', async () => {
    const bucket = (await buckets())[0];
    await shows(bucket?.name ?? 'a bucket');
    const count = (name: string): Promise<string> =>
      page
        .locator('.circle li', { has: page.getByText(name, { exact: true }) })
        .locator('b')
        .innerText();
    for (const name of ['Trajectories', 'Failures', 'Buckets'])
      expect(Number(await count(name))).toBeGreaterThan(0);
    const row = page.locator('tr', { has: page.getByText(bucket?.name ?? '', { exact: true }) }).first();
    expect(Number(await row.locator('.number').innerText())).toBeGreaterThan(0);
    const models = (await (await fetch(`${started.url}/v1/models`)).json()) as { data: { root: string }[] };
    expect(models.data[0]?.root).toContain((await count('Serving')).split('…')[0]);
  }, 300_000);

  it('shows hostile text as text: nothing of it becomes an element, no script runs', async () => {
    const { id } = (await buckets())[0] ?? { id: 'none' };
    const renamed = await fetch(`${started.url}/api/v1/buckets/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: HOSTILE }),
    });
    expect(renamed.status).toBe(200);
    expect(await shows(HOSTILE)).toContain(HOSTILE);
    expect(await page.locator('#root img, #root script').count()).toBe(0);
    expect(await page.evaluate('window.taken ?? null')).toBeNull();
  }, 300_000);

  it('fits a narrow window: nothing runs out of it sideways', async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow).toBe(0);
    expect(await page.getByRole('heading', { name: 'Failure buckets' }).isVisible()).toBe(true);
  }, 60_000);

  it('is reached by keyboard: Tab goes to the choice of the project and shows where it is', async () => {
    await page.locator('body').click({ position: { x: 1, y: 1 } });
    await page.keyboard.press('Tab');
    expect(await page.getByLabel('Project').evaluate((node) => node.matches(':focus-visible'))).toBe(true);
    const outline = await page.getByLabel('Project').evaluate('node => getComputedStyle(node).outlineStyle');
    expect(outline).not.toBe('none');
    expect(pageErrors).toEqual([]);
  }, 60_000);
});
