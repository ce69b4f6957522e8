/** Settings of the process: the only place that reads the environment. */
export { configSchema, loadConfig, describeConfig, type AppConfig } from './config.js';
export { childEnvironment } from './child-environment.js';
