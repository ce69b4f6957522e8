import { Controller, Get, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { z } from 'zod';
import { Cycles, CyclesModule, Recipes } from '#loop/cycles';
import { RegistryModule, Registry } from '#loop/registry';
import { Log } from '#platform/telemetry';
import { Answers, named, pageForm, type Page } from '#platform/web';

/** Cron of the nightly turn, UTC; undefined: off. */
export class ScheduleSettings {
  constructor(
    readonly cron: string | undefined,
    readonly projectId: string,
  ) {}
}

const NIGHTLY = 'nightly-cycle';

const ScheduleForm = named(
  'Schedule',
  z.object({ name: z.string(), cron: z.string(), nextRunAt: z.string() }),
);
type Schedule = z.infer<typeof ScheduleForm>;
const SchedulePage = pageForm('Schedule', ScheduleForm);

/** Queues a turn for every agent that has a recipe. */
@Injectable()
export class NightlyWork {
  constructor(
    private readonly registry: Registry,
    private readonly recipes: Recipes,
    private readonly cycles: Cycles,
  ) {}

  async queueAll(projectId: string, tick: string): Promise<void> {
    for (const { agent } of await this.registry.agents(projectId)) {
      const recipe = await this.recipes.forTurn(projectId, agent, undefined);
      await this.cycles.start({
        projectId,
        agent,
        recipe,
        trigger: 'schedule',
        seed: null,
        idempotencyKey: `${NIGHTLY}/${agent}/${tick}`,
      });
    }
  }
}

/** Turns the same cycle as on demand, by cron. A tick only queues work; its key is the tick's time, so two apps queue one. */
@Injectable()
export class NightlyCycle implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: SchedulerRegistry,
    private readonly settings: ScheduleSettings,
    private readonly work: NightlyWork,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const { cron } = this.settings;
    if (cron === undefined) return;
    const job: CronJob = CronJob.from({
      cronTime: cron,
      timeZone: 'UTC',
      onTick: (): Promise<void> => this.tick(job.lastDate()),
    });
    this.scheduler.addCronJob(NIGHTLY, job);
    job.start();
  }

  schedules(): Schedule[] {
    const { cron } = this.settings;
    if (cron === undefined) return [];
    const next = this.scheduler.getCronJob(NIGHTLY).nextDate().toUTC().toISO() ?? '';
    return [{ name: NIGHTLY, cron, nextRunAt: next }];
  }

  private async tick(at: Date | null): Promise<void> {
    try {
      await this.work.queueAll(this.settings.projectId, at?.toISOString() ?? NIGHTLY);
    } catch (error) {
      this.log.error('schedule.tickFailed', { error });
    }
  }
}

@Controller('api/v1/schedules')
export class SchedulesController {
  constructor(private readonly nightly: NightlyCycle) {}

  @Get()
  @Answers(200, SchedulePage)
  list(): Page<Schedule> {
    return { items: this.nightly.schedules(), nextCursor: null };
  }
}

/** `ScheduleSettings` comes from the app. */
@Module({
  imports: [ScheduleModule.forRoot(), CyclesModule, RegistryModule],
  controllers: [SchedulesController],
  providers: [NightlyCycle, NightlyWork],
})
export class SchedulerModule {}
