/** The only style of the page. The page's policy names its hash, so the browser ignores every other style. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --band: #eef1f4;
  --bad: #b42318; --good: #176f2c; --doubt: #8a5a00; --link: #0550ae; --side: #f3ecdc;
  --c0: #0550ae; --c1: #b35900; --c2: #176f2c; --c3: #8e3b9e; --c4: #b42318; --c5: #00737a; --c6: #6b5900; --c7: #59636e;
  --grew2: #f4a79d; --grew1: #fbd9d3; --same: #e4e8ec; --shrank1: #d3e3fa; --shrank2: #9dc3f4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d; --band: #1f2630;
    --bad: #ff8a80; --good: #4cc263; --doubt: #d9a21b; --link: #6cb0ff; --side: #2a2413;
    --c0: #6cb0ff; --c1: #f0a050; --c2: #4cc263; --c3: #d69be0; --c4: #ff8a80; --c5: #4dc8d0; --c6: #d9c84b; --c7: #9198a1;
    --grew2: #94372c; --grew1: #5a2a26; --same: #2b323b; --shrank1: #1d3a5f; --shrank2: #1f5799;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--page); color: var(--text);
  font: 0.9375rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
header { border-left: 0.375rem solid var(--line); padding-left: 1rem; }
header.regression { border-color: var(--bad); }
header.invalid, header.noise, header.undecided, header.accepted { border-color: var(--doubt); }
header.pass, header.coarse { border-color: var(--good); }
h1 { font-size: 1.25rem; font-weight: 400; line-height: 1.4; margin: 0; }
h2 { font-size: 1rem; margin: 1.75rem 0 0.5rem; }
ul { margin: 0.5rem 0; padding-left: 1.25rem; }
a { color: var(--link); }
code { font: 0.875em ui-monospace, monospace; unicode-bidi: isolate; }
.scroll { overflow-x: auto; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: 0.375rem; }
caption.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { padding: 0.25rem 1rem 0.25rem 0; text-align: left; vertical-align: baseline; white-space: nowrap; }
th { font-weight: 400; }
thead th { color: var(--quiet); border-bottom: 1px solid var(--line); }
tbody { border-bottom: 1px solid var(--line); }
th.name { white-space: normal; min-width: 12rem; max-width: 22rem; }
.right { text-align: right; }
td strong { color: var(--bad); }
details { margin-top: 0.5rem; }
summary { cursor: pointer; padding: 0.25rem 0; }
.next { margin: 1.5rem 0; padding: 0.625rem 1rem; background: var(--band); }
.note { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.125rem 1rem; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
footer { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: 1rem; }
svg { vertical-align: middle; }
.tolerated { fill: var(--band); }
.zero, .limit, .interval, .detects { stroke-width: 1.5; }
.zero { stroke: var(--quiet); stroke-width: 1; }
.limit { stroke: var(--doubt); stroke-dasharray: 3 2; }
.interval { stroke: var(--text); }
.detects { stroke: var(--link); stroke-width: 2; }
.point { fill: var(--text); }
tr.regression .interval { stroke: var(--bad); }
tr.regression .point { fill: var(--bad); }
tr.improved .interval { stroke: var(--good); }
tr.improved .point { fill: var(--good); }
h3 { font-size: 0.9375rem; margin: 1.25rem 0 0.375rem; }
details.cell { border-top: 1px solid var(--line); padding: 0.25rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 1rem; margin-top: 0.75rem; }
figure { margin: 0; break-inside: avoid; min-width: 0; }
figcaption { display: flex; flex-wrap: wrap; gap: 0 0.75rem; font-size: 0.8125rem; color: var(--quiet); }
figcaption strong { color: var(--text); font-weight: 600; }
.legend { display: contents; }
.key::before { content: ''; display: inline-block; width: 0.75rem; height: 0.25rem; margin-right: 0.375rem; vertical-align: middle; background: var(--own); }
.key b { font-weight: 400; color: var(--text); font-variant-numeric: tabular-nums; }
svg.fixed { width: 100%; height: auto; display: block; }
.grid { stroke: var(--line); stroke-width: 1; }
.divider { stroke: var(--quiet); stroke-dasharray: 4 3; }
.tick { fill: var(--quiet); font-size: 12px; }
.tick.right { text-anchor: end; }
.tick.middle { text-anchor: middle; }
.line { fill: none; stroke: var(--own); stroke-width: 1.75; vector-effect: non-scaling-stroke; }
.mark { fill: var(--own); stroke: var(--own); stroke-width: 1.5; }
.mark.hollow { fill: var(--page); }
.base { --own: var(--quiet); }
.head { --own: var(--link); }
.limit { --own: var(--doubt); }
path.limit { stroke-dasharray: 6 4; }
.s0 { --own: var(--c0); } .s1 { --own: var(--c1); } .s2 { --own: var(--c2); } .s3 { --own: var(--c3); }
.s4 { --own: var(--c4); } .s5 { --own: var(--c5); } .s6 { --own: var(--c6); } .s7 { --own: var(--c7); }
.axis { margin: 1rem 0; display: grid; gap: 0.625rem; }
.axis:focus-visible { outline: 2px solid var(--link); outline-offset: 4px; }
.axis .reading { margin: 0; min-height: 1.5em; }
.strip { width: 100%; height: 1rem; overflow: hidden; }
svg.stretched { width: 100%; height: 4.5rem; display: block; border-bottom: 1px solid var(--line); touch-action: pan-y; }
.flame { margin: 0.5rem 0; overflow-x: auto; }
.flame:focus-visible { outline: 2px solid var(--link); outline-offset: 4px; }
.flame .reading { margin: 0; min-height: 1.5em; }
.flame svg { display: block; width: 100%; min-width: 44rem; height: auto; margin-top: 0.375rem; }
.flame rect { fill: var(--own); stroke: var(--page); stroke-width: 1; }
.flame text { fill: var(--text); font: 11px ui-monospace, monospace; pointer-events: none; }
.flame .key::before { height: 0.75rem; }
.flame .chosen rect { stroke: var(--text); stroke-width: 2; }
.grew-much { --own: var(--grew2); } .grew { --own: var(--grew1); } .same { --own: var(--same); }
.shrank { --own: var(--shrank1); } .shrank-much { --own: var(--shrank2); }
.uncounted { fill: var(--band); }
.of-base { fill: var(--side); }
.cursor { stroke: var(--text); stroke-width: 1; vector-effect: non-scaling-stroke; fill: none; }
@media (max-width: 40rem) { .strip { display: none; } }
@media print {
  .next { border: 1px solid var(--line); }
  .axis .reading, .flame .reading { display: none; }
  .flame svg { min-width: 0; }
}
`;

/** SHA-256 of the style in the form of the policy. A test compares the two. */
export const styleHash = 'sha256-JlQ3ZcQwd6RDSDn1TKJaYNizh5WFmPTINBr5ISeJdlY=';
