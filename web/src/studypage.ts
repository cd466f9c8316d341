/** A study: its claims, each with source, measured value and verdict, and its figures. */
import type { StudyItem } from "./data";
import { el } from "./dom";

export function studyPage(item: StudyItem): HTMLElement {
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...["Claim", "Source", "Measured", "Verdict"].map((t) => el("th", { scope: "col" }, t)))));
  const body = el("tbody");
  for (const claim of item.claims) {
    const verdict = String(claim.verdict ?? "");
    body.append(
      el("tr", { "data-claim": claim.id },
        el("td", {}, String(claim.claim ?? claim.id)),
        el("td", {}, String(claim.source ?? "")),
        el("td", {}, String(claim.measured ?? "")),
        el("td", { class: `verdict ${verdict.replace(/[^a-z]+/gi, "-").toLowerCase()}` }, verdict),
      ),
    ); // prettier-ignore
  }
  table.append(body);
  const figures = item.figures.map((figure) => {
    const image = el("img", { alt: `Figure ${figure.name}`, loading: "lazy" });
    image.src = `data:image/png;base64,${figure.png}`;
    return el("figure", {}, image, el("figcaption", {}, figure.name.replaceAll("_", " ")));
  });
  const tally = new Map<string, number>();
  for (const { verdict } of item.claims) tally.set(String(verdict ?? "no verdict"), (tally.get(String(verdict ?? "no verdict")) ?? 0) + 1);
  const counts = [...tally].map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  return el("section", { class: "study", "aria-label": "Study" }, el("h2", {}, item.title ?? item.name), el("p", {}, `${item.claims.length} claims: ${counts}`), table, ...figures);
}
