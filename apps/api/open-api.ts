/** Holds the OpenAPI document, made once from the controllers when the app starts. */
export class OpenApiDocument {
  private document: unknown = null;

  set(document: unknown): void {
    this.document = document;
  }

  get(): unknown {
    return this.document;
  }
}
