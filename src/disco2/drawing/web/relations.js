'use strict';

(function (disco2) {
  const { element, button } = disco2;

  /**
   * @typedef {Object} Source Where more than the result comes from; all of it may be absent.
   * @property {(index: number, signal: AbortSignal) => Promise<{view: Object, svg: string} | null>} [viewOf] the
   *   trees and the parts of the scores of a relation, until nobody waits for them; null where they are not there
   * @property {(index: number) => string} [linkOf] an address that shows this relation; -1: the text alone
   * @property {(index: number) => void} [onChoose] a relation was chosen; -1: closed
   * @property {HTMLElement} [beside] what to show between the text and the detail
   */

  /**
   * Fill `root` with a text and its relations.
   * @param {HTMLElement} root
   * @param {Object} result as POST /v1/relations and `disco2 predict --json` give it
   * @param {Source} [source]
   * @returns {{choose: (index: number) => void, chosen: () => number}}
   */
  function show(root, result, source = {}) {
    const status = element('p', { class: 'd2-status', role: 'status' });
    const say = (message) => {
      status.textContent = message;
    };
    const text = disco2.runningText(result, (index) => open(index, { told: true }));
    const panel = element('section', { class: 'd2-detail', hidden: true, 'aria-label': 'The chosen relation' });
    const views = new Map(); // that have arrived
    let waiting = new AbortController(); // ends when another relation is chosen
    let chosen = -1;
    let detail = null;

    root.classList.add('d2-relations');
    root.replaceChildren(
      text.box,
      ...(result.relations.length ? [disco2.legend(result)] : []),
      element('div', { class: 'd2-toolbar' }, element('p', { class: 'd2-summary' }, summaryOf(result)), ...tools()),
      status,
      ...(source.beside ? [source.beside] : []),
      panel,
    );
    text.redraw();

    function tools() {
      const made = [copier('Copy as JSON', () => JSON.stringify(result, null, 2), 'The answer is on the clipboard.')];
      if (source.linkOf) made.push(copier('Copy link', () => source.linkOf(chosen), 'The link is on the clipboard.'));
      return made;
    }

    function copier(name, read, done) {
      return button(name, async () => {
        const written = read();
        if (!written) {
          say('The text is too long for a link.');
          return;
        }
        const copied = await disco2.copyText(written);
        say(copied ? done : 'Copying is not allowed here.');
      });
    }

    /** One answer for each relation, however often it is looked at. */
    async function look(index) {
      if (!views.has(index)) views.set(index, await source.viewOf(index, waiting.signal));
      return views.get(index);
    }

    /** Nobody looks at the relation that was chosen any more. */
    function leave() {
      detail?.stop();
      waiting.abort();
      waiting = new AbortController();
    }

    function open(index, { told = false } = {}) {
      const relation = result.relations.find((one) => one.index === index);
      if (!relation) {
        close({ told });
        return;
      }
      if (index === chosen) return; // it is open, perhaps with an entity chosen in it
      chosen = index;
      leave();
      detail = disco2.relationDetail(relation, {
        where: whereOf(relation),
        look: source.viewOf ? () => look(index) : null,
        calibrated: (result.model?.running_text_temperature ?? 1) !== 1,
        say,
      });
      panel.hidden = false;
      panel.replaceChildren(heading(relation), detail.box);
      text.mark(index);
      text.reveal();
      detail.load();
      if (told) {
        bringIntoSight();
        source.onChoose?.(index);
      }
    }

    function heading(relation) {
      const place = result.relations.indexOf(relation);
      const go = (by) => button(by < 0 ? 'Previous' : 'Next', () => {
        open(result.relations[place + by].index, { told: true });
        const names = by < 0 ? ['d2-previous', 'd2-next'] : ['d2-next', 'd2-previous'];
        names.map((name) => panel.querySelector(`.${name}:not(:disabled)`)).find(Boolean)?.focus();
      }, { class: `d2-button ${by < 0 ? 'd2-previous' : 'd2-next'}`, disabled: !result.relations[place + by] });
      const shut = button('Close', () => {
        close({ told: true });
        text.focus();
      }, { class: 'd2-button d2-close' });
      return element(
        'header',
        { class: 'd2-detail-head' },
        element('h2', {}, detail.title),
        element('p', {}, detail.subtitle),
        element('div', { class: 'd2-buttons' }, go(-1), go(1), shut),
      );
    }

    function whereOf(relation) {
      const numbers = [relation.arg1, relation.arg2].map(
        (span) => 1 + result.sentences.findIndex((one) => span.start < one.end),
      );
      if (numbers[0] === numbers[1]) return `one part of sentence ${numbers[0]} to another`;
      return `sentence ${numbers[0]} to sentence ${numbers[1]}`;
    }

    function close({ told = false } = {}) {
      chosen = -1;
      leave();
      detail = null;
      panel.hidden = true;
      panel.replaceChildren();
      text.mark(-1);
      if (told) source.onChoose?.(-1);
    }

    /** The text to the top of the window where the detail would else lie too far below to be noticed. */
    function bringIntoSight() {
      if (panel.getBoundingClientRect().top < window.innerHeight * 0.6) return;
      const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
      text.box.scrollIntoView({ block: 'start', behavior: still ? 'auto' : 'smooth' });
    }

    panel.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      close({ told: true });
      text.focus();
    });

    return { choose: (index) => open(index), chosen: () => chosen };
  }

  function summaryOf(result) {
    const sentences = result.sentences.length;
    const relations = result.relations.length;
    if (!relations) {
      return sentences > 1
        ? `${sentences} sentences, but no relation was found in them.`
        : 'One sentence, and no relation was found in it. Add a second one.';
    }
    const told = relations === 1 ? 'one relation' : `${relations} relations`;
    return `${sentences === 1 ? 'One sentence' : `${sentences} sentences`}, ${told}. Choose an arc to see why.`;
  }

  /** Start where a page carries its data, as the HTML of disco2.drawing does. */
  function startFromData() {
    const data = document.getElementById('disco2-data');
    const root = document.getElementById('disco2-root');
    if (!data || !root) return;
    const { result, views } = JSON.parse(data.textContent);
    const source = views
      ? { viewOf: async (index) => views[result.relations.findIndex((one) => one.index === index)] || null }
      : {};
    const shown = show(root, result, source);
    if (result.relations.length === 1) shown.choose(result.relations[0].index);
  }

  disco2.show = show;
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', startFromData);
  else startFromData();
})(window.disco2);
