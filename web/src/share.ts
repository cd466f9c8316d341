/**
 * Send a result: as one file that opens in this state anywhere, as a link, as a command.
 *
 * A page that is one file holds all it needs: it is saved again with another block of data. Its scripts and styles stay as they are, so that
 * their digests in the content-security policy hold. A served page has the server write the file.
 */
import type { PageData } from "./data";
import { el, say } from "./dom";
import { dialog } from "./keys";
import * as server from "./server";
import type { Studio } from "./studio";
import { differences, inRadians } from "./tables";

const BLOCK = /(<script type="application\/json" id="serpenoid-data">)[^<]*(<\/script>)/;
/** This page as it came, before anything was changed in it; null where its parts are files of their own. */
const PRISTINE = document.getElementById("asset-worker.js") ? `<!doctype html>\n${document.documentElement.outerHTML}` : null;

/** A frame without an origin, as in a notebook: no address to share, no address bar, and an address that may not be changed. */
const SEALED = window.parent !== window && window.origin === "null";

function pageWith(data: PageData): string {
  const text = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return (PRISTINE ?? "").replace(BLOCK, (_all, open: string, close: string) => open + text + close);
}

function download(href: string, name: string): void {
  const link = el("a", { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

export class Share {
  constructor(
    private readonly studio: Studio,
    private readonly data: PageData,
    private readonly link: () => string,
  ) {}

  open(): void {
    const away = location.protocol === "file:" || /^(localhost|127\.|\[::1\])/.test(location.host);
    const where = away ? "Opens this state again on this computer. Somebody else needs the file." : "Opens this state for everybody who can open this page.";
    const command = this.command();
    const box = dialog("Share this result");
    const row = (id: string, label: string, text: Node | string, act: () => void, primary = false): HTMLElement =>
      el("div", { class: "way" }, el("button", { type: "button", id, class: primary ? "primary" : "", onclick: act }, label), el("p", {}, text));
    const file = "A page that opens in this state, with live sliders, without serpenoid and without a network: for a mail or any web host.";
    const link = row("copy-link", "Copy link", where, () => void this.copy(this.address(), "Link copied: it opens exactly this state", "The address bar now holds the link: copy it from there"), !away);
    const rows = SEALED ? [] : [link];
    if (PRISTINE || this.data.server) rows.unshift(row("save-page", "Save as one file", file, () => void this.save(), away || SEALED));
    if (command) rows.push(row("copy-command", "Copy command", el("code", {}, command), () => void this.copy(command, "Command copied", command)));
    box.querySelector("h2")?.after(...rows);
    box.querySelector<HTMLButtonElement>(".way button.primary")?.focus();
  }

  /** The address with the whole state in it; the address bar holds it from now on. */
  private address(): string {
    history.replaceState(null, "", this.link());
    return location.href;
  }

  private async copy(text: string, done: string, otherwise: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      say(done);
    } catch {
      say(otherwise);
    }
  }

  /** The command that gives the same numbers; empty for what no command names. */
  private command(): string {
    const { doc, known } = this.studio;
    const bundled = known.scenarios[doc.name];
    if (!bundled) return "";
    const quoted = (text: string): string => (/^[\w.=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
    const sets = differences(inRadians(bundled.description), doc.description).map(([path, value]) => (value === undefined ? null : ` --set ${quoted(`${path}=${typeof value === "string" ? value : JSON.stringify(value)}`)}`));
    return sets.includes(null) ? "" : `serpenoid run ${doc.name}${sets.join("")}`;
  }

  private async save(): Promise<void> {
    const { doc } = this.studio;
    const name = `${doc.name.replace(/^here:/, "").replace(/[^\w.-]+/g, "-") || "serpenoid"}.html`;
    const state = this.link();
    try {
      if (PRISTINE) {
        const url = URL.createObjectURL(new Blob([pageWith({ ...this.data, embedded: false, state })], { type: "text/html" }));
        download(url, name);
        window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
      } else {
        say("The local server writes the file");
        const made = await server.job<{ file: string }>("export", { description: doc.description, name: doc.name, state }, () => undefined);
        download(server.fileLink(made.file), name);
      }
      say(`Saved as ${name}: send this file`);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "error");
    }
  }
}
