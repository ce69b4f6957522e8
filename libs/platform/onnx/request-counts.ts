/** What each model answered since the server started; unloading a model keeps its counts. */

export interface ModelCounts {
  model: string;
  /** Answered requests. */
  requests: number;
  promptTokens: number;
  completionTokens: number;
}

export class RequestCounts {
  private readonly counts = new Map<string, ModelCounts>();

  add(model: string, usage: { prompt_tokens: number; completion_tokens: number }): void {
    const before = this.counts.get(model) ?? { model, requests: 0, promptTokens: 0, completionTokens: 0 };
    this.counts.set(model, {
      model,
      requests: before.requests + 1,
      promptTokens: before.promptTokens + usage.prompt_tokens,
      completionTokens: before.completionTokens + usage.completion_tokens,
    });
  }

  list(): ModelCounts[] {
    return [...this.counts.values()];
  }
}
