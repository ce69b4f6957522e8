import type { EnvironmentDefinition, EnvironmentTask, Split } from '#contracts/environment';

/** Where the gym server finds environments and their tasks. */
export abstract class TaskSource {
  /** @throws AppError `resource.not_found` for an environment that is not registered. */
  abstract definition(projectId: string, environmentId: string): Promise<EnvironmentDefinition>;

  /** A task that was published for this environment version. */
  abstract task(projectId: string, environmentId: string, taskId: string): Promise<EnvironmentTask | null>;

  /** The split that published tasks of this lineage have; null where none was published. */
  abstract splitOfLineage(
    projectId: string,
    environmentId: string,
    lineageKey: string,
  ): Promise<Split | null>;
}
