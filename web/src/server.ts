/** The local server, where there is one: plans, searches, films and files that are too heavy for a page. */
import type { Item } from "./data";
import type { Description } from "./engine/types";

const PATIENCE = 250; // ms between two looks at a job

interface JobReport {
  job: string;
  state: "waiting" | "running" | "done" | "failed";
  progress: number;
  text: string;
  result?: unknown;
}

async function answer(path: string, method: string, body?: unknown): Promise<unknown> {
  const given = await fetch(path, { method, headers: body === undefined ? {} : { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) });
  const told = (await given.json().catch(() => ({ error: `the server answered ${given.status}` }))) as { error?: string };
  if (!given.ok) throw new Error(told.error ?? `the server answered ${given.status}`);
  return told;
}

/** Nobody wants the work any more. */
export class GivenUp extends Error {}

/** Ask for a piece of work and wait for it; `progress` hears how far it is. An aborted signal gives the work up, on the server too. */
export async function job<T>(task: string, parameters: { [key: string]: unknown }, progress: (share: number, text: string) => void, signal?: AbortSignal): Promise<T> {
  let report = (await answer("api/jobs", "POST", { task, ...parameters })) as JobReport;
  for (;;) {
    report = (await answer(`api/jobs/${report.job}`, signal?.aborted ? "DELETE" : "GET")) as JobReport;
    if (signal?.aborted) throw new GivenUp("given up");
    if (report.state === "done") return report.result as T;
    if (report.state === "failed") throw new Error(report.text || `${task} failed`);
    progress(report.progress, report.text);
    await new Promise((go) => setTimeout(go, PATIENCE));
  }
}

/** A scenario, run or sweep in the folder of the server. */
export function load(name: string): Promise<Item> {
  return answer("api/load", "POST", { name, here: true }) as Promise<Item>;
}

/** Scenarios, runs and sweeps in the folder of the server. */
export async function listed(): Promise<{ name: string; title: string }[]> {
  const all = (await answer("api/scenarios", "GET")) as { name: string; title: string; here?: boolean }[];
  return all.filter((one) => one.here);
}

export function save(name: string, description: Description): Promise<{ path: string }> {
  return answer("api/save", "POST", { name, description }) as Promise<{ path: string }>;
}

export function fileLink(name: string): string {
  return `api/files/${encodeURIComponent(name)}`;
}
