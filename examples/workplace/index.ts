export { workplaceEnvironment } from './environment.js';
export { poolOf, type NamePool } from './names.js';
