/** The door of the engine: `loadPhysics` turns the bytes of the compiled kernels into what the page can ask. */
export * from "./types";
export { loadPhysics } from "./physics";
