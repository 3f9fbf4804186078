'use strict';

/** What readers say about answers: guesses before they see one, and marks whether it is right. */
(function (disco2) {
  const { element, button, remark } = disco2;
  const STORE = 'disco2-marks';
  const COLUMNS = ['arg1', 'arg2', 'label', 'id', 'source', 'kind', 'connective', 'mark', 'answer', 'probability', 'model'];
  const WITHOUT_SENSE = ['EntRel', 'NoRel', 'Hypophora']; // labels that are kinds of relations, too

  const guesses = { all: 0, same: 0, sameClass: 0 }; // as long as the page is open
  let marks = stored(); // by id

  /** Storage may be forbidden, and then marks last as long as the page. */
  function stored() {
    try {
      return new Map(Object.entries(JSON.parse(localStorage.getItem(STORE) || '{}')));
    } catch {
      return new Map();
    }
  }

  function store() {
    try {
      localStorage.setItem(STORE, JSON.stringify(Object.fromEntries(marks)));
    } catch {
      return; // see above
    }
  }

  /** A name for a text, the same in every browser (FNV-1a). */
  function nameOf(text) {
    let hash = 0x811c9dc5;
    for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193) >>> 0;
    return `text-${hash.toString(16).padStart(8, '0')}`;
  }

  /**
   * The question for the sense of a relation whose answer is hidden.
   * @param {Object} result
   * @param {(sense: string) => void} onGuess with an empty sense if the reader makes no guess
   */
  function guessForm(result, onGuess) {
    const group = disco2.freshId('guess');
    const choices = disco2.choicesOf(result).map((sense) => {
      const gloss = disco2.glossOf({ sense });
      const input = element('input', { type: 'radio', name: group, value: sense });
      const name = element('span', {}, disco2.shortSense(sense));
      if (gloss) name.append(' ', element('i', {}, gloss));
      return element('label', { class: `d2-choice ${disco2.colourClass(sense)}` }, input, name);
    });
    const show = button('Compare with the answer', () => {
      onGuess(box.querySelector(':checked').value);
    }, { class: 'd2-button d2-main', disabled: true });
    const skip = button('Show it without a guess', () => onGuess(''));
    const legend = element('legend', {}, 'Your guess: which sense links the two? A connective that could say it is in italics.');
    const box = element('div', { class: 'd2-guess' },
      element('fieldset', {}, legend, ...choices), element('div', { class: 'd2-buttons' }, show, skip));
    box.addEventListener('change', () => {
      show.disabled = false;
    });
    return box;
  }

  /** Count a guess and say how it compares. @param {Object} relation @param {string} guess */
  function guessVerdict({ sense, probability }, guess) {
    const same = guess === sense;
    const sameClass = disco2.classOf(guess) === disco2.classOf(sense);
    guesses.all += 1;
    guesses.same += same ? 1 : 0;
    guesses.sameClass += sameClass ? 1 : 0;
    const told = same ? 'You agree' : sameClass ? 'The same class, but another sense' : 'You differ';
    const answers = `you say ${guess}, disco2 says ${sense} with ${disco2.percent(probability)}.`;
    const box = element('div', { class: `d2-verdict-box ${same ? 'd2-same' : 'd2-other'}`, role: 'status' });
    box.append(element('p', {}, element('strong', {}, `${told}: `), answers), remark(guessCount()));
    return box;
  }

  /** "You and disco2 agree in 2 of 3 guesses, in 3 on the class." */
  function guessCount() {
    if (!guesses.all) return '';
    const unit = guesses.all === 1 ? 'guess' : 'guesses';
    return `You and disco2 agree in ${guesses.same} of ${guesses.all} ${unit}, in ${guesses.sameClass} on the class.`;
  }

  /**
   * Buttons to mark an answer as right or wrong.
   * @param {Object} result
   * @param {Object} relation
   * @param {(message: string) => void} say
   */
  function markBar(result, relation, say) {
    const source = nameOf(result.text);
    const id = `${source}-${relation.arg1.start}-${relation.arg2.start}`;
    const right = button('Right', () => mark('right', relation.sense));
    const wrong = button('Wrong', () => mark('wrong', ''));
    const select = element('select', {}, element('option', { value: '' }, 'choose'));
    for (const sense of disco2.choicesOf(result)) {
      if (sense !== relation.sense) select.append(element('option', { value: sense }, sense));
    }
    select.addEventListener('change', () => mark('wrong', select.value));
    const correction = element('label', {}, 'The right sense is ', select);
    const save = button('', () => disco2.download('marks.csv', marksCsv(), 'text/csv'));
    const drop = button('Delete all marks', () => {
      marks = new Map();
      store();
      say('All marks were deleted.');
      follow();
    });
    const legend = element('legend', {}, 'Is this answer right?');
    const box = element('fieldset', { class: 'd2-mark' }, legend, right, wrong, correction,
      element('span', { class: 'd2-mark-files' }, save, drop));
    follow();

    function mark(how, label) {
      const kind = WITHOUT_SENSE.includes(label) ? label : relation.connective ? 'Explicit' : 'Implicit';
      marks.set(id, {
        arg1: relation.arg1.text, arg2: relation.arg2.text, label, id, source, kind,
        connective: kind === 'Explicit' ? relation.connective : '',
        mark: how, answer: relation.sense, probability: relation.probability, model: result.model?.name ?? '',
      });
      store();
      say(how === 'wrong' && !label ? 'Marked as wrong. Choose the right sense, too.' : `Marked as ${how}.`);
      follow();
      if (how === 'wrong' && !label) select.focus();
    }

    function follow() {
      const made = marks.get(id);
      right.setAttribute('aria-pressed', String(made?.mark === 'right'));
      wrong.setAttribute('aria-pressed', String(made?.mark === 'wrong'));
      correction.hidden = made?.mark !== 'wrong';
      select.value = made?.mark === 'wrong' ? made.label : '';
      save.textContent = marks.size === 1 ? 'Download 1 mark (CSV)' : `Download ${marks.size} marks (CSV)`;
      save.parentElement.hidden = !marks.size;
    }

    return box;
  }

  /** All marks, as `disco2 train --corpus pairs` reads them. */
  function marksCsv() {
    return disco2.csv([COLUMNS, ...[...marks.values()].map((one) => COLUMNS.map((column) => one[column]))]);
  }

  Object.assign(disco2, { guessForm, guessVerdict, guessCount, markBar });
})(window.disco2);
