// Folding, following paths and finding things in the topology picture. Without it the picture stays as it is.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("topology-data").textContent);
  const svg = document.getElementById("topology-picture");
  const edgeLayer = document.getElementById("edges");
  const told = document.getElementById("told");
  const search = document.getElementById("search");
  const nodeCount = data.nodes.length;
  const open = data.groups.map((group) => group.open);
  const groupOf = [];
  data.groups.forEach((group, index) => group.members.forEach((node) => { groupOf[node] = index; }));
  const boxes = [];
  svg.querySelectorAll(".item").forEach((box) => { boxes[Number(box.dataset.i)] = box; });
  const hint = told.textContent;
  let tops = [];
  // The nodes whose paths are followed until another choice is made; null when none.
  let pinned = null;

  const isGroup = (item) => item >= nodeCount;
  const groupAt = (item) => data.groups[isGroup(item) ? item - nodeCount : groupOf[item]];
  const alone = (group) => group.members.length === 1;
  const nodesOf = (item) => (isGroup(item) ? groupAt(item).members : [item]);
  const labelOf = (item) => (isGroup(item) ? groupAt(item) : data.nodes[item]).label;
  // What is drawn for a node: itself, or its folded group.
  const shown = (node) => {
    const group = groupOf[node];
    return open[group] || alone(data.groups[group]) ? node : nodeCount + group;
  };

  function layOut() {
    const depths = data.columns.map(() => 0);
    tops = [];
    data.groups.forEach((group, index) => {
      const place = (item) => { tops[item] = depths[group.column]; depths[group.column] += data.row; };
      if (!alone(group)) place(nodeCount + index);
      if (alone(group) || open[index]) group.members.forEach(place);
      depths[group.column] += data.gap;
    });
    const deepest = Math.max(...depths);
    boxes.forEach((box, item) => {
      const column = groupAt(item).column;
      const visible = tops[item] !== undefined;
      box.classList.toggle("folded", !visible);
      if (isGroup(item)) box.setAttribute("aria-expanded", String(open[item - nodeCount]));
      if (!visible) return;
      tops[item] += data.top + Math.floor((deepest - depths[column]) / 2);
      box.setAttribute("transform", `translate(${data.columns[column]} ${tops[item]})`);
    });
    const width = svg.viewBox.baseVal.width;
    svg.setAttribute("viewBox", `0 0 ${width} ${data.top + deepest}`);
    drawEdges();
  }

  function bundles() {
    const found = new Map();
    for (const [from, to, tenths] of data.edges) {
      if (shown(from) === shown(to)) continue;
      const key = `${shown(from)}-${shown(to)}`;
      const bundle = found.get(key) || { from: shown(from), to: shown(to), key, tenths: -1, count: 0 };
      bundle.tenths = Math.max(bundle.tenths, tenths);
      bundle.count += 1;
      found.set(key, bundle);
    }
    return [...found.values()].sort((a, b) => a.tenths - b.tenths);
  }

  const element = (name, attributes) => {
    const made = document.createElementNS("http:" + "//www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    return made;
  };

  function drawEdges() {
    edgeLayer.replaceChildren(...bundles().map((bundle) => {
      const { from, to, key, tenths, count } = bundle;
      const step = [100, 300, 500, 700, 900].filter((end) => tenths >= end).length;
      const path = element("path", {
        class: tenths < 0 ? "edge" : `edge u${step}`,
        "data-e": key,
        "stroke-width": (1.4 + 0.6 * Math.min(6, 31 - Math.clz32(count))).toFixed(1),
        d: curve(from, to),
      });
      const title = element("title", {});
      const many = count === 1 ? "" : `, ${count} connections`;
      const busy = tenths < 0 ? "" : `, at most ${(tenths / 10).toFixed(1)} %`;
      title.textContent = `${labelOf(from)} to ${labelOf(to)}${many}${busy}`;
      path.append(title);
      return path;
    }));
  }

  function curve(from, to) {
    const [a, b] = [groupAt(from).column, groupAt(to).column];
    const indent = !isGroup(to) && !alone(groupAt(to)) ? data.indent : 0;
    const x1 = data.columns[a] + data.box_width;
    const x2 = a === b ? x1 : data.columns[b] + indent;
    const [y1, y2] = [tops[from], tops[to]].map((top) => top + data.box_height / 2);
    const reach = x2 > x1 ? (x2 - x1) / 2 : -40;
    return `M${x1} ${y1}C${x1 + Math.abs(reach)} ${y1} ${x2 - reach} ${y2} ${x2} ${y2}`;
  }

  // Everything on a path through one of `nodes`, as shown items and keys of edges.
  function pathsThrough(nodes) {
    const chosen = new Set(nodes);
    const [items, edges, passed] = [new Set(), new Set(), new Set()];
    const light = (from, to) => {
      items.add(shown(from)).add(shown(to));
      passed.add(from).add(to);
      // An edge within a column is drawn once, and paths lead over it from both sides.
      edges.add(`${shown(from)}-${shown(to)}`).add(`${shown(to)}-${shown(from)}`);
    };
    const holds = (node) => chosen.has(node) || (data.nodes[node].below || []).some((other) => chosen.has(other));
    const some = (list) => { const kept = list.filter(holds); return kept.length ? kept : list; };
    // Of devices that not every partition may use, those that one of `lpars` may.
    const allowed = (node, lpars) => !data.nodes[node].only || data.nodes[node].only.some((lpar) => lpars.includes(lpar));
    const onlyOfChosen = (lpars) => {
      const limits = nodes.map((node) => data.nodes[node].only);
      return limits.includes(undefined) ? lpars : lpars.filter((lpar) => limits.some((only) => only.includes(lpar)));
    };
    for (const route of data.routes) {
      const ends = [...route.lpars, ...route.units].some(holds);
      const lpars = onlyOfChosen(some(route.lpars));
      if (!lpars.length) continue;
      for (const path of route.paths) {
        if (!ends && !path.some((node) => chosen.has(node))) continue;
        lpars.forEach((lpar) => light(lpar, path[0]));
        path.slice(1).forEach((node, hop) => light(path[hop], node));
        some(route.units).forEach((unit) => {
          light(path[path.length - 1], unit);
          const below = some(data.nodes[unit].below || []).filter((node) => allowed(node, lpars));
          below.forEach((node) => light(unit, node));
        });
      }
    }
    nodes.forEach((node) => items.add(shown(node)));
    return { items, edges, passed };
  }

  // What the paths of one node pass, column by column, so that folded groups hide nothing.
  function passedWords(node) {
    const passed = [...pathsThrough([node]).passed].sort((a, b) => a - b);
    const columns = data.columns.map((_, column) => passed.filter((other) => groupAt(other).column === column));
    const others = columns.filter((nodes) => nodes.length && !nodes.includes(node));
    const words = others.map((nodes) => {
      const more = nodes.length > 16 ? ` and ${nodes.length - 16} others` : "";
      return nodes.slice(0, 16).map((other) => data.nodes[other].label).join(", ") + more;
    });
    return words.length ? `. Its paths pass ${words.join("; ")}.` : "";
  }

  function follow(nodes) {
    const lit = nodes ? pathsThrough(nodes) : { items: new Set(), edges: new Set() };
    const chosen = new Set((pinned || []).map(shown));
    // The header of an unfolded group is lit with its members.
    const headers = new Set([...lit.items].filter((item) => !isGroup(item)).map((node) => nodeCount + groupOf[node]));
    svg.classList.toggle("following", Boolean(nodes));
    boxes.forEach((box, item) => {
      box.classList.toggle("lit", lit.items.has(item) || headers.has(item));
      box.classList.toggle("chosen", chosen.has(item));
    });
    edgeLayer.childNodes.forEach((edge) => edge.classList.toggle("lit", lit.edges.has(edge.dataset.e)));
  }

  function pin(nodes, words) {
    pinned = nodes;
    told.textContent = words || hint;
    follow(pinned);
  }

  function fold(change) {
    change();
    layOut();
    follow(pinned);
  }

  function activate(item) {
    if (isGroup(item)) {
      fold(() => { open[item - nodeCount] = !open[item - nodeCount]; });
    } else {
      pin([item], boxes[item].getAttribute("aria-label") + passedWords(item));
    }
  }

  function matches(text) {
    const typed = text.trim().toUpperCase().replace(/\s+/g, " ");
    const asked = typed.replace(/^(CHPID|[PV]CHID|DEVICE|LCU|CU|PORT|LPAR|CHANNEL|SWITCH|FID|FUNCTION|PNETID|CPC) /, "");
    if (!asked) return null;
    const device = /^(?:([0-3])\.)?([0-9A-F]{4})$/.exec(asked);
    const holds = (node) => device && (node.devices || []).some(([set, first, last]) => {
      const number = parseInt(device[2], 16);
      return (device[1] === undefined || Number(device[1]) === set) && first <= number && number <= last;
    });
    const all = data.nodes.map((_, node) => node);
    // A function and a device may have the same number; FID before it says which is meant.
    const named = all.filter((node) => data.nodes[node].keys.includes(typed.replace(/^FUNCTION /, "FID ")));
    if (named.length) return named;
    const exact = all.filter((node) => data.nodes[node].keys.includes(asked) || holds(data.nodes[node]));
    return exact.length ? exact : all.filter((node) => data.nodes[node].keys.some((key) => key.startsWith(asked)));
  }

  function find() {
    const found = matches(search.value);
    if (!found) return pin(null);
    if (!found.length) return pin([], `Nothing is called ${search.value.trim()}.`);
    const few = found.slice(0, 20);
    fold(() => few.forEach((node) => { open[groupOf[node]] = true; }));
    const words = found.slice(0, 6).map((node) => boxes[node].getAttribute("aria-label")).join(" | ");
    const more = found.length > 6 ? " and others" : found.length === 1 ? passedWords(found[0]) : "";
    pin(found, `${found.length} found: ${words}${more}`);
    const first = boxes[shown(found[0])].getBoundingClientRect();
    if (first.top < 0 || first.bottom > window.innerHeight) boxes[shown(found[0])].scrollIntoView({ block: "nearest" });
  }

  boxes.forEach((box, item) => {
    box.addEventListener("click", (event) => { event.stopPropagation(); activate(item); });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      activate(item);
    });
    const look = () => { if (!pinned) follow(nodesOf(item)); };
    const leave = () => { if (!pinned) follow(null); };
    box.addEventListener("mouseenter", look);
    box.addEventListener("focus", look);
    box.addEventListener("mouseleave", leave);
    box.addEventListener("blur", leave);
  });
  svg.addEventListener("click", () => pin(null));
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") { search.value = ""; pin(null); } });
  search.addEventListener("input", find);
  document.getElementById("unfold").addEventListener("click", () => fold(() => open.fill(true)));
  document.getElementById("fold").addEventListener("click", () => fold(() => open.fill(false)));
  document.getElementById("controls").hidden = false;
})();
