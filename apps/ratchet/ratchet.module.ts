import { Global, Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import { AppAddress, CycleSettings, TrainerProvider } from '#loop/cycles';
import { EvaluatorKey, FailureSourceModule } from '#loop/evals';
import { DefaultAgent, PolicyFleet } from '#loop/serving';
import { MaskingKey, StreamLink } from '#loop/trajectories';
import { AccessSettings, ApiModule } from '../api/api.module.js';
import { CollectorModule } from '../collector/collector.module.js';
import { EvaluatorModule } from '../evaluator/evaluator.module.js';
import { GatewayModule } from '../gateway/gateway.module.js';
import { IngestModule } from '../ingest/ingest.module.js';
import { ScheduleSettings, SchedulerModule } from '../scheduler/scheduler.module.js';
import { DemoModule } from './demo/demo.module.js';
import { PlatformModule, type PlatformParts } from './platform.module.js';
import { PortsModule } from './ports.module.js';

export interface RatchetParts extends PlatformParts {
  fleet: PolicyFleet;
  streamLink: StreamLink;
  evaluatorKey: EvaluatorKey;
  maskingKey: MaskingKey;
  trainers: TrainerProvider;
  cycleSettings: CycleSettings;
  schedule: ScheduleSettings;
  access: AccessSettings;
  defaultAgent: string;
}

@Global()
@Module({})
class SettingsModule {
  static of(parts: RatchetParts): DynamicModule {
    const values: [InjectionToken | typeof EvaluatorKey | typeof MaskingKey, unknown][] = [
      [PolicyFleet, parts.fleet],
      [StreamLink, parts.streamLink],
      [EvaluatorKey, parts.evaluatorKey],
      [MaskingKey, parts.maskingKey],
      [TrainerProvider, parts.trainers],
      [CycleSettings, parts.cycleSettings],
      [ScheduleSettings, parts.schedule],
      [AccessSettings, parts.access],
      [DefaultAgent, new DefaultAgent(parts.defaultAgent)],
      [AppAddress, new AppAddress()],
    ];
    const providers = values.map(([provide, useValue]) => ({ provide: provide as InjectionToken, useValue }));
    return { module: SettingsModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}

/** Every app's root module in one process, on the adapters it is given. */
@Module({})
export class RatchetModule {
  static of(parts: RatchetParts): DynamicModule {
    return {
      module: RatchetModule,
      imports: [
        PlatformModule.of(parts),
        SettingsModule.of(parts),
        PortsModule,
        FailureSourceModule,
        CollectorModule,
        IngestModule,
        GatewayModule,
        SchedulerModule,
        EvaluatorModule,
        DemoModule,
        ApiModule,
      ],
    };
  }
}
