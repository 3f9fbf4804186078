'use strict';

(function (disco2) {
  const { element } = disco2;
  const COLOURS = 8; // as in trees.css: d2-chain-0 to d2-chain-7, then again from 0

  /** The class that sets the colour of a chain. @param {number} place among the chains of a relation */
  function chainClass(place) {
    return `d2-chain-${place % COLOURS}`;
  }

  /** A to Z, then AA and so on: what tells chains apart where colours don't. @param {number} place */
  function chainLetter(place) {
    let letters = '';
    for (let rest = place + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
      letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
    }
    return letters;
  }

  /**
   * Both arguments' texts, coreferent mentions in one colour.
   * @param {Object} relation
   * @param {(chain: number) => void} onChoose a mention of the chain in this place was clicked
   */
  function argumentTexts(relation, onChoose) {
    const box = element('div', { class: 'd2-arguments' });
    for (const [side, title] of [['arg1', 'First argument'], ['arg2', 'Second argument']]) {
      const mentions = relation.entities.flatMap((entity) =>
        entity[side].map((span) => ({ ...span, chain: entity.chain })),
      );
      const words = element('blockquote', { class: 'd2-argument' }, marked(relation[side], mentions));
      box.append(element('figure', {}, element('figcaption', {}, title), words));
    }
    const marks = [...box.querySelectorAll('.d2-mention-text')];
    order(relation.entities.map(({ chain }) => chain));
    box.addEventListener('click', (event) => {
      const mark = event.target.closest('.d2-mention-text');
      if (mark && !String(window.getSelection())) onChoose(Number(mark.dataset.place));
    });

    /** Give colours and letters to the chains in this order. @param {string[]} chains */
    function order(chains) {
      for (const mark of marks) {
        const place = chains.indexOf(mark.dataset.chain);
        mark.className = place < 0 ? 'd2-mention-text' : `d2-mention-text ${chainClass(place)}`;
        mark.dataset.place = String(place);
        mark.dataset.letter = place < 0 ? '' : chainLetter(place);
      }
    }

    /** @param {number} place of the chosen chain; -1 for none */
    function choose(place) {
      for (const mark of marks) {
        mark.classList.toggle('d2-dimmed', place >= 0 && Number(mark.dataset.place) !== place);
        mark.classList.toggle('d2-chosen', place >= 0 && Number(mark.dataset.place) === place);
      }
    }

    return { box, order, choose };
  }

  /**
   * The words of an argument with a mark around each mention, marks inside marks where mentions are.
   * @returns {DocumentFragment}
   */
  function marked(argument, mentions) {
    const at = disco2.offsetsOf(argument.text);
    const inside = mentions
      .map(({ start, end, chain }) => ({
        start: at(Math.max(start, argument.start) - argument.start),
        end: at(Math.min(end, argument.end) - argument.start),
        chain,
      }))
      .filter(({ start, end }) => start < end)
      .sort((one, other) => one.start - other.start || other.end - one.end);
    const root = document.createDocumentFragment();
    const open = [{ node: root, end: argument.text.length }]; // the marks we are in, the innermost last
    let reached = 0;

    function write(until) {
      while (open.length > 1 && open[open.length - 1].end <= until) {
        const { node, end } = open.pop();
        node.append(argument.text.slice(reached, end));
        reached = Math.max(reached, end);
      }
      open[open.length - 1].node.append(argument.text.slice(reached, until));
      reached = Math.max(reached, until);
    }

    for (const { start, end, chain } of inside) {
      write(start);
      const mark = element('mark', { class: 'd2-mention-text', 'data-chain': chain });
      const around = open[open.length - 1];
      around.node.append(mark);
      open.push({ node: mark, end: Math.min(end, around.end) }); // what would cross its mark's end stops there
    }
    write(argument.text.length);
    return root;
  }

  Object.assign(disco2, { argumentTexts, chainClass, chainLetter });
})(window.disco2);
