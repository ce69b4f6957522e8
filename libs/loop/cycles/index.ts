export { CyclesModule, CycleWorkerModule } from './cycles.module.js';
export { Cycles } from './cycles.service.js';
export { Recipes } from './recipes.js';
export { AppAddress, CycleSettings, TrainerProvider } from './settings.js';
export { LoopStats, type Stats } from './stats.service.js';
