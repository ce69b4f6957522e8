/** Forms of this stage's HTTP answers. */
import { z } from 'zod';
import { AgentRef } from '#contracts/policy';
import { named, pageForm } from '#platform/web';
import { CANDIDATE_STATES } from './domain/states.js';

const Admission = z.object({
  ok: z.boolean(),
  problems: z.array(z.string()),
  name: z.string(),
  digest: z.string(),
  rank: z.number(),
  deltaNorm: z.number(),
});

export const CandidateForm = named(
  'Candidate',
  z.object({
    id: z.string(),
    projectId: z.string(),
    agent: z.string(),
    kind: z.enum(['base', 'adapter']),
    policyName: z.string(),
    agentRef: named('AgentRef', AgentRef),
    agentRefDigest: z.string(),
    state: z.enum(CANDIDATE_STATES),
    parentId: z.string().nullable(),
    runId: z.string().nullable(),
    cycleId: z.string().nullable(),
    adapterDir: z.string().nullable(),
    admission: named('AdapterAdmission', Admission).nullable(),
    gateReportId: z.string().nullable(),
    createdAt: z.string(),
  }),
);
export const CandidatePage = pageForm('Candidate', CandidateForm);

const RegistryEventForm = named(
  'RegistryEvent',
  z.object({
    id: z.string(),
    agent: z.string(),
    candidateId: z.string(),
    fromState: z.string().nullable(),
    toState: z.string(),
    actor: z.string(),
    reason: z.string(),
    replacedId: z.string().nullable(),
    at: z.string(),
  }),
);
export const RegistryEventPage = pageForm('RegistryEvent', RegistryEventForm);
