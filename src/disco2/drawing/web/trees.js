'use strict';

/** Both argument trees: their shapes, the drawing to walk through, and what a chosen node shows. */
(function (disco2) {
  const { element, shape, remark } = disco2;
  const COLUMN = 8; // width of a number in the strip
  const HALF = 24; // height of a full bar
  const LARGEST = 1.5; // how many times its own size the drawing may have where there is room
  const CHOSEN = {
    'data-way': 'd2-way',
    'data-read': 'd2-read',
    'data-mention': 'd2-goal',
    'data-mark': 'd2-chosen',
    'data-link': 'd2-chosen',
  }; // where a part names its chains, and its class when one of them is chosen: see trees.css

  /**
   * @typedef {Object} TreeShape
   * @property {number} leaves
   * @property {number} root
   * @property {number[]} parent -1 for the root
   * @property {number[]} sibling -1 for the root
   * @property {number[]} starts first leaf below a node
   * @property {number[]} ends last leaf below a node, plus one
   * @property {number[]} heights 0 for leaves, else one more than the higher child's
   */

  /**
   * What follows from the children of the inner nodes: leaves are 0 to n-1, children come before their parents.
   * @param {{words: string[], left: number[], right: number[]}} argument
   * @returns {TreeShape}
   */
  function treeShape(argument) {
    const leaves = argument.words.length;
    const nodes = 2 * leaves - 1;
    const parent = new Array(nodes).fill(-1);
    const sibling = new Array(nodes).fill(-1);
    const starts = argument.words.map((_, n) => n);
    const ends = argument.words.map((_, n) => n + 1);
    const heights = new Array(nodes).fill(0);
    for (let node = leaves; node < nodes; node += 1) {
      const [left, right] = [argument.left[node - leaves], argument.right[node - leaves]];
      parent[left] = parent[right] = node;
      [sibling[left], sibling[right]] = [right, left];
      starts[node] = starts[left];
      ends[node] = ends[right];
      heights[node] = 1 + Math.max(heights[left], heights[right]);
    }
    return { leaves, root: nodes - 1, parent, sibling, starts, ends, heights };
  }

  /** The words below a node. @param {Object} argument @param {TreeShape} tree @param {number} node */
  function wordsBelow(argument, tree, node) {
    return argument.words.slice(tree.starts[node], tree.ends[node]).join(' ');
  }

  /**
   * The tree in brackets, for those who don't see it: (S (NP (NNP Bob)) (VP …)).
   * @param {Object} argument
   */
  function brackets(argument) {
    const written = argument.words.map((word, n) => `(${argument.labels[n] || '?'} ${word})`);
    argument.left.forEach((left, n) => {
      const inside = `${written[left]} ${written[argument.right[n]]}`;
      const label = argument.labels[argument.words.length + n];
      written.push(label ? `(${label} ${inside})` : inside); // a node that binarising made has no label
    });
    return written[written.length - 1] || '';
  }

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
        const words = wordsBelow(view.arguments[side], trees[side], node);
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

  /**
   * A box that tells about one node: its words, its label, how its vectors come about, and all their numbers.
   * @param {Object} view
   * @param {Object[]} trees the shapes of both arguments
   */
  function nodeInspector(view, trees) {
    const invitation =
      'Choose a node of a tree to see what it covers, and its numbers; arrow keys walk through the tree.';
    const box = element('div', { class: 'd2-inspector' }, remark(invitation));

    /** @param {number} side 0 or 1 @param {number} node */
    function inspect(side, node) {
      const argument = view.arguments[side];
      const tree = trees[side];
      const words = wordsBelow(argument, tree, node);
      const title = element('h4', {}, `\u201c${words}\u201d`);
      const kind = node < tree.leaves ? word(argument.labels[node]) : phrase(argument.labels[node]);
      const place = side ? 'second argument' : 'first argument';
      box.replaceChildren(title, remark(`${kind}, ${place}, height ${tree.heights[node]}`));
      const up = argument.up[node];
      if (up) box.append(vector(upwardEquation(argument, tree, node), up));
      const down = view.chains.map((chain) => chain.down[side]?.[node]).find(Boolean);
      if (down) box.append(vector(downwardEquation(argument, tree, node), down));
    }

    return { box, inspect };
  }

  function word(tag) {
    return `word, tagged ${tag || '?'}`;
  }

  function phrase(label) {
    return label ? `phrase, ${label}` : 'in between: makes a tree with two branches at each node';
  }

  function upwardEquation(argument, tree, node) {
    if (node < tree.leaves) return [name('u', argument, tree, node), ' is the vector of the word'];
    const inner = node - tree.leaves;
    return [
      name('u', argument, tree, node),
      ' = tanh(U [',
      name('u', argument, tree, argument.left[inner]),
      '; ',
      name('u', argument, tree, argument.right[inner]),
      '])',
    ];
  }

  function downwardEquation(argument, tree, node) {
    const itself = name('d', argument, tree, node);
    if (node === tree.root) return [itself, ' = ', name('u', argument, tree, node), ', at the root'];
    return [
      itself,
      ' = tanh(V [',
      name('d', argument, tree, tree.parent[node]),
      '; ',
      name('u', argument, tree, tree.sibling[node]),
      '])',
    ];
  }

  /** u(the burger), long stretches cut in the middle. */
  function name(letter, argument, tree, node) {
    const words = argument.words.slice(tree.starts[node], tree.ends[node]);
    const said = words.length > 4 ? `${words[0]} \u2026 ${words[words.length - 1]}` : words.join(' ');
    return element('span', {}, element('var', {}, letter), `(${said})`);
  }

  function vector(equation, numbers) {
    const size = Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0));
    return element(
      'div',
      { class: 'd2-vector' },
      element('p', { class: 'd2-equation' }, ...equation),
      strip(numbers),
      element(
        'details',
        {},
        element('summary', {}, `all ${numbers.length} numbers; length of the vector ${size.toFixed(2)}`),
        element('p', { class: 'd2-numbers' }, numbers.map((value) => disco2.plain(value, 3)).join('  ')),
      ),
    );
  }

  /** All numbers of a vector as bars up and down from a middle line; beyond 1 they are cut, as only words are. */
  function strip(numbers) {
    const width = numbers.length * COLUMN;
    const [lowest, highest] = [Math.min(...numbers), Math.max(...numbers)].map((value) => disco2.plain(value));
    const svg = shape('svg', {
      class: 'd2-strip',
      viewBox: `0 0 ${width} ${2 * HALF}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': `${numbers.length} numbers, from ${lowest} to ${highest}`,
    });
    svg.append(shape('path', { class: 'd2-strip-middle', d: `M0 ${HALF}H${width}` }));
    numbers.forEach((value, n) => {
      const height = Math.max(0.6, HALF * Math.min(1, Math.abs(value)));
      svg.append(
        shape(
          'rect',
          {
            class: value < 0 ? 'd2-strip-below' : 'd2-strip-above',
            x: n * COLUMN + 1,
            y: value < 0 ? HALF : HALF - height,
            width: COLUMN - 2,
            height,
          },
          shape('title', {}, `${n + 1}: ${disco2.plain(value, 4)}`),
        ),
      );
    });
    return svg;
  }

  Object.assign(disco2, { treeShape, wordsBelow, brackets, treeView, nodeInspector });
})(window.disco2);
