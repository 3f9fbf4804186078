'use strict';

(function (disco2) {
  const CLASSES = ['Contingency', 'Comparison', 'Expansion', 'Temporal', 'EntRel', 'NoRel'];
  const OTHER_COLOURS = 8; // of labels that are nobody's but the user's: --d2-other-0 and so on

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

  Object.assign(disco2, { classOf, shortSense, colourClass, outcomes, percent, signed, plain, CLASSES });
})(window.disco2);
