'use strict';

(function (disco2) {
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

  Object.assign(disco2, { treeShape, wordsBelow, brackets });
})(window.disco2);
