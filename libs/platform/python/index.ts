/** The Python environment of the trainer: a venv made by `uv` in the data folder, resumable, announced with its size. */
export { PythonEnvironment, type PythonProgress, type PythonState } from './python-environment.js';
