import { Injectable } from '@nestjs/common';
import type { EnvironmentDefinition } from '#contracts/environment';

/** Definitions in memory: programs that are part of the app, and next-action ones rebuilt from a project's cases. */
@Injectable()
export class EnvironmentDefinitions {
  private readonly programs = new Map<string, EnvironmentDefinition>();
  private readonly rebuilt = new Map<string, EnvironmentDefinition>();

  add(id: string, definition: EnvironmentDefinition): void {
    this.programs.set(id, definition);
  }

  /** What is made of a project's own data is never found by another project. */
  addForProject(projectId: string, id: string, definition: EnvironmentDefinition): void {
    this.rebuilt.set(`${projectId}/${id}`, definition);
  }

  find(projectId: string, id: string): EnvironmentDefinition | null {
    return this.rebuilt.get(`${projectId}/${id}`) ?? this.programs.get(id) ?? null;
  }
}
