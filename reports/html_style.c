/* SPDX-License-Identifier: Apache-2.0
 * html_style.c - what the HTML report looks like: light, dark, on paper, narrow. */
#include "reports/html_impl.h"

/* clang-format off */
/* NOLINTBEGIN(bugprone-suspicious-missing-comma): a line of the page may take several here */
const char *const tl_html_style[] = {
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1a1d21;--mute:#59636e;--line:#d0d7de;--card:#f6f8fa;--link:#0550ae;--pass:#116329;"
    "--passb:#dafbe1;--warn:#7d4e00;--warnb:#fff3c4;--fail:#a40e26;--failb:#ffe2e0;--inc:#6639ba;--incb:#f0e6ff;--err:#fff;"
    "--errb:#a40e26;--none:#424a53;--noneb:#e4e8ec}\n",
    "@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--mute:#9aa4af;--line:#3d444d;--card:#161b22;--link:#79b8ff;"
    "--pass:#7ee2a0;--passb:#0f3d20;--warn:#f2cc60;--warnb:#4a3500;--fail:#ffa198;--failb:#5a1a1d;--inc:#d2b3ff;--incb:#3b2366;"
    "--err:#fff;--errb:#b62324;--none:#c9d1d9;--noneb:#30363d}}\n",
    "*{box-sizing:border-box}\n",
    "html{scroll-padding-top:1rem}\n",
    "body{margin:0 auto;max-width:78rem;padding:1rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}\n",
    "h1{font-size:1.7rem;margin:.2em 0}h2{font-size:1.25rem;margin:1.6em 0 .4em;border-bottom:1px solid var(--line);"
    "padding-bottom:.2em}h3{font-size:1.02rem;margin:1.2em 0 .3em;color:var(--mute)}h4{font-size:1rem;margin:.6em 0 .2em}\n",
    "a{color:var(--link)}code,pre,svg text,.o{font-family:ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;font-size:.88em}\n",
    "pre{margin:.3em 0;padding:.5em .7em;background:var(--card);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n",
    "nav a{margin-right:1em}.m,small{color:var(--mute);font-size:.88em}\n",
    ".b{display:inline-block;min-width:4.2em;padding:0 .5em;border-radius:4px;font-size:.82em;font-weight:600;text-align:center;"
    "background:var(--noneb);color:var(--none)}\n",
    ".b.pass{background:var(--passb);color:var(--pass)}.b.warn{background:var(--warnb);color:var(--warn)}"
    ".b.fail{background:var(--failb);color:var(--fail)}.b.inconclusive{background:var(--incb);color:var(--inc)}"
    ".b.error{background:var(--errb);color:var(--err)}\n",
    "h1 .b{font-size:1em}\n",
    ".tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:.8em 0;padding:0;list-style:none}"
    ".tiles li{border:1px solid var(--line);border-radius:8px;padding:.4rem .9rem;background:var(--card)}"
    ".tiles strong{display:block;font-size:1.5rem;line-height:1.2}\n",
    "table{border-collapse:collapse;width:100%;font-size:.9em}caption{text-align:left;color:var(--mute);padding:.2em 0}"
    "th,td{border-bottom:1px solid var(--line);padding:.28em .6em .28em 0;text-align:left;vertical-align:top;overflow-wrap:anywhere}"
    "td.n,th.n{text-align:right;width:6.5em;font-variant-numeric:tabular-nums;overflow-wrap:normal}td.word{white-space:nowrap}td.long{min-width:12rem}\n",
    ".x{overflow-x:auto}th[scope=row]{min-width:10rem}#rt th[scope=row]{white-space:nowrap;font-weight:600}#rt td:nth-child(3){min-width:18rem}#rt td:nth-child(2),#rt td:nth-child(4){white-space:nowrap}#rt td:nth-child(5){min-width:10rem}\n",
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1em .9em;margin:.6em 0}dt{color:var(--mute)}"
    "dd{margin:0;overflow-wrap:anywhere}\n",
    "form{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:center;margin:.6em 0;padding:.6em;background:var(--card);"
    "border:1px solid var(--line);border-radius:8px}form[hidden]{display:none}\n",
    "input,select,button{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--mute);border-radius:5px;"
    "padding:.2em .5em}input[type=search]{min-width:14rem}\n",
    ".case{border-bottom:1px solid var(--line);content-visibility:auto;contain-intrinsic-size:auto 2rem}"
    ".case>summary{cursor:pointer;padding:.28em 0;overflow-wrap:anywhere}.case[open]{padding-bottom:.8em}"
    ".case[open]>summary{font-weight:600}\n",
    ".case[hidden],h3[hidden],tr[hidden]{display:none}\n",
    "summary:focus-visible,a:focus-visible,input:focus-visible{outline:3px solid var(--link);outline-offset:1px}\n",
    ":target{outline:2px solid var(--link)}\n",
    ".q{border-left:4px solid var(--line);padding-left:.8em;margin:.5em 0}.q pre b{color:var(--mute);font-weight:400}\n",
    "figure{margin:.8em 0;border:1px solid var(--line);border-radius:8px;padding:.4rem;overflow-x:auto;background:var(--bg)}\n",
    ".w{display:block;width:100%;min-width:44rem;max-width:60rem;height:auto}.w text{fill:var(--fg);font-size:11px}"
    ".w .h{text-anchor:middle;font-weight:700}.w .t{fill:var(--mute);font-size:10px}"
    ".w .s{text-anchor:end;fill:var(--mute);font-size:10px}.w .u{font-size:10px;fill:var(--mute)}"
    ".w .n{text-anchor:middle;fill:var(--mute);font-size:10px}\n",
    ".w path{stroke:var(--fg);fill:none;stroke-width:1.3}.w .a{stroke:var(--mute);stroke-width:2}.w circle{fill:var(--mute)}"
    ".w circle.c{fill:var(--warn)}.w text.c{fill:var(--warn)}\n",
    ".k text{text-anchor:middle}.k path:first-child{marker-end:url(#ah)}.k.l path:first-child{marker-end:none}"
    ".k.r path:first-child{stroke-dasharray:6 3}.k path.x{stroke:var(--fail);stroke-width:2}"
    ".k.e path:first-child{stroke:var(--fail);stroke-width:3}.k.e text,.w text.f,.w .u.e{fill:var(--fail);font-weight:700}"
    ".w path.f{stroke:var(--fail);stroke-dasharray:3 3}.w text.f{text-anchor:middle}"
    ".k:hover text,.k:focus text{text-decoration:underline}\n",
    "#am{position:absolute;width:0;height:0}#ah path{fill:context-stroke}\n",
    ".o:empty{display:none}.o{display:block;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.5em;"
    "margin:.4em 0}.o table{width:auto}.o td{padding-right:1.4em}\n",
    ".d td:last-child{font-family:ui-monospace,monospace;font-size:.8em;color:var(--mute);max-width:16rem}"
    "tr.e td{color:var(--fail);font-weight:600}\n",
    "ol.s{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;font-size:.82em;margin:.4em 0;padding-left:3.2em}"
    "ol.s li{overflow-wrap:anywhere}ol.s .e{color:var(--fail);font-weight:700}\n",
    ".skip{position:absolute;left:-99em}.skip:focus{position:static}\n",
    "@media (max-width:40rem){body{padding:.6rem;font-size:14px}dl{grid-template-columns:1fr}dt{margin-top:.4em}"
    "#rt td:nth-child(3){min-width:12rem}}\n",
    "@media print{:root{--bg:#fff;--fg:#000;--mute:#444;--line:#aaa;--card:#fff}body{max-width:none;padding:0;font-size:10pt}"
    "nav,form,.skip{display:none}.case{content-visibility:visible;break-inside:avoid-page}"
    "details::details-content{content-visibility:visible}a{color:inherit;text-decoration:none}.b{border:1px solid #888}"
    "figure{break-inside:avoid}}\n",
    NULL,
};
/* NOLINTEND(bugprone-suspicious-missing-comma) */
/* clang-format on */
