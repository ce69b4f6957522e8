/** A real Kafka broker on loopback: one node in KRaft mode, started from jars that Maven fetches once. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';

import { projectRoot } from '#platform/runtime';

import { spawnBound, type BoundServer } from './bound-server.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { hasProgram, serversRequired } from './servers.js';
import { removeTempDirs, tempDir } from './temp-dir.js';

const SUPPORT_DIR = join(projectRoot(), 'test', 'support', 'kafka');
const JARS_DIR = join(SUPPORT_DIR, 'jars');

export interface KafkaServer {
  brokers: string[];
  /** Ends the broker at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A machine under load needs a minute for what takes three seconds. */
const START_LIMIT_MS = 150_000;

let available: boolean | undefined;

/** Whether a broker can be started here; fetches the jars when Java and Maven are there. */
export function kafkaAvailable(): boolean {
  available ??= hasProgram('java') && (existsSync(JARS_DIR) || (hasProgram('mvn') && fetchJars()));
  return available;
}

function fetchJars(): boolean {
  const dir = join(SUPPORT_DIR, `jars-${randomUUID()}`);
  mkdirSync(dir);
  const maven = spawnSync(
    'mvn',
    [
      '-q',
      '-B',
      '-f',
      join(SUPPORT_DIR, 'pom.xml'),
      'dependency:copy-dependencies',
      `-DoutputDirectory=${dir}`,
    ],
    { encoding: 'utf8', timeout: 300_000 },
  );
  if (maven.status === 0 && !existsSync(JARS_DIR)) renameSync(dir, JARS_DIR);
  rmSync(dir, { recursive: true, force: true });
  if (maven.status !== 0 && serversRequired) throw new Error(`Maven could not fetch Kafka: ${maven.stdout}`);
  return existsSync(JARS_DIR);
}

export async function startKafka(): Promise<KafkaServer> {
  if (!kafkaAvailable()) throw new Error('Kafka needs Java 17 and Maven.');
  const dir = tempDir('ratchet-kafka-');
  const [port, controllerPort] = [await freePort(), await freePort()];
  const config = join(dir, 'server.properties');
  writeFileSync(config, properties(join(dir, 'data'), port, controllerPort));
  // One id in 64 begins with a dash: only after an equals sign is it no option.
  const clusterId = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
  const formatted = spawnSync(
    'java',
    javaArgs('kafka.tools.StorageTool', 'format', `--cluster-id=${clusterId}`, '-c', config),
    {
      encoding: 'utf8',
    },
  );
  if (formatted.status !== 0) throw new Error(`Kafka's storage could not be made: ${formatted.stderr}`);
  let broker: BoundServer | undefined;
  const kill = async (): Promise<void> => {
    const ending = broker;
    broker = undefined;
    await ending?.kill();
  };
  const start = async (): Promise<void> => {
    broker = spawnBound('java', javaArgs('kafka.Kafka', config), dir);
    try {
      await eventually('Kafka accepts connections', () => accepts(port), START_LIMIT_MS);
    } catch (error) {
      await kill();
      throw error;
    }
  };
  await start();
  const stop = async (): Promise<void> => {
    await kill();
    removeTempDirs();
  };
  return { brokers: [`127.0.0.1:${port}`], kill, start, stop };
}

function javaArgs(main: string, ...args: string[]): string[] {
  const jars = readdirSync(JARS_DIR).map((name) => join(JARS_DIR, name));
  return [
    '-Xmx256m',
    '-Xms64m',
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    '-cp',
    jars.join(':'),
    main,
    ...args,
  ];
}

function properties(dataDir: string, port: number, controllerPort: number): string {
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    `log.dirs=${dataDir}`,
    'auto.create.topics.enable=false',
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=4',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'transaction.state.log.num.partitions=1',
    'group.initial.rebalance.delay.ms=0',
    'group.min.session.timeout.ms=2000',
    '',
  ].join('\n');
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  }).then((connected) => connected as boolean);
}
