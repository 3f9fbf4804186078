'use strict';

(function (disco2) {
  const { element, button } = disco2;

  let guessing = false; // whether readers guess a sense before they see it; holds for the next text, too

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

    const seen = new Set(); // whose sense was shown to a reader who guesses
    const isHidden = (index) => guessing && !seen.has(index);
    root.classList.add('d2-relations');
    root.replaceChildren(
      ...warningsOf(result),
      text.box,
      ...(result.relations.length ? [disco2.legend(result)] : []),
      element('div', { class: 'd2-toolbar' }, element('p', { class: 'd2-summary' }, summaryOf(result)), ...tools()),
      status,
      ...(source.beside ? [source.beside] : []),
      panel,
    );
    followGuessing();
    text.redraw();

    function tools() {
      if (!result.relations.length) return [];
      const guess = button('Guess first', () => {
        guessing = !guessing;
        guess.setAttribute('aria-pressed', String(guessing));
        close({ told: true });
        followGuessing();
        const count = disco2.guessCount();
        say(guessing ? `The senses are hidden. Choose an arc and guess its sense. ${count}` : count);
      }, { 'aria-pressed': String(guessing) });
      const made = [guess];
      if (source.linkOf) made.push(copier('Copy link', () => source.linkOf(chosen), 'The link is on the clipboard.'));
      const save = (name, write, done) => button(name, () => {
        write();
        say(done);
        menu.open = false;
      });
      const drawing = () => disco2.textDrawing(text.box);
      const menu = element('details', { class: 'd2-menu' },
        element('summary', { class: 'd2-button' }, 'Export'),
        element('div', { class: 'd2-menu-items' },
          copier('Copy as JSON', () => JSON.stringify(result, null, 2), 'The answer is on the clipboard.'),
          save('Relations as CSV', () => disco2.download('relations.csv', disco2.relationsCsv(result), 'text/csv'),
            'The relations were saved as a CSV file.'),
          save('Text with arcs as SVG', () => disco2.saveSvg('relations', drawing()), 'The text was saved as an SVG file.'),
          save('Text with arcs as PNG', () => disco2.savePng('relations', drawing()), 'The text was saved as a PNG file.'),
        ));
      menu.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape' || !menu.open) return;
        menu.open = false;
        menu.firstElementChild.focus();
      });
      return [...made, menu];
    }

    function followGuessing() {
      root.classList.toggle('d2-guessing', guessing);
      text.conceal(isHidden);
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
      panel.hidden = false;
      if (isHidden(index)) askFirst(relation);
      else showDetail(relation);
      text.mark(index);
      text.reveal();
      if (told) {
        bringIntoSight();
        source.onChoose?.(index);
      }
    }

    function showDetail(relation, ...before) {
      detail = disco2.relationDetail(relation, {
        result,
        where: whereOf(relation),
        look: source.viewOf ? () => look(relation.index) : null,
        say,
      });
      panel.replaceChildren(heading(relation, detail.title, detail.subtitle), ...before, detail.box);
      detail.load();
    }

    /** The arguments and a question; then the answer. */
    function askFirst(relation) {
      detail = null;
      const texts = disco2.argumentTexts({ ...relation, entities: [] }, () => {});
      const form = disco2.guessForm(result, (guess) => {
        seen.add(relation.index);
        text.conceal(isHidden);
        showDetail(relation, ...(guess ? [disco2.guessVerdict(relation, guess)] : []));
        panel.querySelector('.d2-next:not(:disabled), .d2-close').focus();
      });
      panel.replaceChildren(heading(relation, 'Guess the sense', `from ${whereOf(relation)}`), texts.box, form);
    }

    function heading(relation, title, subtitle) {
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
        element('h2', {}, title),
        element('p', {}, subtitle),
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

  /** What the reader should know before trusting the answer. */
  function warningsOf({ warnings }) {
    const box = (said) => element('p', { class: 'd2-warning', role: 'note' }, element('strong', {}, 'Note: '), said);
    return (warnings ?? []).map(box);
  }

  function summaryOf(result) {
    const sentences = result.sentences.length;
    const relations = disco2.countRelations(result);
    if (!relations) {
      return sentences > 1
        ? `${sentences} sentences, but no relation was found in them.`
        : 'One sentence, and no relation was found in it. Add a second one.';
    }
    const told = relations === 1 ? 'one relation' : `${relations} relations`;
    return `${sentences === 1 ? 'One sentence' : `${sentences} sentences`}, ${told}. Choose an arc to see why.`;
  }

  /** NoRel says that there is none. @param {Object} result */
  function countRelations({ relations }) {
    return relations.filter(({ kind }) => kind !== 'NoRel').length;
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

  Object.assign(disco2, { show, countRelations });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', startFromData);
  else startFromData();
})(window.disco2);
