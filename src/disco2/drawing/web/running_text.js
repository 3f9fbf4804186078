'use strict';

(function (disco2) {
  const { element } = disco2;
  const FEW = 4; // sentences that are written large
  const SHORT = 16; // sentences of so few characters leave no room for a label above them

  /**
   * The text with its sentences, and the relations between them as arcs with buttons on them.
   * @param {Object} result what POST /v1/relations answers
   * @param {(index: number) => void} onChoose
   */
  function runningText(result, onChoose) {
    const flow = element('div', { class: 'd2-flow' });
    const joins = fill(flow, result);
    const arcs = disco2.arcsOver(flow, joins, choose);
    flow.append(arcs.svg);
    const box = element(
      'div',
      { class: 'd2-document', role: 'group', 'aria-label': 'The text, with a button for each relation' },
      flow,
    );
    const placeOf = new Map(joins.map((join, place) => [join.relation.index, place]));
    const few = result.sentences.length <= FEW && result.text.length <= 40 * FEW;
    box.classList.toggle('d2-few', few);
    let chosen = -1; // a place among the joins
    let current = 0; // the one that the tabulator key reaches

    joins.forEach((join, place) => {
      join.label.tabIndex = place === 0 ? 0 : -1;
      join.label.addEventListener('click', () => choose(place));
      join.label.addEventListener('focus', () => reach(place));
      join.label.addEventListener('mouseenter', () => arcs.mark(place, 'd2-over', true));
      join.label.addEventListener('mouseleave', () => arcs.mark(place, 'd2-over', false));
    });

    flow.addEventListener('keydown', (event) => {
      if (!joins.length || !event.target.classList.contains('d2-arc-label')) return;
      const to = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const place = { Home: 0, End: joins.length - 1 }[event.key] ?? (to ? current + to : null);
      if (place === null || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      joins[Math.max(0, Math.min(joins.length - 1, place))].label.focus();
    });

    flow.addEventListener('click', (event) => {
      const sentence = event.target.closest('.d2-sentence');
      if (!sentence || String(window.getSelection())) return;
      const found = joins.findIndex((join) => join.from === sentence);
      const place = found >= 0 ? found : joins.findIndex((join) => join.to === sentence);
      if (place >= 0) choose(place);
    });

    function reach(place) {
      joins[current].label.tabIndex = -1;
      joins[place].label.tabIndex = 0;
      current = place;
    }

    /** Mark a relation as chosen without telling anybody; -1 for none. @param {number} index */
    function mark(index) {
      const place = placeOf.get(index) ?? -1;
      for (const [which, on] of [[chosen, false], [place, true]]) {
        if (!joins[which]) continue;
        const { from, to, label, relation } = joins[which];
        label.setAttribute('aria-pressed', String(on));
        arcs.mark(which, 'd2-chosen', on);
        for (const sentence of [from, to]) {
          sentence.classList.toggle('d2-chosen', on);
          sentence.classList.toggle(disco2.colourClass(relation.sense), on);
        }
      }
      chosen = place;
      box.classList.toggle('d2-has-choice', chosen >= 0);
      if (chosen >= 0) reach(chosen);
    }

    function choose(place) {
      mark(joins[place].relation.index);
      onChoose(joins[place].relation.index);
    }

    /** Bring the chosen relation into sight, inside the box of the text alone. */
    function reveal() {
      const join = joins[chosen];
      if (!join) return;
      const label = join.label.getBoundingClientRect();
      const frame = box.getBoundingClientRect();
      if (label.top < frame.top + 10 || label.bottom > frame.bottom - 50) {
        box.scrollTop += label.top - frame.top - frame.height / 3;
      }
    }

    let waiting = 0;
    const redraw = () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(arcs.place);
    };
    const observer = new ResizeObserver(redraw);
    observer.observe(flow);
    const told = new AbortController();
    const onPaper = (event) => {
      if (!box.isConnected) told.abort(); // another text has taken its place
      const printing = event.type === 'beforeprint';
      box.classList.toggle('d2-on-paper', printing); // as wide as it will be there: no script runs on paper
      box.classList.toggle('d2-few', few && !printing);
      arcs.place();
    };
    for (const name of ['beforeprint', 'afterprint']) window.addEventListener(name, onPaper, { signal: told.signal });
    return { box, mark, reveal, redraw, focus: () => joins[current]?.label.focus() };
  }

  /**
   * Put paragraphs, sentences and buttons into the flow. A paragraph ends where the text has a line break that
   * no relation crosses.
   * @returns {Array<Object>} the joins of arcs.js, one for each relation
   */
  function fill(flow, result) {
    const at = disco2.offsetsOf(result.text);
    const sentences = result.sentences.map((span, n) => {
      const words = result.text.slice(at(span.start), at(span.end));
      return element('span', { class: 'd2-sentence', 'data-sentence': n + 1, tabindex: -1 }, words);
    });
    const bySecond = new Map(); // the relation that ends in a sentence
    const places = new Map(result.sentences.map((span, n) => [span.start, n]));
    for (const relation of result.relations) {
      const second = places.get(relation.arg2.start) ?? sentenceAt(result.sentences, relation.arg2.start);
      bySecond.set(second, relation);
    }
    const joins = [];
    let paragraph = null;
    sentences.forEach((sentence, n) => {
      const relation = bySecond.get(n);
      const between = n ? result.text.slice(at(result.sentences[n - 1].end), at(result.sentences[n].start)) : '';
      if (!paragraph || (!relation && /[\n\r\u2028\u2029]/.test(between))) {
        paragraph = element('p', { class: 'd2-paragraph' });
        flow.append(paragraph);
      } else {
        paragraph.append(/\n[^\S\n]*\r?\n/.test(between) ? element('br') : ' ');
      }
      if (relation && n > 0) {
        const label = labelOf(relation, n, sentences);
        paragraph.append(label, ' ');
        joins.push({ relation, from: sentences[n - 1], to: sentence, label });
      }
      paragraph.append(sentence);
    });
    return joins;
  }

  function sentenceAt(sentences, offset) {
    return sentences.findIndex((span) => span.start <= offset && offset < span.end);
  }

  /** The button on an arc between sentence `n` and `n + 1`, as people count. */
  function labelOf(relation, n, sentences) {
    const [before, behind] = [sentences[n - 1], sentences[n]].map((one) => one.textContent.length < SHORT);
    const name =
      `${relation.sense}, ${percentInWords(relation.probability)}, from sentence ${n} to sentence ${n + 1}` +
      (relation.connective ? `, explicit: ${relation.connective}` : '');
    const label = element(
      'button',
      {
        type: 'button',
        class: `d2-arc-label ${disco2.colourClass(relation.sense)}` +
          (before ? ' d2-tight-left' : '') + (behind ? ' d2-tight-right' : ''),
        'aria-label': name,
        'aria-pressed': 'false',
        title: `${relation.sense}, ${disco2.percent(relation.probability)}`,
        'data-relation': relation.index,
      },
    );
    const said = [relation.connective, disco2.shortSense(relation.sense), disco2.percent(relation.probability)];
    label.style.setProperty('--d2-characters', String([...said.filter(Boolean).join(' ')].length));
    if (relation.connective) label.append(element('span', { class: 'd2-connective' }, relation.connective), ' ');
    label.append(
      element('span', { class: 'd2-arc-sense' }, disco2.shortSense(relation.sense)),
      ' ',
      element('span', { class: 'd2-arc-percent' }, disco2.percent(relation.probability)),
    );
    return label;
  }

  function percentInWords(probability) {
    return disco2.percent(probability).replace('<', 'less than ').replace('>', 'more than ').replace('%', ' percent');
  }

  disco2.runningText = runningText;
})(window.disco2);
