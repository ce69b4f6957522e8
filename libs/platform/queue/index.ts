/** Work that outlives a request: job rows are the truth, the queue only says that there is something to look at. */
export { BullMqJobQueue, type BullMqOptions } from './bullmq-queue.js';
export { JobQueue, InProcessJobQueue, type NotifyHandler } from './job-queue.js';
export { JobStore, type ClaimOptions, type EnqueueOptions, type ListOptions } from './job-store.js';
export {
  JobWorker,
  RetryableJobError,
  type JobContext,
  type JobHandler,
  type JobWorkerOptions,
} from './job-worker.js';
export { isEnded, type ClaimedJob, type Job, type JobClaim, type JobError, type JobState } from './job.js';
