"use strict";
// Shows steps that wlt has computed. This file refines nothing: it paints nodes, counts them, and moves them.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const ARROW = 9, GAP = 34, PHONE = 480, PLAY_EVERY = 1100;
  let active = null;

  const make = (name, attributes = {}, text = "") => {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text) element.textContent = text;
    return element;
  };

  const html = (name, className = "", text = "") => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== "") element.textContent = text;
    return element;
  };

  const unit = (x, y) => {
    const length = Math.max(Math.hypot(x, y), 1e-9);
    return [x / length, y / length];
  };

  // The course of a line, as wlt.drawing.course draws it.
  function course(p, q, radius, bend, directed) {
    const mx = (p[0] + q[0]) / 2, my = (p[1] + q[1]) / 2;
    const length = Math.max(Math.hypot(q[0] - p[0], q[1] - p[1]), 1e-9);
    const cx = mx + (2 * bend * (p[1] - q[1])) / length, cy = my + (2 * bend * (q[0] - p[0])) / length;
    const out = unit(cx - p[0], cy - p[1]), into = unit(cx - q[0], cy - q[1]);
    const tip = [q[0] + (radius + 1) * into[0], q[1] + (radius + 1) * into[1]];
    const reach = directed ? radius + ARROW : radius;
    const end = [q[0] + reach * into[0], q[1] + reach * into[1]];
    const side = [-into[1] * ARROW * 0.45, into[0] * ARROW * 0.45];
    const back = [tip[0] + ARROW * into[0], tip[1] + ARROW * into[1]];
    return {
      path: [p[0] + radius * out[0], p[1] + radius * out[1], cx, cy, end[0], end[1]],
      middle: [(mx + cx) / 2, (my + cy) / 2],
      head: [tip, [back[0] + side[0], back[1] + side[1]], [back[0] - side[0], back[1] - side[1]]],
    };
  }

  class Side {
    constructor(group, data, first) {
      this.group = group;
      this.first = first;
      this.radius = data.radius;
      this.box = data.box;
      this.names = data.names;
      this.offset = [0, 0];
      this.nodes = [...group.querySelectorAll(".node")];
      this.places = data.places.map((place) => [...place]);
      this.home = data.places;
      this.edges = [...group.querySelectorAll(".edge")].map((element) => ({
        element,
        source: +element.dataset.source,
        target: +element.dataset.target,
        bend: +element.dataset.bend,
        directed: element.dataset.directed === "1",
      }));
      this.loops = [...group.querySelectorAll(".loop")];
      this.edgesAt = this.nodes.map(() => []);
      for (const edge of this.edges) {
        this.edgesAt[edge.source].push(edge);
        this.edgesAt[edge.target].push(edge);
      }
    }

    paint(node, number, palette) {
      const [fill, ink] = palette[number % palette.length], group = this.nodes[node];
      group.querySelector("circle").setAttribute("fill", fill);
      const text = group.querySelector(".number");
      text.textContent = number;
      text.setAttribute("fill", ink);
      text.setAttribute("font-size", (this.radius * (number < 100 ? 1.05 : 0.8)).toFixed(1));
      group.querySelector("title").textContent = `node ${this.names[node]}, class ${number}`;
    }

    move(node, x, y) {
      const [left, top, width, height] = this.box;
      this.places[node] = [
        Math.min(Math.max(x, left + this.radius), left + width - this.radius),
        Math.min(Math.max(y, top + this.radius), top + height - this.radius),
      ];
      const [nx, ny] = this.places[node];
      this.nodes[node].setAttribute("transform", `translate(${nx.toFixed(1)},${ny.toFixed(1)})`);
      for (const edge of this.edgesAt[node]) this.redraw(edge);
      for (const loop of this.loops) {
        if (+loop.dataset.node !== node) continue;
        loop.setAttribute("transform", `translate(${nx - this.home[node][0]},${ny - this.home[node][1]})`);
      }
    }

    redraw(edge) {
      const way = course(this.places[edge.source], this.places[edge.target], this.radius, edge.bend, edge.directed);
      const [a, b, c, d, e, f] = way.path.map((value) => value.toFixed(1));
      edge.element.querySelector(".line").setAttribute("d", `M${a} ${b}Q${c} ${d} ${e} ${f}`);
      const head = edge.element.querySelector(".arrow"), label = edge.element.querySelector(".edge-label");
      if (head) head.setAttribute("points", way.head.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "));
      if (label) {
        label.setAttribute("x", way.middle[0].toFixed(1));
        label.setAttribute("y", way.middle[1].toFixed(1));
      }
    }
  }

  class Explorer {
    constructor(root) {
      this.root = root;
      this.story = JSON.parse(root.querySelector("script.story").textContent);
      this.svg = root.querySelector(".stage svg");
      this.links = root.querySelector(".links");
      let first = 0;
      this.sides = [...root.querySelectorAll(".side")].map((group, i) => {
        const side = new Side(group, this.story.sides[i], first);
        first += side.nodes.length;
        return side;
      });
      this.colors = [];
      let colors = new Int32Array(first);
      for (const frame of this.story.frames) {
        colors = colors.slice();
        for (const [node, number] of frame.changes) colors[node] = number;
        this.colors.push(colors);
      }
      this.shown = new Int32Array(first).fill(-1);
      this.step = 0;
      this.selected = null;
      this.timer = null;
      this.find = (name) => root.querySelector(`.${name}`);
      this.slider = root.querySelector("input");
      this.slider.max = this.story.frames.length - 1;
      this.listen();
      this.arrange();
      this.show(0);
    }

    listen() {
      this.slider.addEventListener("input", () => { this.stop(); this.show(+this.slider.value); });
      for (const button of this.root.querySelectorAll("[data-go]")) {
        button.addEventListener("click", () => this.go(button.dataset.go));
      }
      this.root.addEventListener("pointerdown", () => { active = this; });
      this.root.addEventListener("focusin", () => { active = this; });
      new ResizeObserver(() => this.arrange()).observe(this.find("stage"));
      for (const side of this.sides) {
        side.nodes.forEach((group, node) => group.addEventListener("pointerdown", (event) => this.grab(event, side, node)));
      }
    }

    go(where) {
      const last = this.story.frames.length - 1;
      if (where === "play") {
        if (this.timer) return this.stop();
        if (this.step === last) this.show(0);
        else this.show(this.step + 1);
        this.timer = setInterval(() => (this.step === last ? this.stop() : this.show(this.step + 1)), PLAY_EVERY);
        return this.mark();
      }
      this.stop();
      this.show({ first: 0, back: this.step - 1, next: this.step + 1, last }[where]);
    }

    stop() {
      clearInterval(this.timer);
      this.timer = null;
      this.mark();
    }

    mark() {
      const last = this.story.frames.length - 1;
      const button = (name) => this.root.querySelector(`[data-go=${name}]`);
      button("play").textContent = this.timer ? "pause" : "play";
      button("play").setAttribute("aria-label", this.timer ? "Pause (space)" : "Play (space)");
      button("first").disabled = button("back").disabled = this.step === 0;
      button("next").disabled = button("last").disabled = this.step === last;
    }

    // Side by side where there is room, one below the other on a phone.
    arrange() {
      const beside = this.find("stage").clientWidth >= PHONE;
      let right = 0, bottom = 0, width = 0, height = 0;
      for (const side of this.sides) {
        const [x, y, w, h] = side.box;
        side.offset = beside ? [right - x, -y] : [-x, bottom - y];
        side.group.setAttribute("transform", `translate(${side.offset})`);
        right += w + GAP;
        bottom += h + GAP;
        width = beside ? right - GAP : Math.max(width, w);
        height = beside ? Math.max(height, h) : bottom - GAP;
      }
      this.size = [width, height];
      this.svg.setAttribute("viewBox", `0 0 ${width.toFixed(1)} ${height.toFixed(1)}`);
      this.svg.style.maxHeight = `${Math.round(height * 1.7)}px`;
      if (this.colors.length) this.link(this.story.frames[this.step]);
    }

    show(step) {
      const last = this.story.frames.length - 1;
      this.step = Math.min(Math.max(step, 0), last);
      const frame = this.story.frames[this.step], colors = this.colors[this.step];
      for (const side of this.sides) {
        for (let node = 0; node < side.nodes.length; node++) {
          const number = colors[side.first + node];
          if (this.shown[side.first + node] !== number) side.paint(node, number, this.story.palette);
          this.shown[side.first + node] = number;
        }
      }
      this.find("title").textContent = frame.title;
      this.find("text").textContent = frame.text;
      this.slider.value = this.step;
      this.slider.setAttribute("aria-valuetext", frame.title);
      this.find("place").textContent = `${this.step} / ${last}`;
      this.root.dataset.step = this.step;
      this.table(colors);
      this.highlight();
      this.link(frame);
      this.find("end").hidden = this.step !== last;
      this.mark();
    }

    table(colors) {
      const sizes = new Map();
      this.sides.forEach((side, i) => {
        for (let node = 0; node < side.nodes.length; node++) {
          const number = colors[side.first + node];
          if (!sizes.has(number)) sizes.set(number, this.sides.map(() => 0));
          sizes.get(number)[i] += 1;
        }
      });
      const rows = document.createDocumentFragment();
      for (const number of [...sizes.keys()].sort((a, b) => a - b)) {
        const row = html("tr"), first = html("td"), button = html("button", "swatch", number);
        const [fill, ink] = this.story.palette[number % this.story.palette.length];
        button.style.background = fill;
        button.style.color = ink;
        button.setAttribute("aria-label", `Class ${number}: what its nodes have in common`);
        button.addEventListener("click", () => this.select(number));
        row.dataset.class = number;
        first.append(button);
        row.append(first);
        const counts = sizes.get(number);
        for (const count of counts) row.append(html("td", "", count));
        if (counts.some((count) => count !== counts[0])) row.className = "differs";
        rows.append(row);
      }
      this.find("rows").replaceChildren(rows);
      this.find("how-many").textContent = `${sizes.size} ${sizes.size === 1 ? "class" : "classes"}`;
      if (!sizes.has(this.selected)) this.selected = null;
    }

    select(number) {
      this.selected = this.selected === number ? null : number;
      this.highlight();
    }

    highlight() {
      const frame = this.story.frames[this.step], colors = this.colors[this.step];
      this.sides.forEach((side, i) => {
        side.nodes.forEach((group, node) => {
          const number = colors[side.first + node];
          const recolored = frame.pair !== null && frame.pair[i] === node;
          group.classList.toggle("other", this.selected !== null && number !== this.selected);
          group.classList.toggle("chosen", number === frame.chosen || recolored);
          group.classList.toggle("recolored", recolored);
        });
      });
      for (const row of this.find("rows").children) {
        row.classList.toggle("selected", +row.dataset.class === this.selected);
      }
      this.find("words").textContent = this.selected === null ? this.story.hint : this.explain(this.selected);
    }

    explain(number) {
      for (let step = this.step; step >= 0; step--) {
        const words = this.story.frames[step].words[number];
        if (words) return words;
      }
      return `Class ${number}: its nodes have been together since the start.`;
    }

    link(frame) {
      this.links.replaceChildren();
      if (this.sides.length < 2) return;
      if (frame.pair !== null) this.links.append(this.line(frame.pair[0], frame.pair[1], "link"));
      const last = this.step === this.story.frames.length - 1;
      if (last && this.story.mapping) {
        this.story.mapping.forEach((image, node) => this.links.append(this.line(node, image, "link mapped")));
      }
    }

    line(node, image, className) {
      const [p, q] = [[0, node], [1, image]].map(([i, v]) => {
        const side = this.sides[i];
        return [side.places[v][0] + side.offset[0], side.places[v][1] + side.offset[1]];
      });
      // bent a little, so that lines between nodes of one row do not lie on each other; towards the middle of all
      const [width, height] = this.size;
      const across = q[0] - p[0], down = q[1] - p[1], length = Math.hypot(across, down);
      const inwards = across * (height - p[1] - q[1]) < down * (width - p[0] - q[0]) ? -1 : 1;
      const way = course(p, q, this.sides[0].radius, inwards * 0.07 * length, false).path;
      const [a, b, c, d, e, f] = way.map((value) => value.toFixed(1));
      const attributes = { class: className, "data-node": node, "data-image": image };
      return make("path", { ...attributes, d: `M${a} ${b}Q${c} ${d} ${e} ${f}` });
    }

    // Dragging moves a node; a click that moves nothing chooses its class.
    grab(event, side, node) {
      if (event.button) return;
      event.preventDefault();
      const group = side.nodes[node], start = this.point(event, side), origin = side.places[node];
      let moved = false;
      const move = (now) => {
        const at = this.point(now, side), dx = at[0] - start[0], dy = at[1] - start[1];
        if (!moved && Math.hypot(dx, dy) < 3) return;
        moved = true;
        side.move(node, origin[0] + dx, origin[1] + dy);
        this.link(this.story.frames[this.step]);
      };
      const drop = () => {
        group.classList.remove("held");
        group.removeEventListener("pointermove", move);
        group.removeEventListener("pointerup", drop);
        group.removeEventListener("pointercancel", drop);
        if (!moved) this.select(this.colors[this.step][side.first + node]);
      };
      active = this;
      group.setPointerCapture(event.pointerId);
      group.classList.add("held");
      group.addEventListener("pointermove", move);
      group.addEventListener("pointerup", drop);
      group.addEventListener("pointercancel", drop);
    }

    point(event, side) {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(side.group.getScreenCTM().inverse());
      return [at.x, at.y];
    }
  }

  const KEYS = { ArrowLeft: "back", ArrowRight: "next", " ": "play", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const where = KEYS[event.key];
    if (!where || !active || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && event.target.closest("button, a, summary")) return; // space presses them
    event.preventDefault();
    active.go(where);
  });

  // A page may have many explorers; those in hidden parts begin when they come into sight.
  const begin = (root) => {
    if (!root.dataset.step) active = new Explorer(root);
  };
  const hidden = new IntersectionObserver((seen) => seen.forEach((one) => one.isIntersecting && begin(one.target)));
  for (const root of document.querySelectorAll(".explorer")) {
    if (root.offsetParent !== null) begin(root);
    else hidden.observe(root);
  }
})();
