/** Which agent a call belongs to when it does not say: `model: "default"` or a name given as the model. */
export class DefaultAgent {
  constructor(private readonly name: string) {}

  of(model: string): string {
    return model === 'default' ? this.name : model;
  }
}
