import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { readSnapshot, type Snapshot } from './api.ts';
import { Baseline, Buckets, Circle, Curves, CyclePanel, Gate, Outcomes } from './panels.tsx';
import './style.css';

const REFRESH_MS = 2_000;

function useSnapshot(project: string): { snapshot: Snapshot | null; error: string | null } {
  const [state, setState] = useState<{ snapshot: Snapshot | null; error: string | null }>({
    snapshot: null,
    error: null,
  });
  useEffect(() => {
    let over = false;
    let timer: number | undefined;
    const read = async (): Promise<void> => {
      try {
        const snapshot = await readSnapshot(project);
        if (!over) setState({ snapshot, error: null });
      } catch (error) {
        if (!over)
          setState((before) => ({
            ...before,
            error: error instanceof Error ? error.message : String(error),
          }));
      }
      if (!over) timer = window.setTimeout(() => void read(), REFRESH_MS);
    };
    void read();
    return () => {
      over = true;
      window.clearTimeout(timer);
    };
  }, [project]);
  return state;
}

function App() {
  const [project, setProject] = useState('default');
  const { snapshot, error } = useSnapshot(project);
  const projects = [...new Set(['default', ...(snapshot?.projects.map((one) => one.projectId) ?? [])])];
  const newest = snapshot?.cycles[0];
  return (
    <main>
      <header>
        <h1>Ratchet</h1>
        <label>
          Project{' '}
          <select value={project} onChange={(event) => setProject(event.target.value)}>
            {projects.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </header>
      {error && <p className="blocked">Ratchet does not answer: {error}</p>}
      {snapshot && (
        <>
          <Circle snapshot={snapshot} />
          <p className="quiet">Training environment: {snapshot.python.message}</p>
          <Outcomes points={snapshot.outcomes} />
          <Buckets buckets={snapshot.buckets} />
          {newest && <CyclePanel cycle={newest} />}
          {newest && <Baseline cycle={newest} />}
          {snapshot.events.length > 0 && <Curves events={snapshot.events} />}
          {snapshot.gate && <Gate gate={snapshot.gate} />}
        </>
      )}
    </main>
  );
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
