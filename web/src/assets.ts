/** Where the parts of the page come from: blocks of data inside a single file, else files beside the page. */

async function unpacked(text: string): Promise<Uint8Array> {
  const binary = atob(text.trim());
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The bytes of a part; an Error that says what to do where it is missing. */
export async function asset(name: string): Promise<Uint8Array> {
  const block = document.getElementById(`asset-${name}`);
  if (block) return unpacked(block.textContent ?? "");
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`the part ${name} of the page is missing (${answer.status}): run \`make web\``);
  return new Uint8Array(await answer.arrayBuffer());
}

export function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
