// What every HTML report has in common: its style and its script.
#pragma once

#include <string_view>

namespace picklock::race {

/// Light and dark scheme from the same names of colours.
inline constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#fdfdfb;--fg:#22262b;--dim:#717a84;--line:#d5dade;--card:#f2f4f4;
--bad:#c0392b;--good:#1e7d46;--warn:#8a6100;--now:#ffe9a8;
--c0:#2f7ed8;--c1:#e08214;--c2:#2a9d6f;--c3:#b6479d;--c4:#7a68c9;--c5:#c9a800;--c6:#3aa6b9;--c7:#d1495b}
@media(prefers-color-scheme:dark){:root{--bg:#16191d;--fg:#dfe3e8;--dim:#8f99a3;--line:#363d45;--card:#1f242a;
--bad:#ff7566;--good:#5fd08f;--warn:#e6b450;--now:#4a4120;
--c0:#5aa2f0;--c1:#f2a24b;--c2:#4fc795;--c3:#dc79c5;--c4:#a394ee;--c5:#e3c93b;--c6:#63cbdd;--c7:#f07f8d}}
body{margin:0 auto;padding:20px 24px 60px;background:var(--bg);color:var(--fg);font:14px/1.45 system-ui,sans-serif}
h1{font-size:20px;margin:0 0 6px}h2{font-size:16px;margin:26px 0 4px}p{margin:4px 0}
.violation,.unusable,.bad{color:var(--bad);fill:var(--bad)}.holds{color:var(--good)}.limit{color:var(--warn)}
.dim{color:var(--dim)}code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}
.replay{display:flex;gap:8px;align-items:start;background:var(--card);padding:8px 10px;border-radius:6px}
button{font:inherit;padding:1px 10px;cursor:pointer}
.run{display:flex;gap:18px;align-items:start}.scroll{overflow-x:auto;flex:1 1 auto;border:1px solid var(--line);border-radius:6px}
.state{flex:0 0 330px;position:sticky;top:10px;background:var(--card);border-radius:6px;padding:8px 12px}
.state table{border-collapse:collapse;width:100%;margin-top:6px}
.state td{vertical-align:top;padding:3px 4px;border-top:1px solid var(--line);overflow-wrap:anywhere}
.state td:first-child{white-space:nowrap;color:var(--dim)}.state tr.new td{background:var(--now)}
.state input{width:100%;margin:6px 0 0}
.key span{margin-right:16px;white-space:nowrap}.key svg{vertical-align:-4px}
svg text{font:12px ui-monospace,monospace;fill:var(--fg);paint-order:stroke;stroke:var(--bg);stroke-width:4px}svg text.h{font-weight:bold;font-size:13px}
svg text.ms{fill:var(--dim)}svg text.fault{fill:var(--warn)}svg text.bad{fill:var(--bad);font-weight:bold}
.lane{stroke:var(--line);fill:none}.parts{stroke:var(--dim);stroke-dasharray:5 4}.now{fill:var(--now)}
.bar{opacity:.85}.hatch{fill:var(--warn)}.cross{stroke:var(--bad);stroke-width:2.5;fill:none}
.request,.reply{fill:none;stroke:var(--dim)}.reply{stroke-dasharray:3 2}.tip{fill:var(--dim);stroke-dasharray:none}
.t0{fill:var(--c0)}.t1{fill:var(--c1)}.t2{fill:var(--c2)}.t3{fill:var(--c3)}.t4{fill:var(--c4)}.t5{fill:var(--c5)}
.t6{fill:var(--c6)}.t7{fill:var(--c7)}
@media(max-width:1100px){.run{flex-direction:column-reverse}.state{position:static;flex:none;width:95%}}
)css";

/// Each run has a slider; a click into a drawing moves it.
inline constexpr std::string_view kPageScript = R"js(
for(const run of JSON.parse(document.getElementById('runs').textContent)){
const $=n=>document.getElementById(run.id+n),slider=$('s'),body=$('b'),row=$('r');
const show=()=>{const step=+slider.value,cells=run.cells.map(()=>''),fresh=new Set();
for(let i=0;i<=step;i++){for(const[c,t]of run.changes[i]){cells[c]=t;if(i==step)fresh.add(c)}}
row.setAttribute('y',run.head+run.rows[step]*run.height);$('n').textContent=`step ${step+1} of ${run.rows.length}, ${run.times[step]} ms`;
body.replaceChildren(...cells.flatMap((text,c)=>{if(!text)return[];const tr=document.createElement('tr');
if(fresh.has(c))tr.className='new';for(const v of[run.cells[c],text]){const td=document.createElement('td');td.textContent=v;tr.append(td)}return[tr]}))};
slider.addEventListener('input',show);
$('').addEventListener('click',e=>{const y=e.clientY-$('').getBoundingClientRect().top,at=Math.floor((y-run.head)/run.height);
let best=run.rows.findIndex(r=>r>=at);slider.value=best<0?run.rows.length-1:best;show()});show()}
const copy=document.getElementById('copy');if(copy)copy.addEventListener('click',()=>{
const code=document.getElementById('string');const done=()=>{copy.textContent='copied'};
const select=()=>{const r=document.createRange();r.selectNodeContents(code);const s=getSelection();s.removeAllRanges();s.addRange(r);
if(document.execCommand('copy'))done()};
if(navigator.clipboard)navigator.clipboard.writeText(code.textContent).then(done,select);else select()});
)js";

}  // namespace picklock::race
