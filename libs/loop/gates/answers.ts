/** Forms of this stage's HTTP answers. */
import { z } from 'zod';
import { GateCheck, GatePolicy, GateReport } from '#contracts/gate';
import { named, pageForm } from '#platform/web';

named('GateCheck', GateCheck);

export const GateReportForm = named(
  'StoredGateReport',
  z.object({
    id: z.string(),
    projectId: z.string(),
    agent: z.string(),
    candidateId: z.string(),
    cycleId: z.string().nullable(),
    report: named('GateReport', GateReport),
    policy: named('GatePolicy', GatePolicy),
    createdAt: z.string(),
  }),
);
export const GateReportPage = pageForm('StoredGateReport', GateReportForm);
