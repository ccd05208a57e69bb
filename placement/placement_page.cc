#include <cstdio>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "graph/types/quoted_string.h"
#include "placement/diagram.h"
#include "placement/short_names.h"
#include "placement/step_timeline.h"

namespace warpbeam {
namespace {

constexpr size_t kFewBoxes = 14, kManyBoxes = 120;       // of all, folded and unfolded
constexpr size_t kMostViews = 600, kMostLinks = 50'000;  // in all
constexpr int kMargin = 16;

constexpr char kPageStyle[] = R"css(
html, body { height: 100%; margin: 0; }
body { background: #fff; color: #1f2733; display: flex; flex-direction: column; font: 14px/1.4 system-ui, sans-serif; }
header { align-items: center; border-bottom: 1px solid #dfe4ec; display: flex; flex-wrap: wrap; gap: 6px 14px; padding: 8px 14px; }
header p { color: #5b6472; font-size: 12.5px; margin: 0; } #path { flex: 1 1 160px; }
button { background: #f4f6fa; border: 1px solid #cdd4e0; border-radius: 6px; color: inherit; cursor: pointer; font: inherit; padding: 2px 10px; }
button:hover { background: #e6ebf4; } button:disabled { color: #a7afbc; cursor: default; }
#path button { background: none; border: none; color: #2463c4; padding: 0 2px; } #path button:last-child { color: inherit; font-weight: 600; }
#finder { position: relative; } #search { border: 1px solid #cdd4e0; border-radius: 6px; font: inherit; padding: 3px 8px; width: 210px; }
#found { background: #fff; border: 1px solid #cdd4e0; border-radius: 6px; box-shadow: 0 6px 22px #0002; list-style: none; margin: 3px 0 0; max-height: 60vh; overflow: auto; padding: 4px; position: absolute; right: 0; width: 420px; z-index: 2; }
#found li { border-radius: 4px; cursor: pointer; font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; overflow-wrap: anywhere; padding: 3px 8px; } #found li:hover { background: #e6ebf4; } #found span { color: #5b6472; }
#stage { cursor: grab; flex: 1; min-height: 0; overflow: hidden; position: relative; touch-action: none; } #stage.held { cursor: grabbing; } #stage > svg { display: block; height: 100%; user-select: none; width: 100%; }
.group { cursor: zoom-in; } .one, .bar { cursor: pointer; } .b:hover rect { stroke-width: 2.6; } .dim .b:not(.near), .dim .l:not(.near) { opacity: .22; } .l.near { stroke-width: 2.6; }
.hit rect { stroke: #d6249f; stroke-width: 4; }
#panel { background: #fffffff2; border: 1px solid #cdd4e0; border-radius: 8px; bottom: 14px; box-shadow: 0 6px 22px #0002; font: 12px/1.5 'DejaVu Sans Mono', Menlo, Consolas, monospace; margin: 0; max-height: 45%; max-width: min(560px, 80%); overflow: auto; overflow-wrap: anywhere; padding: 10px 14px; position: absolute; right: 14px; white-space: pre-wrap; }
[hidden] { display: none !important; }
)css";

// Moves and swaps the pictures that the page holds; it places nothing itself, all of them are laid
// out already. Texts of the graph reach the document as text alone (textContent), never as markup.
constexpr char kPageScript[] = R"js(
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id), stage = byId('stage'), panel = byId('panel');
const templates = [...document.querySelectorAll('template')];
let view = 0, svg = null, whole = null, box = null;

function show(to) { box = to; svg.setAttribute('viewBox', to.join(' ')); }
function fit() { show(whole.slice()); }
// The view box with the stage's proportions, so that pointer and picture move together.
function filled(b) {
  const k = Math.max(b[2] / stage.clientWidth, b[3] / stage.clientHeight) || 1;
  const w = k * stage.clientWidth, h = k * stage.clientHeight;
  return [b[0] + (b[2] - w) / 2, b[1] + (b[3] - h) / 2, w, h];
}
function zoom(factor, x, y) {
  const b = filled(box), px = b[0] + x / stage.clientWidth * b[2], py = b[1] + y / stage.clientHeight * b[3];
  const k = Math.min(Math.max(factor, 40 / b[2]), 4 * Math.max(whole[2], whole[3]) / b[2]);
  show([px - (px - b[0]) * k, py - (py - b[1]) * k, b[2] * k, b[3] * k]);
}
function glide(to, then) {
  const from = filled(box), goal = filled(to), start = performance.now();
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const frame = now => {
    const t = still ? 1 : Math.min(1, (now - start) / 260), e = t * t * (3 - 2 * t);
    show(from.map((v, i) => v + (goal[i] - v) * e));
    if (t < 1) requestAnimationFrame(frame); else if (then) then();
  };
  requestAnimationFrame(frame);
}
function notesOf(b) { return b.querySelector('title')?.textContent || data.notes[b.dataset.item] || ''; }
function tell(text) { panel.textContent = text; panel.hidden = !text; }

function open(number, item) {
  view = number;
  svg?.remove();
  svg = templates[number].content.firstElementChild.cloneNode(true);
  stage.prepend(svg);
  whole = svg.getAttribute('viewBox').split(' ').map(Number);
  fit();
  tell('');
  drawPath();
  const at = item === undefined ? null : svg.querySelector(`.b[data-item="${item}"]:not(.out)`);
  if (!at) return;
  at.classList.add('hit');
  tell(data.notes[item]);
  const r = at.querySelector('rect'), n = name => Number(r.getAttribute(name));
  const x = n('x') + n('width') / 2, y = n('y') + n('height') / 2;
  const w = Math.min(whole[2], 900), h = Math.min(whole[3], 600);
  glide([x - w / 2, y - h / 2, w, h]);
}
function drawPath() {
  const path = byId('path'), chain = [];
  for (let v = view; ; v = data.views[v][2]) { chain.unshift(v); if (data.views[v][2] < 0) break; }
  path.replaceChildren();
  for (const v of chain) {
    if (v !== chain[0]) path.append(' › ');
    const button = document.createElement('button');
    button.textContent = data.views[v][1];
    button.onclick = () => open(v);
    path.append(button);
  }
  byId('less').disabled = view >= data.levels || view === 0;
  byId('more').disabled = view >= data.levels - 1;
}
function near(item) {
  svg.classList.toggle('dim', item !== null);
  for (const e of svg.querySelectorAll('.near')) e.classList.remove('near');
  if (item === null) return;
  const shown = new Set([item]);
  for (const link of svg.querySelectorAll('.l[data-from]')) {
    if (link.dataset.from !== item && link.dataset.to !== item) continue;
    link.classList.add('near');
    shown.add(link.dataset.from).add(link.dataset.to);
  }
  for (const b of svg.querySelectorAll('.b')) if (shown.has(b.dataset.item)) b.classList.add('near');
}
const viewOf = new Map(data.views.map((v, i) => [String(v[0]), i]).reverse());

let held = null;
stage.addEventListener('pointerdown', event => {
  if (event.target.closest('#panel')) return;
  held = { x: event.clientX, y: event.clientY, box: filled(box), moved: false };
});
addEventListener('pointermove', event => {
  if (!held) return;
  const dx = event.clientX - held.x, dy = event.clientY - held.y;
  if (Math.abs(dx) + Math.abs(dy) > 4) { held.moved = true; stage.classList.add('held'); }
  if (!held.moved) return;
  const k = held.box[2] / stage.clientWidth;
  show([held.box[0] - dx * k, held.box[1] - dy * k, held.box[2], held.box[3]]);
});
addEventListener('pointerup', event => {
  const was = held;
  held = null;
  stage.classList.remove('held');
  if (!was || was.moved) return;
  const b = event.target.closest?.('#stage .b');
  for (const e of svg.querySelectorAll('.hit')) e.classList.remove('hit');
  if (!b) { near(null); tell(''); return; }
  const inner = viewOf.get(b.dataset.item);
  if (b.classList.contains('group') && inner !== undefined) {
    const r = b.querySelector('rect').getBBox();
    glide([r.x, r.y, r.width, r.height], () => open(inner));
    return;
  }
  near(b.dataset.item);
  tell(notesOf(b) + (b.classList.contains('group') && data.notes[b.dataset.item] ? '\n(too small a part of a large graph to be opened here)' : ''));
});
stage.addEventListener('wheel', event => {
  event.preventDefault();
  const r = stage.getBoundingClientRect();
  zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), event.clientX - r.left, event.clientY - r.top);
}, { passive: false });
stage.addEventListener('pointerover', event => {
  const b = event.target.closest('.b');
  if (!b || held) return;
  if (panel.hidden) near(b.dataset.item);
  if (!b.querySelector('title')) {
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = notesOf(b);
    b.prepend(title);
  }
});
stage.addEventListener('pointerout', event => { if (event.target.closest('.b') && !svg.querySelector('.hit') && panel.hidden) near(null); });
const middle = factor => zoom(factor, stage.clientWidth / 2, stage.clientHeight / 2);
byId('in').onclick = () => middle(0.75);
byId('out').onclick = () => middle(1.33);
byId('fit').onclick = fit;
byId('more').onclick = () => open(view + 1);
byId('less').onclick = () => open(view - 1);
function goUp() { if (data.views[view][2] >= 0) open(data.views[view][2]); else { near(null); tell(''); fit(); } }

const search = byId('search'), found = byId('found');
function pick(node) {
  found.hidden = true;
  if (node[2] < 0) { tell(`${node[0]} (${data.ops[node[1]]})\nis too small a part of a large graph to be shown here`); return; }
  open(node[2], node[3]);
}
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.replaceChildren();
  const hits = !words.length ? [] : data.nodes.filter(n => {
    const text = (n[0] + ' ' + data.ops[n[1]]).toLowerCase();
    return words.every(w => text.includes(w));
  });
  for (const node of hits.slice(0, 60)) {
    const line = document.createElement('li'), op = document.createElement('span');
    op.textContent = ' ' + data.ops[node[1]];
    line.append(node[0], op);
    line.onclick = () => pick(node);
    found.append(line);
  }
  if (words.length) {
    const line = document.createElement('li');
    line.textContent = hits.length > 60 ? `… ${hits.length - 60} more` : hits.length ? '' : 'no node is called so';
    if (line.textContent) found.append(line);
  }
  found.hidden = !words.length;
  search.onkeydown = event => { if (event.key === 'Enter' && hits.length) pick(hits[0]); };
});
addEventListener('keydown', event => {
  if (event.key === 'Escape') { if (!found.hidden) found.hidden = true; else goUp(); return; }
  if (event.target === search) return;
  if (event.key === '/') { event.preventDefault(); search.focus(); }
  if (event.key === '+') middle(0.75);
  if (event.key === '-') middle(1.33);
  if (event.key === '0') fit();
  if (event.key === 't') byId('time')?.click();
});
if (byId('time')) byId('time').onclick = () => open(data.views.length - 1);
open(data.start);
)js";

// A text of JSON within a script element, which "</script" would end.
std::string JsonText(absl::string_view text) {
  std::string out = "\"";
  for (const char c : EscapedText(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '<' || c == '>' || c == '&' || c == '"' || c == '\\' || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// One of the page's pictures.
struct View {
  int item = ScopeTree::kRoot;  // what it shows the inside of
  std::string name;
  int parent = -1;  // the view in which that is a box
  Diagram diagram;
};

class Page {
 public:
  explicit Page(const PlacementReport& report) : report_(report), tree_(report) {}

  std::string Write() {
    MakeLevels();
    MakeInsides();
    WriteHead();
    for (const View& view : views_) WriteView(view);
    if (report_.predicted.has_value()) {
      const StepTimeline timeline(tree_);
      WritePicture(timeline.elements(), timeline.width(), timeline.height());
    }
    WriteData();
    absl::StrAppend(&out_, "<script>", kPageScript, "</script>\n</body>\n</html>\n");
    return std::move(out_);
  }

 private:
  void MakeLevels();
  void MakeInsides();
  void WriteHead();
  void WriteView(const View& view);
  void WritePicture(const std::string& elements, double width, double height);
  void WriteData();
  std::string NameOf(int item) const;

  const PlacementReport& report_;
  const ScopeTree tree_;
  std::vector<View> views_;  // all of it first, from folded to unfolded
  size_t num_levels_ = 0;
  size_t start_ = 0;  // the level that is shown at first
  std::string out_;
};

void Page::MakeLevels() {
  std::vector<Diagram> levels = {Overview(tree_, kFewBoxes), ReadableOverview(tree_),
                                 Overview(tree_, kManyBoxes)};
  for (size_t i = 0; i < levels.size(); ++i) {
    if (!views_.empty() && views_.back().diagram.boxes.size() >= levels[i].boxes.size()) continue;
    if (i <= 1) start_ = views_.size();
    View view;
    view.name = "all";
    view.diagram = std::move(levels[i]);
    views_.push_back(std::move(view));
  }
  num_levels_ = views_.size();
}

// What can be opened in some picture gets its own, the outer ones first.
void Page::MakeInsides() {
  absl::flat_hash_map<int, int> view_of;  // by item
  const Diagram overview = views_[start_].diagram;
  size_t links = 0;
  for (size_t v = 0; v < views_.size(); ++v) {
    // The pictures of all of it are of one depth: the readable one is the parent.
    const int parent = static_cast<int>(v < num_levels_ ? start_ : v);
    const std::vector<DiagramBox> boxes = views_[v].diagram.boxes;
    for (const DiagramBox& box : boxes) {
      if (!box.is_group || box.is_outside) continue;
      if (views_.size() >= kMostViews || links >= kMostLinks) return;
      if (!view_of.try_emplace(box.item, static_cast<int>(views_.size())).second) continue;
      View view;
      view.item = box.item;
      view.name = NameOf(box.item);
      view.parent = parent;
      view.diagram = ReadableInside(tree_, overview, box.item);
      links += view.diagram.links.size();
      views_.push_back(std::move(view));
    }
  }
}

std::string Page::NameOf(int item) const {
  const ScopeItem& it = tree_.item(item);
  return it.kind == ScopeItem::Kind::kSeries ? absl::StrCat(it.name, " × ", it.children.size())
                                             : it.name;
}

void Page::WriteHead() {
  const std::string folded = FoldedText(tree_);
  absl::StrAppend(
      &out_,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Placement</title>\n<style>",
      DiagramStyle(), kPageStyle, "</style>\n</head>\n<body>\n<header>\n<div><strong>",
      MarkupText(PlacementSummary(report_)), "</strong>\n<p>", folded, folded.empty() ? "" : "; ",
      "a click on a filled box opens it, Escape closes it</p></div>\n<nav id=\"path\"></nav>\n",
      "<div><button id=\"less\" title=\"fewer boxes\">fold</button> <button id=\"more\" "
      "title=\"more boxes\">unfold</button></div>\n",
      report_.predicted.has_value()
          ? "<div><button id=\"time\" title=\"the predicted step (t)\">timeline</button></div>\n"
          : "",
      "<div><button id=\"out\" title=\"smaller (-)\">−</button> <button id=\"in\" title=\"larger "
      "(+)\">+</button> <button id=\"fit\" title=\"all of it (0)\">fit</button></div>\n"
      "<div id=\"finder\"><input id=\"search\" type=\"search\" placeholder=\"search nodes and ops "
      "(/)\" aria-label=\"search nodes and ops\" autocomplete=\"off\"><ul id=\"found\" "
      "hidden></ul></div>\n<svg width=\"",
      DiagramDrawing::kLegendWidth, "\" height=\"20\" role=\"img\" aria-label=\"legend\">\n",
      DiagramMarkers(), DiagramLegend(),
      "</svg>\n</header>\n<main id=\"stage\"><pre id=\"panel\" hidden></pre></main>\n");
}

void Page::WriteView(const View& view) {
  const DiagramDrawing drawing(report_, view.diagram, /*has_notes=*/false);
  WritePicture(drawing.elements(), drawing.width(), drawing.height());
}

void Page::WritePicture(const std::string& elements, double width, double height) {
  absl::StrAppend(&out_, "<template><svg viewBox=\"", -kMargin, " ", -kMargin, " ",
                  static_cast<int>(width) + 2 * kMargin, " ",
                  static_cast<int>(height) + 2 * kMargin, "\">\n", elements, "</svg></template>\n");
}

// The views as [item, name, parent], by item what is known of it, and each node as [name, op, view,
// item].
void Page::WriteData() {
  std::vector<int> view_of(tree_.size(), -1);  // in which an item is a box
  std::string notes;
  for (size_t v = 0; v < views_.size(); ++v) {
    for (const DiagramBox& box : views_[v].diagram.boxes) {
      if (box.is_outside || view_of[box.item] >= 0) continue;
      view_of[box.item] = static_cast<int>(v);
      absl::StrAppend(&notes, notes.empty() ? "" : ",\n", "\"", box.item,
                      "\": ", JsonText(box.notes));
    }
  }
  absl::StrAppend(&out_, "<script type=\"application/json\" id=\"data\">{\"levels\": ", num_levels_,
                  ", \"start\": ", start_, ", \"views\": [");
  for (size_t v = 0; v < views_.size(); ++v) {
    absl::StrAppend(&out_, v == 0 ? "" : ", ", "[", views_[v].item, ", ", JsonText(views_[v].name),
                    ", ", views_[v].parent, "]");
  }
  if (report_.predicted.has_value()) {
    absl::StrAppend(&out_, ", [", ScopeTree::kRoot, ", \"timeline\", ", start_, "]");
  }
  absl::flat_hash_map<std::string, int> op_of;
  std::vector<std::string> ops;
  std::string nodes;
  for (size_t n = 0; n < report_.nodes.size(); ++n) {
    const PlacementEntry& node = report_.nodes[n];
    const auto [op, added] = op_of.try_emplace(node.op, static_cast<int>(ops.size()));
    if (added) ops.push_back(JsonText(node.op));
    const int item = tree_.leaf(static_cast<int32_t>(n));
    absl::StrAppend(&nodes, n == 0 ? "" : ",\n", "[", JsonText(node.node), ", ", op->second, ", ",
                    view_of[item], ", ", item, "]");
  }
  absl::StrAppend(&out_, "], \"ops\": [");
  for (size_t i = 0; i < ops.size(); ++i) absl::StrAppend(&out_, i == 0 ? "" : ", ", ops[i]);
  absl::StrAppend(&out_, "], \"notes\": {", notes, "}, \"nodes\": [", nodes, "]}</script>\n");
}

}  // namespace

std::string PlacementPage(const PlacementReport& report) { return Page(report).Write(); }

}  // namespace warpbeam
