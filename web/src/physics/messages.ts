/** What page and worker tell each other. */
import type { Best, Description, Metrics, Outcome, Problem, Steering } from "../engine/types";
import type { Chunk, Facts } from "../motion";

export type Ask =
  | { kind: "load"; wasm: Uint8Array }
  | { kind: "run"; id: number; description: Description; preview: boolean }
  | { kind: "live"; id: number; description: Description }
  | { kind: "steer"; id: number; changes: Steering }
  | { kind: "stop"; id: number }
  | { kind: "leave" }
  | { kind: "best"; id: number; description: Description; key: string; low: number; high: number; metric: string }
  | { kind: "full"; id: number; description: Description };

export type Tell =
  | { kind: "ready" }
  | { kind: "opened"; id: number; facts: Facts; steerable: Steering }
  | { kind: "frames"; id: number; chunk: Chunk; last: boolean }
  | { kind: "ended"; id: number; outcome: Outcome; metrics: Metrics; seconds: number; more: boolean }
  | { kind: "checked"; id: number; outcome: Outcome }
  | { kind: "refused"; id: number; errors: Problem[] }
  | { kind: "failed"; id: number; message: string }
  | { kind: "progress"; id: number; share: number }
  | { kind: "best"; id: number; best: Best }
  | { kind: "left"; id: number }
  | { kind: "full"; id: number; description: Description };
