'use strict';

(function (disco2) {
  const { element, button, remark } = disco2;

  /**
   * Everything about one relation. What needs the server's look at the model (trees, parts of the score) comes
   * when `look` has it.
   * @param {Object} relation
   * @param {Object} options
   * @param {Object} options.result that it belongs to
   * @param {string} options.where "sentence 1 to sentence 2"
   * @param {(() => Promise<{view: Object, svg: string} | null>) | null} options.look
   * @param {(message: string) => void} options.say tells the reader what has happened
   */
  function relationDetail(relation, { result, where, look, say }) {
    const box = element('div', {});
    const calibrated = (result.model?.running_text_temperature ?? 1) !== 1;
    let controls = null;
    const texts = disco2.argumentTexts(relation, (chain) => controls?.chooseChain(chain));
    box.append(
      element(
        'div',
        { class: 'd2-top' },
        section('Arguments', entityNote(relation), texts.box),
        section('Probability', probabilityNote(relation, calibrated), disco2.probabilityBars(relation)),
      ),
    );
    const later = element('div', { class: 'd2-later' });
    box.append(disco2.markBar(result, relation, say), later);

    async function load() {
      if (!look) return;
      later.replaceChildren(remark('Looking into the model \u2026'));
      later.setAttribute('aria-busy', 'true');
      try {
        const found = await look();
        if (!found) later.replaceChildren(remark('The trees of this relation are not part of the page.'));
        else if (box.isConnected) fill(found.view, found.svg);
      } catch (fault) {
        if (fault?.name !== 'AbortError') later.replaceChildren(disco2.faultBox(fault, load));
      }
      later.removeAttribute('aria-busy');
    }

    function fill(view, markup) {
      const trees = view.arguments.map(disco2.treeShape);
      const inspector = disco2.nodeInspector(view, trees);
      const drawing = disco2.treeView(view, markup, trees, inspector.inspect);
      const parts = view.senses.length ? disco2.scoreTable(view) : null;
      texts.order(view.chains.map(({ chain }) => chain));
      controls = disco2.treeControls(view, trees, drawing, (chain) => {
        texts.choose(chain);
        parts?.choose(chain);
      });
      const canvas = scrolling('d2-canvas', 'Trees of both arguments', drawing.svg);
      const file = `relation-${relation.index + 1}`;
      const save = (name, write, done) => button(name, () => {
        write(file, disco2.styledCopy(drawing.svg));
        say(done);
      }, { class: 'd2-button d2-download' });
      const files = element('div', { class: 'd2-buttons' },
        save('Download the SVG', disco2.saveSvg, 'The trees were saved as an SVG file.'),
        save('PNG', disco2.savePng, 'The trees were saved as a PNG file.'));
      const below = element('div', { class: 'd2-below' }, inBrackets(view), files);
      later.replaceChildren(section('Trees', '', controls.box, canvas, controls.caption, inspector.box, below));
      if (parts) {
        const verdict = element('p', { class: 'd2-verdict' }, disco2.verdict(view));
        const table = scrolling('d2-scroll', 'Parts of the score', parts.table);
        later.append(section('Parts of the score', membersNote(view), verdict, table));
      }
    }

    const title = element('span', { class: `d2-sense ${disco2.colourClass(relation.sense)}` }, relation.sense);
    return { box, load, title, subtitle: subtitleOf(relation, where), stop: () => controls?.stop() };
  }

  function subtitleOf(relation, where) {
    const gloss = disco2.glossOf(relation);
    const insert = gloss && relation.kind === 'Implicit' ? `; one could insert \u201c${gloss.replace('/', '\u201d or \u201c')}\u201d` : '';
    const sure = (relation.unsure ? ', unsure' : '') + (relation.direction ? `, ${relation.direction}` : '');
    return `${disco2.percent(relation.probability)}${sure}, from ${where}; ${kindInWords(relation)}${insert}`;
  }

  function kindInWords({ kind, connective }) {
    if (connective) return `explicit, \u201c${connective}\u201d says it`;
    if (kind === 'Hypophora') return 'a question and its answer';
    if (kind === 'EntRel') return 'the sentences only share an entity';
    if (kind === 'NoRel') return 'nothing links the sentences';
    return 'implicit, no connective says it';
  }

  function entityNote({ entities }) {
    return entities.length ? 'Mentions of one entity have one colour and letter.' : 'They share no entity.';
  }

  function probabilityNote({ kind, probability, presence, connective_parts: stated }, calibrated) {
    if (kind === 'Hypophora') return 'A rule found it; the others share what it leaves to them.';
    if (stated?.length) return `Of the senses that this connective may have. It is one with ${disco2.percent(presence)}.`;
    if (kind === 'Explicit') return 'The connective often says more: the model learned from pairs without one.';
    const percent = Math.round(100 * probability);
    return calibrated ? `Calibrated: of all answers given with ${percent}%, about ${percent} in 100 should be right.` : '';
  }

  function section(title, note, ...children) {
    const made = element('section', { class: 'd2-section' }, element('h3', {}, title));
    if (note) made.append(remark(note));
    made.append(...children);
    return made;
  }

  function membersNote({ members }) {
    if (members < 2) return '';
    return `Several models decide together, and these are the parts of their mean score; ${members} of them compose \
vectors, and the trees show those of one.`;
  }

  function inBrackets(view) {
    const box = element('details', { class: 'd2-brackets' }, element('summary', {}, 'The trees as text'));
    view.arguments.forEach((argument, side) => {
      const written = element('pre', { tabindex: 0 }, disco2.brackets(argument));
      box.append(element('h4', {}, side ? 'Second argument' : 'First argument'), written);
    });
    return box;
  }

  /** A box that scrolls what is wider than the page, by keys too. */
  function scrolling(name, label, inside) {
    return element('div', { class: name, role: 'region', tabindex: 0, 'aria-label': label }, inside);
  }

  /**
   * What went wrong, where, and what to do next.
   * @param {{what?: string, where?: string, hint?: string, message?: string}} fault
   * @param {() => void} [again]
   */
  function faultBox(fault, again) {
    const what = fault?.what || fault?.message || 'Something went wrong.';
    const box = element('div', { class: 'd2-fault', role: 'alert' }, element('p', {}, element('strong', {}, what)));
    if (fault?.where) box.append(element('p', {}, `Where: ${fault.where}`));
    if (fault?.hint) box.append(element('p', {}, fault.hint));
    if (again) box.append(button('Try again', again));
    return box;
  }

  Object.assign(disco2, { relationDetail, faultBox });
})(window.disco2);
