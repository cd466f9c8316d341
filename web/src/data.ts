/** What the page is given to show: the block of data that Python writes into it, and its kinds of items. */
import type { Description } from "./engine/types";

export interface EncodedArray {
  shape: number[];
  dtype: "f4" | "f8";
  data: string; // base64, little-endian
}

export interface EncodedFrames {
  count: number;
  links: number;
  arrays: { [name: string]: EncodedArray };
}

export interface RunEvent {
  time: number;
  kind: string;
  text: string;
  data: { [key: string]: unknown };
}

export interface ScenarioItem {
  kind: "scenario";
  name: string;
  title: string;
  description: Description;
  runnable: boolean;
  why?: string;
}

export interface TrajectoryItem {
  kind: "trajectory" | "shape";
  name: string;
  title?: string;
  description: Description;
  status?: { name: string; message: string; time: number | null };
  warnings?: string[];
  metrics?: { [name: string]: number | null };
  units?: { [name: string]: string };
  events?: RunEvent[];
  provenance?: { [key: string]: unknown };
  frames: EncodedFrames;
}

export interface StoreItem {
  kind: "store";
  name: string;
  title?: string;
  dims: { name: string; unit: string; meaning?: string; values: (number | string)[] }[];
  metrics: { [name: string]: { unit: string; meaning?: string; values: EncodedArray } };
  base: Description;
}

export interface Claim {
  id: string;
  source: string;
  claim: string;
  measured: string;
  verdict: string;
}

export interface StudyItem {
  kind: "study";
  name: string;
  title?: string;
  figures: { name: string; png: string }[];
  claims: Claim[];
}

export type Item = ScenarioItem | TrajectoryItem | StoreItem | StudyItem;

export interface PageData {
  format: number;
  version: string;
  server: boolean;
  embedded: boolean;
  items: Item[];
  studies?: string[]; // that the server can carry out
  state?: string; // the fragment of the state that the file was saved in
}

const NOTHING: PageData = { format: 1, version: "", server: false, embedded: false, items: [] };

/** The data block of this page; without one an empty page. */
export function pageData(): PageData {
  const block = document.getElementById("serpenoid-data");
  if (!block) return NOTHING;
  const data = { ...NOTHING, ...(JSON.parse(block.textContent ?? "{}") as Partial<PageData>) };
  if (data.format !== 1) throw new Error(`this page reads data of format 1, got ${data.format}: export it again with this version`);
  return data;
}

/** Numbers of an encoded array; a number of bytes that does not fit its shape is an error. */
export function decoded(given: EncodedArray): Float32Array {
  const numbers = decodeNumbers(given.data, given.dtype);
  const expected = given.shape.reduce((a, b) => a * b, 1);
  if (numbers.length !== expected) throw new Error(`an array of ${expected} numbers came with ${numbers.length}: the file is damaged`);
  return numbers;
}

export function decodeNumbers(base64: string, dtype: "f4" | "f8" = "f4"): Float32Array {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const size = dtype === "f8" ? 8 : 4;
  if (bytes.length % size) throw new Error(`${bytes.length} bytes are no whole number of ${dtype}: the file is damaged`);
  return dtype === "f8" ? new Float32Array(new Float64Array(bytes.buffer)) : new Float32Array(bytes.buffer);
}
