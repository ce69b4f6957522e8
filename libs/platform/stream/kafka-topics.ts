import kafkajs, { type Admin } from 'kafkajs';

export interface TopicSettings {
  name: string;
  partitions: number;
  replicationFactor: number;
  /** The broker's own names, all said so that no broker default decides. */
  config: Readonly<Record<string, string>>;
}

/** Forward only: partitions are added, never taken; settings are written as said. */
export async function ensureTopics(admin: Admin, topics: readonly TopicSettings[]): Promise<string[]> {
  const existing = new Set(await admin.listTopics());
  const missing = topics.filter(({ name }) => !existing.has(name));
  await admin.createTopics({
    waitForLeaders: true,
    topics: missing.map(({ name, partitions, replicationFactor, config }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor,
      configEntries: entriesOf(config),
    })),
  });
  const kept = topics.filter(({ name }) => existing.has(name));
  if (kept.length === 0) return missing.map(({ name }) => name);
  await admin.alterConfigs({
    validateOnly: false,
    resources: kept.map(({ name, config }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
      configEntries: entriesOf(config),
    })),
  });
  const { topics: known } = await admin.fetchTopicMetadata({ topics: kept.map(({ name }) => name) });
  const grown = kept.filter(({ name, partitions }) => {
    const now = known.find((topic) => topic.name === name)?.partitions.length;
    return now !== undefined && now < partitions;
  });
  if (grown.length > 0) {
    await admin.createPartitions({
      topicPartitions: grown.map(({ name, partitions }) => ({ topic: name, count: partitions })),
    });
  }
  return missing.map(({ name }) => name);
}

function entriesOf(config: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(config).map(([name, value]) => ({ name, value }));
}
