'use strict';

(function (disco2) {
  const { element, shape } = disco2;
  const COLUMN = 8; // width of a number in the strip
  const HALF = 24; // height of a full bar

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
      const words = disco2.wordsBelow(argument, tree, node);
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

  function remark(text) {
    return element('p', { class: 'd2-note' }, text);
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

  disco2.nodeInspector = nodeInspector;
})(window.disco2);
