/** The system's Chromium, driven by playwright-core; tests of the page are skipped where there is none. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const chromiumPath = PLACES.find((place) => existsSync(place)) ?? null;

/** `--no-sandbox`: containers run tests as root, where Chromium refuses its own sandbox. @throws Error without a Chromium. */
export function openBrowser(): Promise<Browser> {
  if (chromiumPath === null) throw new Error(`no Chromium at ${PLACES.join(', ')}`);
  return chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 120_000,
  });
}
