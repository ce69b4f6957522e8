/** JSON as real files hold it: Python writes numbers that JSON has no name for. */

/** What opens and ends text, what is escaped in it, and those numbers. No repetition: a long text costs no stack. */
const MARK = /"|\\.|-?\b(?:NaN|Infinity)\b/gs;

/** The value; NaN and the infinities are null. @throws SyntaxError for what is no JSON even so. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const patched = withoutPythonNumbers(text);
    if (patched === text) throw error;
    return JSON.parse(patched) as unknown;
  }
}

/** The value in a box, so that null is told from none. */
export function jsonOf(text: string): { value: unknown } | null {
  try {
    return { value: parseJson(text) };
  } catch {
    return null;
  }
}

function withoutPythonNumbers(text: string): string {
  if (!text.includes('NaN') && !text.includes('Infinity')) return text;
  let inText = false;
  return text.replace(MARK, (mark) => {
    if (mark === '"') inText = !inText;
    return inText || mark === '"' || mark.startsWith('\\') ? mark : 'null';
  });
}
