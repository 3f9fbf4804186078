'use strict';

(function (disco2) {
  const { element, button } = disco2;
  const PAUSE = 1100; // milliseconds between two heights while the pass plays

  /**
   * What moves the trees: the upward pass by heights, and the choice of an entity.
   * @param {Object} view
   * @param {Object[]} trees the shapes of both arguments
   * @param {Object} drawing of tree_view.js
   * @param {(chain: number) => void} onChain an entity was chosen; -1 for none
   */
  function treeControls(view, trees, drawing, onChain) {
    const highest = drawing.highest;
    const caption = element('p', { class: 'd2-below-trees', 'aria-live': 'polite' });
    const slider = element('input', {
      type: 'range',
      min: 0,
      max: highest,
      step: 1,
      class: 'd2-slider',
      'aria-label': 'Height that the upward pass has reached',
    });
    slider.value = String(highest);
    const play = button('Play', toggle, { class: 'd2-button d2-play' });
    const back = button('Step back', () => step(-1));
    const forth = button('Step', () => step(1), { class: 'd2-button d2-step' });
    const all = button('Show all', () => showAll(), { class: 'd2-button d2-show-all' });
    const legend = element('legend', {}, 'Upward pass');
    const upward = element('fieldset', {}, legend, play, back, forth, slider, all);
    upward.hidden = !view.dimensions; // a model that composes nothing
    const entities = entityChoice(view, (chain) => (chain < 0 ? showAll() : chooseChain(chain)));
    const box = element('div', { class: 'd2-controls' }, upward, entities.box);
    let timer = 0;
    let height = -1; // -1: no upward pass is shown
    showAll();

    function toggle() {
      if (timer) {
        stop();
        return;
      }
      play.textContent = 'Pause';
      if (height < 0 || height >= highest) goTo(0);
      timer = window.setInterval(() => {
        if (!box.isConnected || height >= highest) stop();
        else goTo(height + 1);
      }, PAUSE);
    }

    function stop() {
      window.clearInterval(timer);
      timer = 0;
      play.textContent = 'Play';
    }

    function step(by) {
      stop();
      if (height < 0) goTo(by > 0 ? 0 : highest);
      else goTo(height + by);
    }

    function goTo(wanted) {
      height = Math.max(0, Math.min(highest, wanted));
      slider.value = String(height);
      slider.setAttribute('aria-valuetext', `height ${height} of ${highest}`);
      entities.select(-1);
      onChain(-1);
      drawing.showUpTo(height);
      caption.textContent = captionOf(height);
    }

    function captionOf(reached) {
      const opening = `Height ${reached} of ${highest}: `;
      if (!reached) return `${opening}each word has its vector.`;
      const made = view.arguments.flatMap((argument, side) =>
        trees[side].heights
          .map((found, node) => (found === reached ? shortened(disco2.wordsBelow(argument, trees[side], node)) : ''))
          .filter(Boolean)
          .map((words) => `\u201c${words}\u201d`),
      );
      const named = made.slice(0, 3).join(', ') + (made.length > 3 ? ` and ${made.length - 3} more` : '');
      const get = made.length > 1 ? 'get' : 'gets';
      return `${opening}${named} ${get} a vector from the two nodes below, u = tanh(U [left; right]).`;
    }

    function chooseChain(chain) {
      if (!view.chains[chain]) return;
      stop();
      height = -1;
      slider.value = String(highest);
      entities.select(chain);
      drawing.showDownTo(chain);
      onChain(chain);
      caption.textContent = wayInWords(view.chains[chain]);
    }

    function showAll() {
      stop();
      height = -1;
      slider.value = String(highest);
      slider.setAttribute('aria-valuetext', 'everything is shown');
      entities.select(-1);
      drawing.showAll();
      onChain(-1);
      caption.textContent = invitation(view);
    }

    slider.addEventListener('input', () => {
      stop();
      goTo(Number(slider.value));
    });

    return { box, caption, chooseChain, stop };
  }

  function wayInWords({ first, second, down }) {
    const both = `${quoted(first)} and ${quoted(second)}`;
    if (!Object.keys(down[0]).length) return `${both} are one entity; this model makes no vectors for its roles.`;
    return (
      `Down to ${both}: at the root d = u, then at each step d = tanh(V [d of the parent; u of the sibling]). ` +
      'So d tells which role the entity plays.'
    );
  }

  function invitation(view) {
    if (!view.dimensions) return 'This model composes no vectors: the trees only show the phrases.';
    if (view.chains.length) return 'Play the upward pass, or choose an entity to see the way down to it.';
    return 'Play the upward pass. The two arguments share no entity, so there is no downward pass.';
  }

  function quoted(mentions) {
    return [...new Set(mentions.map((mention) => `\u201c${shortened(mention.text)}\u201d`))].join(', ');
  }

  function shortened(text) {
    return text.length > 42 ? `${text.slice(0, 24).trimEnd()} \u2026 ${text.slice(-14).trimStart()}` : text;
  }

  /** A radio button for each chain, and one for none. */
  function entityChoice(view, onChange) {
    const legend = element('legend', {}, 'Entity, and the way down to it');
    const box = element('fieldset', {}, legend);
    const group = disco2.freshId('entity');
    const inputs = [];
    const names = ['none', ...view.chains.map(({ first, second }) => `${namesOf(first)} ~ ${namesOf(second)}`)];
    names.forEach((name, n) => {
      const input = element('input', { type: 'radio', name: group, value: n - 1 });
      input.checked = n === 0;
      input.addEventListener('change', () => onChange(n - 1));
      inputs.push(input);
      const colour = n ? ` ${disco2.chainClass(n - 1)}` : '';
      const label = element('label', { class: `d2-entity${colour}` }, input, element('span', {}, name));
      if (n) label.lastChild.prepend(element('b', { class: 'd2-entity-letter' }, disco2.chainLetter(n - 1)), ' ');
      box.append(label);
    });
    if (!view.chains.length) box.hidden = true;
    return { box, select: (chain) => { inputs[chain + 1].checked = true; } };
  }

  function namesOf(mentions) {
    const names = [...new Set(mentions.map((mention) => shortened(mention.text)))];
    return names.slice(0, 2).join(', ') + (names.length > 2 ? ', \u2026' : '');
  }

  disco2.treeControls = treeControls;
})(window.disco2);
