export { mixTasks } from './domain/job.js';
export { planTraining, type TrainingPlan } from './domain/plan.js';
export type { WatchdogLimits } from './domain/watchdog.js';
export { nativeTrainer, type TrainerCommand } from './trainer-process.js';
export { TrainingModule } from './training.module.js';
export type { TrainingRun } from './training.repository.js';
export { Training } from './training.service.js';
