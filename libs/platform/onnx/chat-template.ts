import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Template } from '@huggingface/jinja';

import type { ChatMessage, ToolDefinition } from '#contracts/chat';

/** The policy's chat template (`chat_template.jinja`), rendered as the trainer renders it. */
export class ChatTemplate {
  private constructor(private readonly template: Template) {}

  static load(policyDir: string): ChatTemplate {
    return new ChatTemplate(new Template(readFileSync(join(policyDir, 'chat_template.jinja'), 'utf8')));
  }

  /** The prompt up to where the assistant's next turn begins. */
  render(messages: readonly ChatMessage[], tools: readonly ToolDefinition[] = []): string {
    return this.template.render({
      messages: messages.map(withText),
      tools: tools.length > 0 ? tools : null,
      add_generation_prompt: true,
    });
  }
}

/** Jinja prints a missing content as the word `null`, which no template means. */
function withText(message: ChatMessage): ChatMessage {
  return message.content === null ? { ...message, content: '' } : message;
}
