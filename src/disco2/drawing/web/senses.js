'use strict';

/** Senses: names, colours, glosses and examples, the legend, and bars of probabilities. */
(function (disco2) {
  const { element } = disco2;
  const CLASSES = ['Contingency', 'Comparison', 'Expansion', 'Temporal', 'EntRel', 'NoRel'];
  const OTHER_COLOURS = 8; // of labels that are not in the table below: --d2-other-0 and so on
  const FIRST = 5; // probabilities that are shown at once

  /** Each sense: a connective that could say it, what it means, and two made-up arguments. */
  const SENSES = {
    'Contingency.Cause': ['because/so', 'one is the reason or the result of the other', 'The road was icy,', 'so', 'the bus was late.'],
    'Contingency.Condition': ['if', 'one holds if the other does', 'The door opens', 'if', 'you press the red button.'],
    'Contingency.Purpose': ['in order to', 'one is done to bring the other about', 'Turn the screw to the left', 'in order to', 'open the lid.'],
    'Comparison.Concession': ['although', 'one makes you expect what the other denies', 'We went for a walk,', 'although', 'it rained all day.'],
    'Comparison.Contrast': ['by contrast', 'the two differ in one point', 'Ann drinks tea.', 'By contrast,', 'her brother drinks coffee.'],
    'Comparison.Similarity': ['similarly', 'the two are alike in one point', 'Ann walks to work.', 'Similarly,', 'her brother takes his bicycle.'],
    'Expansion.Conjunction': ['and', 'the second adds something to the first', 'The room has a desk,', 'and', 'there is a view of the sea.'],
    'Expansion.Disjunction': ['or', 'the two are alternatives', 'Take the bus,', 'or', 'walk along the river.'],
    'Expansion.Equivalence': ['in other words', 'both say the same', 'The shop is closed.', 'In other words,', 'you can\u2019t buy anything there.'],
    'Expansion.Exception': ['except', 'one is what the other leaves out', 'Everybody came,', 'except', 'Max stayed at home.'],
    'Expansion.Instantiation': ['for example', 'the second is one case of the first', 'He collects old things.', 'For example,', 'he has a clock from 1790.'],
    'Expansion.Level-of-detail': ['specifically', 'one gives the details of the other', 'The trip went badly.', 'Specifically,', 'they lost a bag and missed two trains.'],
    'Expansion.Manner': ['by', 'one says how the other is done', 'She opened the jar', 'by', 'tapping its lid with a spoon.'],
    'Expansion.Substitution': ['instead', 'one happens in place of the other', 'He did not call.', 'Instead,', 'he wrote a letter.'],
    'Temporal.Asynchronous': ['then', 'one comes after the other', 'She locked the door.', 'Then', 'she went to the station.'],
    'Temporal.Synchronous': ['meanwhile', 'the two happen at the same time', 'He was cooking.', 'Meanwhile,', 'she laid the table.'],
    Hypophora: ['', 'a question and its answer', 'Who was late?', '', 'The bus was.'],
    EntRel: ['', 'no sense: the second only says more about somebody or something', 'The house belongs to Ann Lee.', '', 'She is a dentist.'],
    NoRel: ['', 'nothing links the two', 'The soup was cold.', '', 'Next week there are elections.'],
  };

  /** What stands before the first dot. @param {string} sense */
  function classOf(sense) {
    const dot = sense.indexOf('.');
    return dot > 0 ? sense.slice(0, dot) : sense;
  }

  /** What stands behind the first dot, or all of it. @param {string} sense */
  function shortSense(sense) {
    const dot = sense.indexOf('.');
    return dot > 0 && dot < sense.length - 1 ? sense.slice(dot + 1) : sense;
  }

  /** The connective that one could insert; empty where there is one, or none fits. @param {Object} relation */
  function glossOf({ sense, gloss, connective }) {
    return connective ? '' : gloss || SENSES[sense]?.[0] || '';
  }

  /**
   * The class in relations.css that sets --d2-colour for a sense; the same in every text.
   * @param {string} sense
   */
  function colourClass(sense) {
    const name = classOf(sense);
    if (CLASSES.includes(name)) return `d2-of-${name.toLowerCase()}`;
    let sum = 0;
    for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 65521;
    return `d2-of-other-${sum % OTHER_COLOURS}`;
  }

  /**
   * Senses in the order of the legend: by class, unknown ones last.
   * @param {Iterable<string>} senses
   */
  function inOrder(senses) {
    const rank = (sense) => (CLASSES.indexOf(classOf(sense)) + 99) % 99;
    return [...new Set(senses)].sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
  }

  /** All outcomes that a reader may choose for a relation of this result. @param {Object} result */
  function choicesOf(result) {
    const labels = result.model?.labels ?? [];
    return inOrder([...labels, ...result.relations.flatMap((one) => Object.keys(one.probabilities)), 'NoRel']);
  }

  /**
   * Outcomes with their probabilities, the most probable first: an object would put labels such as "1" first.
   * @param {{probabilities: Object<string, number>}} relation
   * @returns {Array<[string, number]>}
   */
  function outcomes(relation) {
    return Object.entries(relation.probabilities).sort((one, other) => other[1] - one[1]);
  }

  /** "26%"; no outcome is impossible or certain. @param {number} probability */
  function percent(probability) {
    if (probability > 0 && probability < 0.005) return '<1%';
    if (probability < 1 && probability >= 0.995) return '>99%';
    return `${Math.round(probability * 100)}%`;
  }

  /** "+0.12", "−0.41", "0.00", with a true minus sign. @param {number} value @param {number} [digits] */
  function signed(value, digits = 2) {
    const written = Math.abs(value).toFixed(digits);
    if (Number(written) === 0) return written;
    return (value < 0 ? '\u2212' : '+') + written;
  }

  /** "−0.41" or "0.41". @param {number} value @param {number} [digits] */
  function plain(value, digits = 2) {
    return signed(value, digits).replace('+', '');
  }

  /**
   * What the colours and lines mean, with the number of relations of each class, and each sense with an example.
   * @param {Object} result
   */
  function legend(result) {
    const counts = new Map();
    let explicit = 0;
    for (const { sense, kind } of result.relations) {
      counts.set(classOf(sense), (counts.get(classOf(sense)) || 0) + 1);
      if (kind === 'Explicit') explicit += 1;
    }
    counts.delete('NoRel'); // not a relation
    const list = element('ul', { class: 'd2-legend', 'aria-label': 'What the colours mean' });
    for (const name of inOrder(counts.keys())) {
      list.append(entry(`d2-swatch ${colourClass(name)}`, name, counts.get(name)));
    }
    if (explicit) list.append(entry('d2-swatch d2-swatch-dashed', 'explicit: a connective says it', explicit));
    if (counts.size) list.append(element('li', {}, 'thicker line: more probable'));
    const known = choicesOf(result).filter((sense) => SENSES[sense]);
    const guide = element('details', { class: 'd2-guide' }, element('summary', {}, 'What the senses mean, with examples'));
    guide.append(element('dl', {}, ...known.map(guideEntry)));
    return element('div', { class: 'd2-key' }, list, known.length ? guide : '');
  }

  function entry(swatch, name, count) {
    const number = element('span', { class: 'd2-count' }, `\u00d7${count}`);
    return element('li', {}, element('span', { class: swatch, 'aria-hidden': 'true' }), `${name} `, number);
  }

  function guideEntry(sense) {
    const [, means, first, connective, second] = SENSES[sense];
    const example = element('dd', { class: 'd2-example' }, `${first} `);
    if (connective) example.append(element('em', {}, connective), ' ');
    example.append(second);
    const name = element('dt', {}, shortSense(sense));
    return element('div', { class: colourClass(sense) }, name, element('dd', {}, means), example);
  }

  /**
   * The probabilities of all outcomes that were allowed as bars with numbers, the less probable ones folded.
   * @param {Object} relation
   */
  function probabilityBars(relation) {
    const all = outcomes(relation);
    const highest = Math.max(0.5, all.length ? all[0][1] : 0);
    const rows = all.map(([sense, probability]) =>
      element(
        'li',
        { class: colourClass(sense) },
        element('span', { class: 'd2-bar-name' }, sense),
        bar(probability / highest),
        element('span', { class: 'd2-bar-number' }, percent(probability)),
      ),
    );
    const list = (some) => element('ul', { class: 'd2-bars' }, ...some);
    const box = element('div', { class: 'd2-probabilities' }, list(rows.slice(0, FIRST)));
    if (rows.length > FIRST) {
      const rest = all.slice(FIRST).reduce((sum, [, probability]) => sum + probability, 0);
      const summary = `${rows.length - FIRST} more, together ${percent(rest)}`;
      box.append(element('details', {}, element('summary', {}, summary), list(rows.slice(FIRST))));
    }
    return box;
  }

  /** A bar that fills a share of its track. @param {number} share 0 to 1 */
  function bar(share) {
    const filled = element('span', { class: 'd2-bar-filled' });
    filled.style.inlineSize = `${(100 * Math.min(1, Math.max(0, share))).toFixed(1)}%`;
    return element('span', { class: 'd2-bar', 'aria-hidden': 'true' }, filled);
  }

  Object.assign(disco2, {
    shortSense, classOf, glossOf, colourClass, choicesOf, outcomes, percent, signed, plain, legend, probabilityBars, bar,
  });
})(window.disco2);
