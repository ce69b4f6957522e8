import { spawnSync } from 'node:child_process';

/** On the machines that decide, a missing server is a failure; elsewhere its suites are skipped and counted as such. */
export const serversRequired =
  process.env['CI'] === 'true' || process.env['CI'] === '1' || process.env['RATCHET_REQUIRE_SERVERS'] === '1';

export function hasProgram(name: string, versionFlag = '--version'): boolean {
  return spawnSync(name, [versionFlag], { stdio: 'ignore' }).status === 0;
}

/** `describe`, or `describe.skip` where what the suite runs on is missing and not required. */
export function describeWhere(available: boolean): jest.Describe {
  return available || serversRequired ? describe : describe.skip;
}
