'use strict';

(function (disco2) {
  const { element } = disco2;
  const FEW = 4; // sentences that are written large
  const SHORT = 16; // sentences of so few characters leave no room for a label above them

  /**
   * The text with its sentences, and the relations in and between them as arcs with buttons on them.
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
      const touches = (elements) => elements.some((one) => sentence.contains(one) || one.contains(sentence));
      const found = joins.findIndex((join) => touches(join.from));
      const place = found >= 0 ? found : joins.findIndex((join) => touches(join.to));
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
        for (const piece of [...from, ...to]) {
          piece.classList.toggle('d2-chosen', on);
          piece.classList.toggle(disco2.colourClass(relation.sense), on);
          piece.classList.toggle('d2-concealed', on && label.classList.contains('d2-concealed'));
        }
      }
      chosen = place;
      box.classList.toggle('d2-has-choice', chosen >= 0);
      if (chosen >= 0) reach(chosen);
    }

    /** Hide the senses of some relations, for readers who guess. @param {(index: number) => boolean} isHidden */
    function conceal(isHidden) {
      joins.forEach(({ relation, label, where }, place) => {
        const hidden = isHidden(relation.index);
        label.classList.toggle('d2-concealed', hidden);
        arcs.mark(place, 'd2-concealed', hidden);
        writeLabel(label, relation, where, hidden);
      });
      if (joins[chosen]) mark(joins[chosen].relation.index);
      redraw();
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
    return { box, mark, conceal, reveal, redraw, focus: () => joins[current]?.label.focus() };
  }

  /**
   * Put paragraphs, sentences and buttons into the flow. A sentence is cut into pieces wherever an argument or a
   * connective begins or ends in it. A paragraph ends where the text has a line break that no pair of neighbouring
   * sentences crosses.
   * @returns {Array<Object>} the joins of arcs.js, one for each relation
   */
  function fill(flow, result) {
    const at = disco2.offsetsOf(result.text);
    const ends = result.relations.map(endsOf);
    const bounds = new Set(); // where pieces begin or end, beside the sentences themselves
    const stated = []; // the connectives
    result.relations.forEach((relation, place) => {
      for (const span of [...ends[place].from, ...ends[place].to]) bounds.add(span.start).add(span.end);
      for (const span of relation.connective_parts || []) {
        bounds.add(span.start).add(span.end);
        stated.push(span);
      }
    });
    const cuts = [...bounds].sort((one, other) => one - other);
    const starts = new Set(stated.flatMap((span) => cuts.filter((cut) => span.start <= cut && cut < span.end)));
    const joined = joinedSentences(result, ends);
    const sentences = result.sentences.map((span, n) => piecesOf(span, n, cuts, starts, result.text, at));
    let paragraph = null;
    sentences.forEach(({ box }, n) => {
      const between = n ? result.text.slice(at(result.sentences[n - 1].end), at(result.sentences[n].start)) : '';
      if (!paragraph || (!joined.has(n) && /[\n\r\u2028\u2029]/.test(between))) {
        paragraph = element('p', { class: 'd2-paragraph' });
        flow.append(paragraph);
      } else {
        paragraph.append(/\n[^\S\n]*\r?\n/.test(between) ? element('br') : ' ');
      }
      paragraph.append(box);
    });
    const joins = [];
    result.relations.forEach((relation, place) => {
      const [from, to] = [ends[place].from, ends[place].to].map((spans) => elementsOf(spans, sentences, result));
      if (!from.length || !to.length) return;
      const [first, second] = numbersOf(relation, result);
      const where = first === second ? `in sentence ${first}` : `from sentence ${first} to sentence ${second}`;
      const label = labelOf(relation, from, to);
      writeLabel(label, relation, where, false);
      const opening = openingOf(to[0]);
      opening.before(label, ...(opening.classList.contains('d2-sentence') ? [' '] : []));
      joins.push({ relation, from, to, label, where });
    });
    return joins;
  }

  /** What a label stands before: an argument, the connective right before it, or the sentence that they open. */
  function openingOf(element) {
    let first = element;
    for (let one = element.previousElementSibling; one?.classList.contains('d2-piece'); one = one.previousElementSibling) {
      if (one.classList.contains('d2-stated')) first = one;
      else if (one.textContent.trim()) break;
    }
    return first.matches('.d2-piece') && !first.previousElementSibling ? first.parentElement : first;
  }

  /** The pieces of the argument that stands first in the text, up to the other one, and of the other one. */
  function endsOf({ arg1, arg2 }) {
    const [first, second] = [arg1, arg2]
      .map((span) => (span.parts?.length ? span.parts : [span]))
      .sort((one, other) => one[0].start - other[0].start);
    const before = first.filter((span) => span.start < second[0].start);
    return { from: before.length ? before : first, to: second };
  }

  /** The sentences that stand in one paragraph with the one before, as a relation without a connective joins them. */
  function joinedSentences(result, ends) {
    const found = new Set();
    result.relations.forEach((relation, place) => {
      if (relation.connective_parts?.length) return; // may join sentences of two paragraphs
      const first = sentenceAt(result.sentences, ends[place].from[0].start);
      const second = sentenceAt(result.sentences, ends[place].to[0].start);
      if (second === first + 1) found.add(second);
    });
    return found;
  }

  /** A sentence and its pieces, each with its place in the text; one piece where nothing cuts it. */
  function piecesOf(span, n, cuts, starts, text, at) {
    const box = element('span', { class: 'd2-sentence', 'data-sentence': n + 1, tabindex: -1 });
    let low = 0;
    let high = cuts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cuts[middle] <= span.start) low = middle + 1;
      else high = middle;
    }
    const places = [span.start];
    for (; low < cuts.length && cuts[low] < span.end; low += 1) places.push(cuts[low]);
    const pieces = places.map((start, place) => {
      const end = places[place + 1] ?? span.end;
      const words = text.slice(at(start), at(end));
      const names = starts.has(start) ? 'd2-piece d2-stated' : 'd2-piece';
      return { start, end, box: element('span', { class: names }, words) };
    });
    box.append(...pieces.map((piece) => piece.box));
    return { box, pieces };
  }

  /** What stands for spans of the text on the page: whole sentences, or pieces of them. */
  function elementsOf(spans, sentences, result) {
    const found = [];
    for (const span of spans) {
      const first = Math.max(0, sentenceAt(result.sentences, span.start));
      for (let n = first; n < sentences.length && result.sentences[n].start < span.end; n += 1) {
        const { start, end } = result.sentences[n];
        if (span.start <= start && end <= span.end) {
          found.push(sentences[n].box);
        } else {
          const inside = sentences[n].pieces.filter((piece) => span.start <= piece.start && piece.end <= span.end);
          found.push(...inside.map((piece) => piece.box));
        }
      }
    }
    return found;
  }

  function sentenceAt(sentences, offset) {
    let low = 0;
    let high = sentences.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sentences[middle].end <= offset) low = middle + 1;
      else high = middle;
    }
    return low < sentences.length ? low : -1;
  }

  /** The sentences of both arguments, as people count. */
  function numbersOf({ arg1, arg2 }, { sentences }) {
    return [arg1, arg2].map((span) => 1 + sentenceAt(sentences, span.start));
  }

  /** The button on an arc, still empty. */
  function labelOf(relation, from, to) {
    const [before, behind] = [from[from.length - 1], to[0]].map((one) => one.textContent.length < SHORT);
    const tight = (before ? ' d2-tight-left' : '') + (behind ? ' d2-tight-right' : '');
    return element('button', {
      type: 'button',
      class: `d2-arc-label ${disco2.colourClass(relation.sense)}${tight}`,
      'aria-pressed': 'false',
      'data-relation': relation.index,
    });
  }

  /** What is on a label: the connective or a gloss, the sense, and the probability; a question mark if hidden. */
  function writeLabel(label, relation, where, hidden) {
    const { sense, connective } = relation;
    const gloss = disco2.glossOf(relation);
    const percent = disco2.percent(relation.probability) + (relation.unsure ? '?' : '');
    const said = hidden ? [connective, '?'] : [connective || gloss, disco2.shortSense(sense), percent];
    label.style.setProperty('--d2-characters', String([...said.filter(Boolean).join(' ')].length));
    label.replaceChildren();
    if (connective) label.append(element('span', { class: 'd2-connective' }, connective), ' ');
    if (hidden) {
      label.append(element('span', { class: 'd2-arc-sense' }, '?'));
      label.setAttribute('aria-label', `Relation ${where}, guess its sense${connective ? `: ${connective}` : ''}`);
      label.title = 'Guess the sense';
      return;
    }
    if (gloss) label.append(element('span', { class: 'd2-gloss' }, `(${gloss})`), ' ');
    label.append(
      element('span', { class: 'd2-arc-sense' }, disco2.shortSense(sense)),
      ' ',
      element('span', { class: 'd2-arc-percent' }, percent),
    );
    const stated = connective ? `, explicit: ${connective}` : gloss && `, as if \u201c${gloss}\u201d stood there`;
    const sure = percentInWords(relation.probability) + (relation.unsure ? ', unsure' : '');
    label.setAttribute('aria-label', `${sense}, ${sure}, ${where}${stated}`);
    label.title = `${sense}, ${percent}`;
  }

  function percentInWords(probability) {
    return disco2.percent(probability).replace('<', 'less than ').replace('>', 'more than ').replace('%', ' percent');
  }

  disco2.runningText = runningText;
})(window.disco2);
