/** Forms of this stage's HTTP answers. */
import { z } from 'zod';
import { Cycle, CycleStage } from '#contracts/cycle';
import { Recipe } from '#contracts/recipe';
import { GateReportForm } from '#loop/gates';
import { named, pageForm } from '#platform/web';

named('CycleStage', CycleStage);

export const CycleForm = named('Cycle', Cycle);
export const CyclePage = pageForm('Cycle', CycleForm);
export const CycleDetail = named('CycleDetail', Cycle.extend({ gateReport: GateReportForm.nullable() }));
export const RecipePage = pageForm('Recipe', named('Recipe', Recipe));

const Count = z.number().int();
export const StatsForm = named(
  'Stats',
  z.object({
    spans: Count,
    trajectories: Count,
    steps: Count,
    modelCalls: Count,
    inputTokens: Count,
    outputTokens: Count,
    capturedCalls: Count,
    capturedPromptTokens: Count,
    capturedCompletionTokens: Count,
    failures: Count,
    buckets: Count,
    evalCases: Count,
    trainingRuns: Count,
    adapters: Count,
  }),
);
