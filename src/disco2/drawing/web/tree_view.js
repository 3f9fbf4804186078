'use strict';

(function (disco2) {
  const LARGEST = 1.5; // how many times its own size the drawing may have where there is room
  const CHOSEN = {
    'data-way': 'd2-way',
    'data-read': 'd2-read',
    'data-mention': 'd2-goal',
    'data-mark': 'd2-chosen',
    'data-link': 'd2-chosen',
  }; // where a part names its chains, and its class when one of them is chosen: see trees.css

  /**
   * The drawing of both trees, to look at and to walk through.
   * @param {Object} view
   * @param {string} markup the SVG of the server
   * @param {Object[]} trees the shapes of both arguments
   * @param {(side: number, node: number) => void} onNode a node was clicked or reached
   */
  function treeView(view, markup, trees, onNode) {
    const svg = parsed(markup);
    const nodes = new Map(); // "1:12" -> the group of node 12 of the first argument
    for (const group of svg.querySelectorAll('.d2-node')) {
      nodes.set(`${group.dataset.arg}:${group.dataset.node}`, group);
    }
    const highest = Math.max(...trees.map((tree) => tree.heights[tree.root]));
    let current = null;
    prepare();

    /** The picture becomes a group of buttons: an image's parts could not be reached. */
    function prepare() {
      svg.setAttribute('role', 'group');
      const { width, height } = svg.viewBox.baseVal;
      const fitting = `${((88 * width) / height).toFixed(1)}vh`; // so wide that it is not higher than the window
      svg.style.inlineSize = `max(${width}px, min(100%, ${(LARGEST * width) / 16}rem, ${fitting}))`;
      for (const [key, group] of nodes) {
        const [side, node] = placeOf(key);
        const words = disco2.wordsBelow(view.arguments[side], trees[side], node);
        const label = view.arguments[side].labels[node];
        group.setAttribute('role', 'button');
        group.setAttribute('tabindex', '-1');
        group.setAttribute('aria-label', label ? `${label}: ${words}` : words);
        group.addEventListener('click', () => reach(key));
        group.addEventListener('focus', () => reach(key));
      }
      const first = nodes.get(`1:${trees[0].root}`);
      if (first) first.setAttribute('tabindex', '0');
    }

    function placeOf(key) {
      const [arg, node] = key.split(':');
      return [Number(arg) - 1, Number(node)];
    }

    function reach(key) {
      for (const group of svg.querySelectorAll('.d2-node[tabindex="0"]')) group.setAttribute('tabindex', '-1');
      if (current) nodes.get(current).classList.remove('d2-inspected');
      current = key;
      nodes.get(key).setAttribute('tabindex', '0');
      nodes.get(key).classList.add('d2-inspected');
      onNode(...placeOf(key));
    }

    svg.addEventListener('keydown', (event) => {
      const group = event.target.closest('.d2-node');
      if (!group || event.altKey || event.ctrlKey || event.metaKey) return;
      const key = `${group.dataset.arg}:${group.dataset.node}`;
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        reach(key);
        return;
      }
      const next = nodes.get(nextOf(key, event.key));
      if (!next) return;
      event.preventDefault();
      next.focus();
    });

    /** Up to the parent, down to the first child, sideways to the next word or the other child or tree. */
    function nextOf(key, pressed) {
      const [side, node] = placeOf(key);
      const tree = trees[side];
      const other = 1 - side;
      if (pressed === 'ArrowUp') return `${side + 1}:${tree.parent[node]}`;
      if (pressed === 'ArrowDown') {
        return node < tree.leaves ? '' : `${side + 1}:${view.arguments[side].left[node - tree.leaves]}`;
      }
      if (pressed !== 'ArrowLeft' && pressed !== 'ArrowRight') return '';
      const step = pressed === 'ArrowRight' ? 1 : -1;
      if (node < tree.leaves) {
        const inside = node + step;
        if (inside >= 0 && inside < tree.leaves) return `${side + 1}:${inside}`;
        return `${other + 1}:${step > 0 ? 0 : trees[other].leaves - 1}`;
      }
      return tree.sibling[node] >= 0 ? `${side + 1}:${tree.sibling[node]}` : `${other + 1}:${trees[other].root}`;
    }

    /** Show the upward pass up to a height. @param {number} height */
    function showUpTo(height) {
      showAll();
      svg.dataset.pass = 'up';
      for (const part of svg.querySelectorAll('.d2-node, .d2-edge')) {
        part.classList.toggle('d2-reached', Number(part.dataset.height) <= height);
        part.classList.toggle('d2-now', Number(part.dataset.height) === height);
      }
    }

    /** Show the way down to the mentions of a chain. @param {number} chain */
    function showDownTo(chain) {
      showAll();
      svg.dataset.pass = 'down';
      svg.dataset.chain = `c${chain}`;
      svg.classList.add(disco2.chainClass(chain));
      for (const [attribute, name] of Object.entries(CHOSEN)) {
        for (const part of svg.querySelectorAll(`[${attribute}~="c${chain}"]`)) part.classList.add(name);
      }
    }

    function showAll() {
      svg.dataset.pass = 'none';
      delete svg.dataset.chain;
      svg.setAttribute('class', 'd2-trees');
      const names = ['d2-reached', 'd2-now', ...Object.values(CHOSEN)];
      for (const part of svg.querySelectorAll(names.map((name) => `.${name}`).join())) part.classList.remove(...names);
    }

    return { svg, highest, showUpTo, showDownTo, showAll };
  }

  /** The SVG of a text; it is parsed as XML and never as HTML. */
  function parsed(markup) {
    const found = new DOMParser().parseFromString(markup, 'image/svg+xml').documentElement;
    if (found.localName !== 'svg') throw new Error('The drawing of the trees could not be read.');
    return /** @type {SVGSVGElement} */ (document.importNode(found, true));
  }

  disco2.treeView = treeView;
})(window.disco2);
