import { Injectable } from '@nestjs/common';
import type { EnvironmentTask, Split } from '#contracts/environment';

/** Tasks on which sessions may be opened, in memory, by project and environment version. What is missing is drawn anew from its query. */
@Injectable()
export class PublishedTasks {
  private readonly byEnvironment = new Map<string, Published>();

  add(of: Place, setId: string, tasks: readonly EnvironmentTask[]): void {
    const known = this.byEnvironment.get(keyOf(of)) ?? {
      sets: new Set(),
      tasks: new Map(),
      splits: new Map(),
    };
    known.sets.add(setId);
    for (const task of tasks) {
      known.tasks.set(task.id, task);
      known.splits.set(task.lineageKey, task.split);
    }
    this.byEnvironment.set(keyOf(of), known);
  }

  has(of: Place, setId: string): boolean {
    return this.byEnvironment.get(keyOf(of))?.sets.has(setId) ?? false;
  }

  task(of: Place, taskId: string): EnvironmentTask | null {
    return this.byEnvironment.get(keyOf(of))?.tasks.get(taskId) ?? null;
  }

  splitOfLineage(of: Place, lineageKey: string): Split | null {
    return this.byEnvironment.get(keyOf(of))?.splits.get(lineageKey) ?? null;
  }
}

export interface Place {
  projectId: string;
  environmentId: string;
}

function keyOf({ projectId, environmentId }: Place): string {
  return JSON.stringify([projectId, environmentId]);
}

interface Published {
  sets: Set<string>;
  tasks: Map<string, EnvironmentTask>;
  splits: Map<string, Split>;
}
