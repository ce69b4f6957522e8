import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Tokenizer } from '@huggingface/tokenizers';

/** The policy's own tokenizer: the same ids and texts as the one it was trained with (tested against its fixtures). */
export class PolicyTokenizer {
  private constructor(
    private readonly tokenizer: Tokenizer,
    /** Id of the token that ends an assistant turn. */
    readonly stopId: number,
  ) {}

  /** Reads `tokenizer.json` and `tokenizer_config.json` of a policy folder; throws when the end token is unknown. */
  static load(policyDir: string): PolicyTokenizer {
    const read = (file: string): Record<string, unknown> =>
      JSON.parse(readFileSync(join(policyDir, file), 'utf8')) as Record<string, unknown>;
    const settings = read('tokenizer_config.json');
    const tokenizer = new Tokenizer(read('tokenizer.json'), settings);
    const stopId = tokenizer.token_to_id(String(settings['eos_token']));
    if (stopId === undefined) throw new Error(`${policyDir}: the tokenizer has no end token`);
    return new PolicyTokenizer(tokenizer, stopId);
  }

  /** Ids of the text; special tokens written out in it count as such, none is added. */
  encode(text: string): number[] {
    return this.tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  /** Text of the ids; special tokens are left out unless asked for. Broken UTF-8 becomes U+FFFD. */
  decode(ids: readonly number[], options: { special: boolean } = { special: false }): string {
    if (ids.length === 0) return '';
    return this.tokenizer.decode([...ids], {
      skip_special_tokens: !options.special,
      clean_up_tokenization_spaces: false,
    });
  }
}
