/**
 * Holm's step-down procedure.
 * @returns for each p-value, in the given order, whether its hypothesis is rejected with family-wise error `alpha`.
 */
export function holm(pValues: readonly number[], alpha: number): boolean[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const rejected = pValues.map(() => false);
  for (const [rank, { p, index }] of order.entries()) {
    if (!(p <= alpha / (pValues.length - rank))) break;
    rejected[index] = true;
  }
  return rejected;
}
