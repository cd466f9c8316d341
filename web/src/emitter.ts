/** Who wants to know of a change, by its name. */
export class Emitter<Events extends { [name: string]: unknown }> {
  private readonly listeners: { [K in keyof Events]?: ((value: Events[K]) => void)[] } = {};

  on<K extends keyof Events>(name: K, listener: (value: Events[K]) => void): void {
    (this.listeners[name] ??= []).push(listener);
  }

  emit<K extends keyof Events>(name: K, value: Events[K]): void {
    for (const listener of this.listeners[name] ?? []) listener(value);
  }
}
