/** One episode: a private copy of the task's tables. */
import type { EnvironmentSession, EnvironmentTask, ExpectedCall, ToolOutcome } from '#contracts/environment';
import { applyTool, type Tables } from './tables.js';

export class WorkplaceSession implements EnvironmentSession {
  private readonly tables: Tables;

  constructor(readonly task: EnvironmentTask) {
    this.tables = initialTables(task);
  }

  callTool(name: string, args: Record<string, unknown>): ToolOutcome {
    return applyTool(this.tables, name, args);
  }

  snapshot(): Record<string, unknown> {
    return { ...structuredClone(this.tables) };
  }
}

/** A fresh copy of the task's tables. Tasks are made by this environment, so their state has this shape. */
export function initialTables(task: EnvironmentTask): Tables {
  return structuredClone(task.state) as unknown as Tables;
}

/** The tables after the calls, from the task's initial state. */
export function tablesAfter(task: EnvironmentTask, calls: readonly ExpectedCall[]): Tables {
  const tables = initialTables(task);
  for (const call of calls) applyTool(tables, call.name, call.arguments);
  return tables;
}
