/** A few in every run of the tests; `npm run test:fuzz` makes 10,000. */
export function mutantsAFormat(): number {
  return Number(process.env['FUZZ_MUTANTS'] ?? 300);
}
