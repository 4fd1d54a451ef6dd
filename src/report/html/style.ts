/** The report's style sheet. It loads nothing: it uses the fonts of the reader's system. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1c2026; --soft: #5b6470; --line: #e3e6ea; --tint: #f6f7f9; --best: #c2410c; --bad: #b42318;
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171c; --ink: #e6e9ee; --soft: #9aa4b1; --line: #2b313a; --tint: #1c2128; --best: #ff9256; --bad: #ff8a7a; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Liberation Sans", sans-serif; }
main { position: relative; max-width: 960px; margin: 0 auto; padding: 48px 24px 64px; }
h1 { margin: 0; font-size: 2.1rem; line-height: 1.2; letter-spacing: -0.015em; overflow-wrap: anywhere; }
h2 { margin: 56px 0 4px; font-size: 1.3rem; line-height: 1.3; letter-spacing: -0.01em; overflow-wrap: anywhere; }
p { margin: 0 0 12px; }
.soft { color: var(--soft); }
.lead { margin: 8px 0 0; color: var(--soft); overflow-wrap: anywhere; }
.lead + .lead { margin-top: 0; font-size: 0.93rem; }
.phase { display: inline-block; margin-bottom: 10px; padding: 1px 11px; border: 1px solid var(--line); border-radius: 99px; font-size: 0.85rem; color: var(--soft); }
.answer { margin: 28px 0 0; padding: 20px 24px; background: var(--tint); border-left: 4px solid var(--best); border-radius: 4px; overflow-wrap: anywhere; }
.answer strong { display: block; font-size: 1.7rem; line-height: 1.25; letter-spacing: -0.01em; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(100px, 1fr)); gap: 20px 24px; margin: 28px 0 0; }
.facts dt { color: var(--soft); font-size: 0.85rem; }
.facts dd { margin: 0; font-size: 1.15rem; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.bad { color: var(--bad); }
figure { margin: 16px 0 0; overflow-x: auto; }
figure svg { display: block; width: 100%; min-width: 560px; height: auto; }
@media (max-width: 591px) { figure::before { content: 'Swipe the picture: it is wider than this window.'; position: sticky; left: 0; display: block; width: fit-content; margin-bottom: 4px; color: var(--soft); font-size: 0.8rem; } }
figure .mark-rect path { shape-rendering: crispEdges; }
.scroll { margin-top: 16px; overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.93rem; font-variant-numeric: tabular-nums; }
th, td { padding: 8px 12px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
/* one long word must not push the other columns out of the window */
th, td { max-width: 24rem; overflow-wrap: break-word; }
th { color: var(--soft); font-weight: 600; font-size: 0.85rem; vertical-align: bottom; }
.number { text-align: right; }
td.number, code { white-space: nowrap; }
tbody tr.first td { background: var(--tint); font-weight: 600; }
code { font: 0.85em ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-weight: 400; color: var(--soft); }
.reason { overflow-wrap: anywhere; white-space: pre-line; min-width: 16rem; }
.save { display: none; gap: 8px; margin: 4px 0 0; }
.scripted .save { display: flex; }
.save button { padding: 2px 10px; border: 1px solid var(--line); border-radius: 99px; background: none; color: var(--soft); font: inherit; font-size: 0.85rem; cursor: pointer; }
.save button:hover, .save button:focus-visible { color: var(--ink); border-color: var(--soft); }
.ring, .brush, .tip { position: absolute; pointer-events: none; z-index: 1; }
.ring { border: 2px solid var(--ink); box-shadow: 0 0 0 2px var(--paper); }
.brush { border: 1px solid var(--ink); background: var(--soft); opacity: 0.25; }
.tip { padding: 6px 10px; max-width: min(24rem, 90vw); width: max-content; background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; font-size: 0.85rem; white-space: pre-line; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.ring[hidden], .brush[hidden], .tip[hidden] { display: none; }
.contents ul { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 28px 0 0; padding: 12px 0; border: solid var(--line); border-width: 1px 0; list-style: none; font-size: 0.93rem; }
.contents a { color: var(--soft); }
.contents a:hover { color: var(--ink); }
table.plain { width: auto; }
table.plain th { font-weight: 400; white-space: nowrap; vertical-align: top; }
table.plain td { overflow-wrap: anywhere; min-width: 10rem; max-width: none; }
table.plain code { white-space: normal; }
details { margin-top: 16px; }
summary { cursor: pointer; color: var(--soft); }
pre { margin: 12px 0 0; padding: 16px; overflow-x: auto; background: var(--tint); border-radius: 4px; font: 0.85rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
footer { margin-top: 64px; padding-top: 16px; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.85rem; }
/* in a wide window, pictures stand side by side */
@media (min-width: 1400px) {
  main:has(> #report) { max-width: 1800px; }
  #report { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); grid-auto-flow: dense; gap: 0 48px; }
  #report > div:not(:has(figure)) { grid-column: 1 / -1; }
  #report > :nth-child(1 of :has(figure)):nth-last-child(1 of :has(figure)) { grid-column: 1 / -1; max-width: 1100px; }
}
@media (max-width: 600px) { main { padding: 28px 16px 40px; } h1 { font-size: 1.6rem; } .answer strong { font-size: 1.35rem; } table.plain th { white-space: normal; } }
@media print { main { padding: 0; } .contents { display: none; } .save, .tip, .ring { display: none !important; } h2, figure, tr { break-inside: avoid; } h2 { break-after: avoid; } }
`;
