//! Colours and shapes. The colours are those of Okabe & Ito (*Color Universal Design*,
//! 2008), which people with any colour vision tell apart; shapes differ, too.

/// What plots need, alone or in a page: light, and dark where that is preferred.
pub(super) const PLOT: &str = "\
.plot{--ink:#1a1a1a;--faint:#8a8a8a;--grid:#dcdcdc;--band:#eeeeee;--paper:#ffffff;\
--a0:#0072b2;--a1:#d55e00;--a2:#009e73;--a3:#cc79a7;--a4:#e69f00;--a5:#56b4e9;\
font-family:system-ui,sans-serif;font-size:12px}\
@media(prefers-color-scheme:dark){.plot{--ink:#e8e8e8;--faint:#9a9a9a;--grid:#3a3a3a;\
--band:#2b2b2b;--paper:#161616;--a0:#56a8e0;--a1:#f08a3c;--a2:#2fc79a;--a3:#e29ac4;\
--a4:#f0b840;--a5:#8fd0f5}}\
.plot .paper{fill:var(--paper)}.plot text{fill:var(--ink)}.plot .faint{fill:var(--faint)}\
.plot .title{font-weight:600;font-size:13px}\
.plot .axis{stroke:var(--ink);stroke-width:1}.plot .grid{stroke:var(--grid);stroke-width:1}\
.plot .band{fill:var(--band)}.plot .floor{stroke:var(--faint);stroke-dasharray:3 2}\
.plot .line{fill:none;stroke-width:1.8}.plot .mark{stroke-width:1.5}\
.plot .hollow{fill:none}";

/// What the page needs besides.
pub(super) const PAGE: &str = "\
:root{color-scheme:light dark;--ink:#1a1a1a;--soft:#5a5a5a;--paper:#ffffff;--line:#d8d8d8;\
--card:#f5f6f8;--yes:#b34700;--no:#006b4f;--open:#5a5a5a}\
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--soft:#a8a8a8;--paper:#161616;\
--line:#3a3a3a;--card:#212327;--yes:#f08a3c;--no:#2fc79a;--open:#a8a8a8}}\
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);\
font:16px/1.5 system-ui,sans-serif}main{max-width:60rem;margin:0 auto;padding:1rem}\
h1{font-size:1.15rem;margin:.5rem 0;color:var(--soft);font-weight:600}\
h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}\
.verdict{background:var(--card);border-left:.4rem solid var(--open);border-radius:.3rem;\
padding:.7rem 1rem;margin:.6rem 0}.verdict.differs{border-color:var(--yes)}\
.verdict.same{border-color:var(--no)}.verdict .subject{color:var(--soft)}\
.verdict .sentence{font-size:1.4rem;font-weight:650;line-height:1.3}\
.verdict ul{margin:.3rem 0 0;padding-left:1.1rem;font-size:.9rem;color:var(--soft)}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.88rem;\
font-variant-numeric:tabular-nums}caption{text-align:left;color:var(--soft);padding:.2rem 0}\
th,td{text-align:left;padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line);\
vertical-align:top}thead th{white-space:nowrap}td.options{min-width:16rem;overflow-wrap:anywhere}\
figure{margin:1rem 0;max-width:44rem}figure svg{width:100%;height:auto;display:block}\
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:0 1.5rem}\
figcaption{font-size:.85rem;color:var(--soft)}code,pre{font-family:ui-monospace,monospace;\
font-size:.85rem}pre{background:var(--card);padding:.7rem;border-radius:.3rem;\
white-space:pre-wrap;overflow-wrap:anywhere}dt{font-weight:600;margin-top:.4rem}dd{margin:0;\
overflow-wrap:anywhere}footer{margin:2rem 0;color:var(--soft);font-size:.85rem}\
@media print{main{max-width:none}figure,.verdict{break-inside:avoid}.wide{overflow:visible}}";
